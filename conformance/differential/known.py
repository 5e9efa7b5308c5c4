"""What is known about the peers: every way in which one may differ from Handoff, and why that is harmless."""

import re
from dataclasses import dataclass

from differential.outcomes import Outcome
from differential.verdicts import Kind, Verdict

ANY = re.compile(rb"")
# A chunk's size and extensions with white space, bad but allowed (BWS of RFC 9112 section 7.1.1).
SPACED_CHUNK = re.compile(rb"\n[0-9A-Fa-f]+(?:[^\n]*[ \t][^\n]*)\r\n")
EMPTY_EXPECT = re.compile(rb"(?i)expect:[ \t,]*\r\n")
TRAILERS = rb"(?i)\n0+[ \t]*(;[^\n]*)?\r\n([^\n]+\r\n)*"


@dataclass(frozen=True)
class Known:
    peer: str
    kind: Kind
    reason: re.Pattern[str]
    data: re.Pattern[bytes]
    """What the bytes of the case must have, where the reason alone says too little."""
    why: str

    def covers(self, peer: str, verdict: Verdict, outcome: Outcome) -> bool:
        return (
            (peer, verdict.kind) == (self.peer, self.kind)
            and self.reason.fullmatch(verdict.reason) is not None
            and self.data.search(outcome.case.data) is not None
        )


def _stricter(peer: str, reason: str, why: str, data: re.Pattern[bytes] = ANY) -> Known:
    return Known(peer, Kind.PEER_STRICTER, re.compile(reason), data, why)


