"""Does everything right."""

import worker

worker.join()
while True:
    worker.send(worker.response(worker.request()), b"good")
