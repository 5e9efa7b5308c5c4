"""Does everything right, but holds four more mebibytes of memory after every answer."""

import worker

held = []
worker.join()
while True:
    worker.send(worker.response(worker.request()), b"good")
    held.append(bytearray(b"x" * (4 << 20)))
