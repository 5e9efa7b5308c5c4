"""Compares, over generated requests, where Handoff and other servers see each message end: see ../README.md."""