KNOWN: list[Known] = [
    _stricter(
        "node:http",
        "HPE_INVALID_METHOD .*",
        "llhttp knows a list of methods; any token is one (RFC 9110 section 9.1), and which are served is the handler's business.",
    ),
    _stricter(
        "node:http",
        "HPE_INVALID_VERSION .*",
        "llhttp takes 1.0 and 1.1 alone; a higher minor version is to be read as 1.1 (RFC 9110 section 2.5).",
    ),
    _stricter(
        "node:http",
        "UPGRADE .*",
        "For llhttp HTTP ends with a request that names a protocol to upgrade to; a server may ignore that (RFC 9110 section 7.8).",
    ),
    _stricter(
        "node:http",
        "HPE_INVALID_(CONTENT_LENGTH Invalid character|TRANSFER_ENCODING Request has invalid) .*",
        "llhttp refuses a tab around these two values; it is white space like the blank (RFC 9110 section 5.6.3).",
        re.compile(rb"(?i)(content-length|transfer-encoding):[^\n]*\t"),
    ),
    _stricter(
        "node:http",
        "HPE_(INVALID_CONTENT_LENGTH|INVALID_TRANSFER_ENCODING|UNEXPECTED_CONTENT_LENGTH|CLOSED_CONNECTION) .*",
        "llhttp obeys framing and Connection in trailers, as if in the head; we drop trailers (RFC 9112 section 7.1.2).",
        re.compile(TRAILERS + rb"(content-length|transfer-encoding|(proxy-)?connection):"),
    ),
    _stricter(
        "h11",
        ".*(Content-Length|Transfer-Encoding).*",
        "h11 checks framing in trailers, as if in the head; we drop trailers (RFC 9112 section 7.1.2).",
        re.compile(TRAILERS + rb"(content-length|transfer-encoding):"),
    ),
    _stricter(
        "h11",
        "bad Content-Length",
        "h11 takes 20 digits at most; leading zeros change no number (RFC 9110 section 8.6).",
        re.compile(rb"(?i)content-length:[ \t]*0[0-9]{20}"),
    ),
    _stricter(
        "node:http",
        "HPE_(STRICT|INVALID_CHUNK_SIZE) Invalid character in chunk .*",
        "llhttp refuses white space in a chunk's extensions; it is bad, but to be read (RFC 9112 section 7.1.1).",
        SPACED_CHUNK,
    ),
    _stricter(
        "node:http",
        "Expectation Failed",
        "Node answers 417 to an Expect without a member; empty lists are to be ignored (RFC 9110 section 5.6.1.2).",
        EMPTY_EXPECT,
    ),
    _stricter(
        "h11",
        "illegal chunk header: .*",
        "h11 refuses white space behind a chunk's size; before an extension it is bad, but to be read (RFC 9112 section 7.1.1).",
        SPACED_CHUNK,
    ),
    _stricter(
        "h11",
        "no request line received",
        "h11 does not skip an empty line before a request; a server should (RFC 9112 section 2.2).",
    ),
    _stricter(
        "net/http",
        "400 Bad Request",
        "Go does not skip an empty line before a request; a server should (RFC 9112 section 2.2).",
        re.compile(
            rb"(?:\A(?:\r\n)*|[^\n]|\r\n\r\n)\r\n[^ \r\n]+ [^ \r\n]+ HTTP/"
            rb"|(?is:content-length:.*\r\n\r\n.*\r\n\r\n)[^ \r\n]+ [^ \r\n]+ HTTP/",
        ),
    ),
    _stricter(
        "net/http",
        "400 Bad Request",
        "Go decodes the path, and refuses a % without two hexadecimal digits; we hand the target over as it came.",
        re.compile(rb"(?m)^[^ \n]+ [^ \n]*%(?![0-9A-Fa-f]{2})[^ \n]* HTTP/"),
    ),
    _stricter(
        "net/http",
        "invalid byte in chunk length",
        "Go refuses white space behind a chunk's size; before an extension it is bad, but to be read (RFC 9112 section 7.1.1).",
        SPACED_CHUNK,
    ),
    _stricter(
        "net/http",
        "Expectation Failed",
        "Go answers 417 to an Expect without a member; empty lists are to be ignored (RFC 9110 section 5.6.1.2).",
        EMPTY_EXPECT,
    ),
    _stricter(
        "net/http",
        "Expectation Failed",
        "Go answers 417 to an unknown expectation of HTTP/1.0 as well, where it is to be ignored (RFC 9110 section 10.1.1).",
        re.compile(rb"(?i)HTTP/1.0\r\n([^\n]+\r\n)*expect:"),
    ),
    _stricter(
        "net/http",
        "400 Bad Request",
        "Go refuses a Trailer field that announces framing; we drop trailers (RFC 9112 section 7.1.2).",
        re.compile(rb"(?i)\ntrailer:[^\n]*(content-length|transfer-encoding|trailer)"),
    ),
    _stricter(
        "net/http",
        "http: suspiciously long trailer after chunked body",
        "Go takes trailers as long as its buffer, 4 KiB; we as long as a head.",
        re.compile(TRAILERS + rb"([^\n]{100,}\r\n)"),
    ),
    _stricter(
        "node:http",
        "HPE_HEADER_OVERFLOW .*",
        "Node takes heads of 16 KiB, we of 32 KiB.",
        re.compile(rb"(?s).{16000}"),
    ),
    _stricter(
        "Jetty",
        "URI Too Long|Request Header Fields Too Large",
        "Jetty takes heads of 8 KiB, we of 32 KiB.",
        re.compile(rb"(?s).{8000}"),
    ),
    _stricter(
        "Jetty",
        "Ambiguous URI .*(, Ambiguous URI .*)*",
        "Jetty refuses paths that servlets would read in two ways; we hand the target over as it came.",
    ),
    _stricter(
        "Jetty",
        "Bad Request|Suspicious Path Character|Bad UTF-8 encoding",
        "Jetty decodes the path, and refuses escaped controls, what is no UTF-8, a % without two digits, and a path that leads above its root; we hand"
        " the target over as it came.",
        re.compile(
            rb"(?mi)^[^ \n]+ [^ \n]*(?:%[0189a-f]|%(?![0-9a-f]{2})|%7f|/(?:\.|%2e)(?:\.|%2e))[^ \n]* HTTP/",
        ),
    ),
    _stricter(
        "Jetty",
        "Illegal Path Character",
        "Jetty refuses a raw vertical bar in a path, which browsers send (WHATWG URL); `--strict-targets` refuses it here.",
        re.compile(rb"(?m)^[^ \n]+ [^ ?\n]*\|"),
    ),
    _stricter(
        "Jetty",
        "Authority!=Host",
        "Jetty wants Host to be the authority of an absolute target; it is to be replaced by that (RFC 9112 section 3.2.2).",
        re.compile(rb"(?mi)^[^ \n]+ https?://"),
    ),
    _stricter(
        "Jetty",
        "Bad HostPort",
        "Jetty refuses an empty port and port 0, which are valid (RFC 3986 section 3.2.3).",
        re.compile(rb"(?i)host:[^\n]*:0*[ \t]*\r\n|https?://[^/? \n]*:0*[/? ]"),
    ),
    _stricter(
        "Jetty",
        "Unknown Version",
        "Jetty takes 1.0 and 1.1 alone; a higher minor version is to be read as 1.1 (RFC 9110 section 2.5).",
        re.compile(rb"HTTP/1\.[2-9]"),
    ),
    _stricter(
        "Jetty",
        "Invalid h2c upgrade headers",
        "Jetty checks that Connection names Upgrade and HTTP2-Settings; a server may ignore an upgrade (RFC 9110 section 7.8).",
    ),
    Known(
        "Jetty",
        Kind.DIFFERENT_END,
        re.compile("number"),
        re.compile(TRAILERS + rb"\r?\Z"),
        "Jetty takes a body for complete whose last chunk has come, where the input ends in the trailers; nothing can follow it.",
    ),
    Known(
        "Jetty",
        Kind.DIFFERENT_END,
        re.compile("target"),
        re.compile(rb"(?m)^OPTIONS (?i:https?)://[^/ \n]* HTTP/"),
        "OPTIONS of a URI without a path is OPTIONS * (RFC 9112 section 3.2.4); Jetty gives it the path /. The end is the same.",
    ),
]

# Without an explanation: where one refuses or closes while the other accepts or goes on, no message has two ends. That the peer
# refuses what we accept is looked at all the same, since we might be too lenient.
HARMLESS = (Kind.SAME, Kind.OURS_STRICTER, Kind.OURS_SOONER, Kind.PEER_SOONER, Kind.OURS_CLOSES, Kind.PEER_CLOSES)


def explanation(peer: str, outcome: Outcome) -> Known | None:
    verdict = outcome.verdicts[peer]
    return next((known for known in KNOWN if known.covers(peer, verdict, outcome)), None)


def needs_explanation(kind: Kind) -> bool:
    return kind not in HARMLESS
