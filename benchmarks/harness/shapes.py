"""What the clients send."""

from dataclasses import dataclass

Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Shape:
    """One kind of load. Every server is measured under it, and must answer it with the same body."""

    key: str
    title: str
    headers: Fields = ()
    """What is sent beside Host."""
    pipelined: int = 1
    """Requests that a connection sends at once, before it waits for all their answers."""
    expected_body: bytes = b"hello\n"


# With Host these are 15 fields, as a browser sends them when it opens a page of a site that has set cookies.
BROWSER_FIELDS: Fields = (
    ("Connection", "keep-alive"),
    ("sec-ch-ua", '"Chromium";v="140", "Not=A?Brand";v="24"'),
    ("sec-ch-ua-mobile", "?0"),
    ("sec-ch-ua-platform", '"Linux"'),
    ("Upgrade-Insecure-Requests", "1"),
    (
        "User-Agent",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    ),
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"),
    ("Sec-Fetch-Site", "same-origin"),
    ("Sec-Fetch-Mode", "navigate"),
    ("Sec-Fetch-User", "?1"),
    ("Sec-Fetch-Dest", "document"),
    ("Accept-Encoding", "gzip, deflate, br, zstd"),
    ("Accept-Language", "en-GB,en;q=0.9,de;q=0.7"),
    ("Cookie", "session=3f6c1a9be07d4e52a8f1; theme=dark; consent=2025-01-31T08:15:00Z"),
)

SHAPES = {
    shape.key: shape
    for shape in (
        Shape("hello", "hello, bare client"),
        Shape("browser", "hello, browser-like request of 15 fields", headers=BROWSER_FIELDS),
        Shape("pipelined", "hello, pipelined 16 deep", pipelined=16),
    )
}
DEFAULT_SHAPES = ("hello", "browser")
