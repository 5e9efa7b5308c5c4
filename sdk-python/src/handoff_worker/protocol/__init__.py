"""The worker protocol: bytes in, messages out, and the state of one connection. Knows no application."""
