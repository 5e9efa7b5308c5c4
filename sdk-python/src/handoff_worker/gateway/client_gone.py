"""What an application gets that goes on sending when nobody waits any more."""


class ClientGone(OSError):
    """Raised where the application sends, when its client has left, or the deadline has passed. The message says which."""
