package dev.handoff.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/**
 * Property: in the head of a response that passes the rules, a reader finds a status line, the
 * handler's fields as they are but for those that the server owns, then the server's, and an empty
 * line at the very end: no line end that a handler was made to give away gets through.
 *
 * <p>The input is UTF-8 text, in parts with a tilde between: status, reason, body, name, value,
 * name, value, … Letters behind the status: {@code r} the reason counts, {@code h} for HEAD, {@code
 * c} closes, {@code k} says keep-alive.
 */
public final class ResponseFuzz {
    private static final String SEPARATOR = "~";
    private static final int MOST_DIGITS = 4;
    private static final byte[] DATE =
            "Thu, 01 Jan 1970 00:00:00 GMT".getBytes(StandardCharsets.US_ASCII);

    private static final Set<String> NEVER_THE_HANDLERS =
            Set.of(
                    "te",
                    "trailer",
                    "upgrade",
                    "connection",
                    "keep-alive",
                    "content-length",
                    "proxy-connection",
                    "transfer-encoding");

    private ResponseFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        String[] parts = new String(input, StandardCharsets.UTF_8).split(SEPARATOR, -1);
        String flags = parts[0];
        Response response = response(parts);
        if (ResponseFault.of(response) != null) {
            return;
        }
        ByteBuffer out = ByteBuffer.allocate(ResponseEncoder.headBoundBytes(response));
        ResponseEncoder.encodeHead(
                response,
                flags.indexOf('h') >= 0,
                flags.indexOf('c') >= 0,
                flags.indexOf('k') >= 0,
                DATE,
                out);
        String head = new String(out.array(), 0, out.position(), StandardCharsets.ISO_8859_1);
        requireLines(response, head.split("\r\n", -1));
    }

    private static Response response(String[] parts) {
        int status = 0;
        for (int i = 0; i < Math.min(MOST_DIGITS, parts[0].length()); i++) {
            char c = parts[0].charAt(i);
            status = c >= '0' && c <= '9' ? 10 * status + c - '0' : status;
        }
        boolean hasReason = parts.length > 1 && parts[0].indexOf('r') >= 0;
        Headers.Builder headers = new Headers.Builder();
        for (int i = 3; i + 1 < parts.length; i += 2) {
            headers.add(parts[i], parts[i + 1]);
        }
        return new Response(
                status,
                hasReason ? parts[1] : null,
                headers.build(),
                parts.length > 2 ? Body.utf8(parts[2]) : Body.EMPTY);
    }

    private static void requireLines(Response response, String[] lines) {
        require(lines.length >= 3, "there is no end");
        for (int i = 0; i < lines.length; i++) {
            require(lines[i].indexOf('\r') < 0 && lines[i].indexOf('\n') < 0, "a bare line end");
            require(lines[i].isEmpty() == (i >= lines.length - 2), "an empty line within");
        }
        require(lines[0].startsWith("HTTP/1.1 " + response.status() + " "), "the status");

        int at = 1;
        boolean dated = false;
        boolean upgrading = false;
        Headers headers = response.headers();
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.name(i).toLowerCase(Locale.ROOT);
            boolean upgrade = name.equals("upgrade") && response.status() == 426;
            if (NEVER_THE_HANDLERS.contains(name) && !upgrade) {
                continue;
            }
            if (name.equals("date") && (dated || headers.value(i).isEmpty())) {
                continue;
            }
            dated |= name.equals("date");
            if (upgrade && !upgrading) {
                require(lines[at++].equals("Connection: upgrade"), "the option of Upgrade");
                upgrading = true;
            }
            require(lines[at++].equals(headers.name(i) + ": " + headers.value(i)), "a field");
        }
        at += !dated && lines[at].startsWith("Date: ") ? 1 : 0;
        at += lines[at].startsWith("Content-Length: ") ? 1 : 0;
        at += lines[at].startsWith("Connection: ") ? 1 : 0;
        require(at == lines.length - 2, "a field too many");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
