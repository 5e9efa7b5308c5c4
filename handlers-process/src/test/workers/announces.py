"""Says what it does, so that a test can wait for it: its socket when it starts, each target when it takes a request.

One request at a time; the response comes after the `delay=MILLIS` of its target, or, where that ends with `?held`, when
the worker is sent USR1.
"""

import os
import signal
import sys
import time
from urllib.parse import parse_qs

import worker

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
print("pid " + str(os.getpid()))
print("socket " + os.environ["HANDOFF_SOCKET"])
print("arguments " + " ".join(sys.argv[1:]), file=sys.stderr)
worker.join(pool=os.environ.get("HANDOFF_POOL", "default"), pid=os.getpid())
while True:
    head = worker.receive()
    match head["type"]:
        case "request":
            print("took " + head["target"])
            if head["target"].endswith("?held"):
                signal.sigwait({signal.SIGUSR1})
            query = parse_qs(head["target"].partition("?")[2])
            time.sleep(int(query.get("delay", ["0"])[0]) / 1000)
            worker.send(worker.response(head), b"done\n")
        case "ping":
            worker.send({"type": "pong"})
        case "drain":
            break
