"""Compares the length that an application declares with the body that it gave."""

from collections.abc import Iterable

WITHOUT_BODY = (204, 304)


def contradiction(method: str, status: int, headers: Iterable[tuple[str, str]], body_bytes: int) -> str | None:
    """
    Says how a Content-Length differs from the body; None where it does not.

    The core computes the length that it sends, so a wrong one never reaches a client. But it means that a part of the body was
    lost, which the author of the application wants to know. A response to HEAD rightly has the length that GET would have, and 204
    and 304 have no body (RFC 9110 section 8.6).
    """
    for name, value in headers:
        if len(name) == 14 and name.lower() == "content-length":
            if method == "HEAD" or status in WITHOUT_BODY:
                return None
            if value != str(body_bytes):
                return f"the application declared a Content-Length of {value} and gave {body_bytes} bytes"
    return None
