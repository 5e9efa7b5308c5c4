"""The process ends in the middle of an answer."""

import os

import worker

worker.join()
whole = worker.frame(worker.response(worker.request()), b"half of it")
worker.core.sendall(whole[:-5])
os._exit(1)
