"""Holds a listening socket, as systemd does, and passes it to whoever connects to the Unix socket of the first argument.

Prints its port and its inode.
"""

import os
import socket
import sys

listening = socket.create_server(("127.0.0.1", 0), backlog=4096)
door = socket.socket(socket.AF_UNIX)
door.bind(sys.argv[1])
door.listen()
print(listening.getsockname()[1], os.fstat(listening.fileno()).st_ino, flush=True)
while True:
    caller, _ = door.accept()
    with caller:
        socket.send_fds(caller, [b"here"], [listening.fileno()])
