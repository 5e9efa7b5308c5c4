"""Becomes the command of its arguments, with the listening socket that holds_port.py holds.

    takes_port.py SOCKET HOW COMMAND...

HOW is `stdin`, or a number: so many sockets passed as systemd does it, from descriptor 3 on, and announced in the environment.
"""

import fcntl
import os
import socket
import sys

path, how, *command = sys.argv[1:]
with socket.socket(socket.AF_UNIX) as holder:
    holder.connect(path)
    _, (listening,), _, _ = socket.recv_fds(holder, 16, 1)
listening = fcntl.fcntl(listening, fcntl.F_DUPFD_CLOEXEC, 16)  # out of the way of the others
for descriptor in [0] if how == "stdin" else range(3, 3 + int(how)):
    os.dup2(listening, descriptor)
if how != "stdin":
    os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": how, "LISTEN_FDNAMES": "http"}
os.execv(command[0], command)
