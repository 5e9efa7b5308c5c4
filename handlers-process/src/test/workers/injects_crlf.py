"""Copies a line end into a header, as a handler does that trusts its input."""

import worker

worker.join()
while True:
    headers = [["location", "/next\r\nset-cookie: session=stolen"]]
    worker.send(worker.response(worker.request(), status=302, headers=headers))
