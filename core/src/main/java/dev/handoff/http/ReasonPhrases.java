package dev.handoff.http;

import java.nio.charset.StandardCharsets;

/**
 * The usual status lines, with the reason phrases of RFC 9110 section 15 and its extensions, and
 * 418 of RFC 2324.
 */
public final class ReasonPhrases {
    private static final int FIRST = 200;
    private static final int END = 600;
    private static final int PHRASE_AT = "HTTP/1.1 200 ".length();

    private static final String PHRASES =
            """
            200 OK
            201 Created
            202 Accepted
            203 Non-Authoritative Information
            204 No Content
            205 Reset Content
            206 Partial Content
            207 Multi-Status
            208 Already Reported
            226 IM Used
            300 Multiple Choices
            301 Moved Permanently
            302 Found
            303 See Other
            304 Not Modified
            305 Use Proxy
            307 Temporary Redirect
            308 Permanent Redirect
            400 Bad Request
            401 Unauthorized
            402 Payment Required
            403 Forbidden
            404 Not Found
            405 Method Not Allowed
            406 Not Acceptable
            407 Proxy Authentication Required
            408 Request Timeout
            409 Conflict
            410 Gone
            411 Length Required
            412 Precondition Failed
            413 Content Too Large
            414 URI Too Long
            415 Unsupported Media Type
            416 Range Not Satisfiable
            417 Expectation Failed
            418 I'm a Teapot
            421 Misdirected Request
            422 Unprocessable Content
            423 Locked
            424 Failed Dependency
            425 Too Early
            426 Upgrade Required
            428 Precondition Required
            429 Too Many Requests
            431 Request Header Fields Too Large
            451 Unavailable For Legal Reasons
            500 Internal Server Error
            501 Not Implemented
            502 Bad Gateway
            503 Service Unavailable
            504 Gateway Timeout
            505 HTTP Version Not Supported
            506 Variant Also Negotiates
            507 Insufficient Storage
            508 Loop Detected
            510 Not Extended
            511 Network Authentication Required
            """;

    private static final byte[][] STATUS_LINES = statusLines();

    private ReasonPhrases() {}

    /** The status line with CRLF; not to be changed. The phrase is empty where none is usual. */
    static byte[] statusLine(int status) {
        return STATUS_LINES[status - FIRST];
    }

    /** The usual phrase of a final status, 200 to 599; empty where there is none. */
    public static String of(int status) {
        String line = new String(statusLine(status), StandardCharsets.US_ASCII);
        return line.substring(PHRASE_AT, line.length() - 2);
    }

    private static byte[][] statusLines() {
        byte[][] lines = new byte[END - FIRST][];
        for (int status = FIRST; status < END; status++) {
            // RFC 9112 section 4: the space stays even where the phrase is empty.
            lines[status - FIRST] = line(status + " ");
        }
        PHRASES.lines()
                .forEach(line -> lines[Integer.parseInt(line, 0, 3, 10) - FIRST] = line(line));
        return lines;
    }

    private static byte[] line(String statusAndReason) {
        return ("HTTP/1.1 " + statusAndReason + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }
}
