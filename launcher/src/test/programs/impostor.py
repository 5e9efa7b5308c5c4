"""Listens as user `nobody` where an admin server is sought. Prints its port, and then the token that it is told by each that asks."""

import os
import pwd
import socket

# A socket belongs to the user that makes it, or accepts it.
os.seteuid(pwd.getpwnam("nobody").pw_uid)
listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
while True:
    caller, _ = listening.accept()
    with caller:
        head = b""
        while b"\r\n\r\n" not in head and (more := caller.recv(4096)):
            head += more
        for line in head.decode("latin-1").split("\r\n"):
            name, _, value = line.partition(": ")
            if name.lower() == "authorization":
                print(value, flush=True)
        caller.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
