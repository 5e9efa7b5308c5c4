"""What an application declares about its answer's length, held against what it gave."""

from collections.abc import Iterable

WITHOUT_BODY = (204, 304)


def contradiction(method: str, status: int, headers: Iterable[tuple[str, str]], body_bytes: int) -> str | None:
    """Says how a Content-Length differs from the body, or None.

    The core computes the length that it sends, so that a wrong one never reaches a client; but it means that a part of the
    body was lost, and whoever wrote the application wants to know. It is right that the answer to HEAD has the length that
    GET would have, and that 204 and 304 have no body (RFC 9110 section 8.6).
    """
    for name, value in headers:
        if len(name) == 14 and name.lower() == "content-length":
            if method == "HEAD" or status in WITHOUT_BODY:
                return None
            if value != str(body_bytes):
                return f"the application declared a Content-Length of {value} and gave {body_bytes} bytes"
    return None
