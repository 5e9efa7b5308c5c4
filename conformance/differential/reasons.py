"""Why we refuse or close where a peer does not, and the other way round where that needs no looking at."""

from differential.verdicts import Kind

CLOSES = {
    (
        "node:http",
        Kind.OURS_CLOSES,
    ): "In HTTP/1.0 llhttp obeys keep-alive beside close, and it reads Proxy-Connection like Connection.",
    (
        "node:http",
        Kind.PEER_CLOSES,
    ): "llhttp reads Proxy-Connection like Connection, and keep-alive only as a whole value.",
    ("h11", Kind.PEER_CLOSES): "h11 always closes behind HTTP/1.0, with keep-alive too.",
    ("net/http", Kind.OURS_CLOSES): "Go finds keep-alive as a word within an option of Connection, also beside close.",
    ("net/http", Kind.PEER_CLOSES): "Go finds close as a word within an option of Connection.",
    (
        "Jetty",
        Kind.PEER_CLOSES,
    ): "Jetty closes behind Expect: 100-continue if nobody waited for the 100, content or not.",
}
"""Why only one of two servers closes, by announcement, behind a message that both accept."""

OUR_RULES = {
    "bad_chunk_extension": "Extensions have the grammar of RFC 9112 section 7.1.1; the peer skips to what it"
    " takes for the end of the line, or takes white space without an extension.",
    "bad_chunk_size": "A size is 1 to 16 hexadecimal digits; the peer takes as many zeros as come.",
    "bad_chunk_end": "Behind a chunk's data stands CRLF; the peer takes something else there.",
    "bad_content_length": "Digits only; the peer takes a list of equal values for one, or an empty one for none.",
    "bad_header_name": "A name is a token; the peer takes something else.",
    "bad_header_value": "A value has no control characters (RFC 9110 section 5.5); the peer refuses only some.",
    "bad_host": "Host is a host with an optional port (RFC 9112 section 3.2 wants a 400); the peer doesn't look, or less closely.",
    "bad_method": "A token, and eight empty lines before it at most; the peer skips more lines, or takes more characters.",
    "bad_target": "Characters that browsers send, and a form that fits the method; the peer takes others, several blanks, or GET *.",
    "bad_version": "HTTP/ and two digits, upper-case; the peer takes lower case, or a line without a version.",
    "bare_cr": "A carriage return stands before a line feed or nowhere; the peer skips it.",
    "bare_lf": "Lines end with CRLF; the peer takes LF alone, as RFC 9112 section 2.2 permits, and smugglers hope for.",
    "body_too_large": "Our limit is 8 MiB.",
    "chunk_extension_too_long": "Our limit is 1 KiB for each body.",
    "chunked_not_last": "The list is chunked and nothing else; the peer skips empty elements, or takes an empty list for none.",
    "connect_unsupported": "We are no proxy; the peer leaves that to its application.",
    "duplicate_content_length": "One line; the peer takes several that are equal, as RFC 9110 section 8.6 permits.",
    "duplicate_host": "RFC 9112 section 3.2 wants a 400; the peer takes one of them.",
    "head_too_large": "Our limit is 32 KiB.",
    "https_without_tls": "RFC 9110 section 7.4 wants https refused where there is no TLS; the peer takes the path and leaves the scheme"
    " to its application.",
    "length_with_transfer_encoding": "The peer obeys Transfer-Encoding, as RFC 9112 section 6.3 permits if it then closes.",
    "lower_case_method": "Every registered method is in upper case; the peer leaves the others to its application.",
    "missing_host": "RFC 9112 section 3.2 wants a 400; the peer lets some requests pass.",
    "obsolete_fold": "RFC 9112 section 5.2 permits to refuse it or to unfold it, as the peer does.",
    "space_before_colon": "RFC 9112 section 5.1 wants a 400; the peer does not keep to it in trailers.",
    "target_too_long": "Our limit is 8 KiB.",
    "too_many_fields": "Our limit is 100.",
    "trailers_too_large": "Our limits are those of a head.",
    "transfer_encoding_in_1_0": "Such framing is faulty (RFC 9112 section 6.1); the peer obeys or ignores it.",
    "unknown_expectation": "We answer 417, as RFC 9110 section 10.1.1 permits; the peer ignores it, or finds 100-continue in it.",
    "unknown_transfer_coding": "We know chunked alone, and answer 501; the peer hands over what it did not decode.",
    "unsupported_version": "We answer 505; the peer reads HTTP/2.0, HTTP/0.9 and others like 1.1.",
}
"""Why we refuse what a peer accepts, by the names of the rules in Handoff-Error."""
