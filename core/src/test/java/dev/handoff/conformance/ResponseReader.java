package dev.handoff.conformance;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes what a client received apart into responses, and is as strict as a test has to be. */
final class ResponseReader {
    private static final String HEAD_END = "\r\n\r\n";
    private static final Pattern STATUS_LINE =
            Pattern.compile("HTTP/1\\.1 ([1-5][0-9]{2}) ([ -~]*)");
    private static final Pattern FIELD =
            Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([^\\x00-\\x08\\n-\\x1f\\x7f]*)");

    private final byte[] received;
    private final String text;
    private int at;

    /**
     * @param fields with names in lower case
     */
    record Received(int status, Headers fields, Body content) {}

    ResponseReader(byte[] received) {
        this.received = received;
        this.text = new String(received, StandardCharsets.ISO_8859_1);
    }

    boolean hasMore() {
        return at < received.length;
    }

    /** All that was not read. */
    String rest() {
        return Escapes.encode(Arrays.copyOfRange(received, at, received.length));
    }

    /**
     * @param hasContent false for a response whose Content-Length is about another
     * @throws IllegalArgumentException if what came is no complete response; it is the rest then
     */
    Received next(boolean hasContent) {
        int headEnd = text.indexOf(HEAD_END, at);
        require(headEnd >= 0, "no end of a head");
        String[] lines = text.substring(at, headEnd).split("\r\n", -1);
        Matcher statusLine = STATUS_LINE.matcher(lines[0]);
        require(statusLine.matches(), "no status line");
        int status = Integer.parseInt(statusLine.group(1));
        Headers.Builder builder = new Headers.Builder();
        for (int i = 1; i < lines.length; i++) {
            Matcher field = FIELD.matcher(lines[i]);
            require(field.matches(), "no field line");
            builder.add(field.group(1).toLowerCase(Locale.ROOT), field.group(2));
        }
        Headers fields = builder.build();
        int start = headEnd + HEAD_END.length();
        int length = hasContent && mayHaveContent(status) ? contentLength(fields) : 0;
        require(length <= received.length - start, "content that ends early");
        at = start + length;
        return new Received(status, fields, Body.of(Arrays.copyOfRange(received, start, at)));
    }

    private static boolean mayHaveContent(int status) {
        return status >= 200 && status != 204 && status != 304;
    }

    /** Nothing else says where content ends: the server writes no chunks. */
    private static int contentLength(Headers fields) {
        String length = String.join(",", fields.all("content-length"));
        require(length.matches("[0-9]{1,9}"), "no single Content-Length");
        return Integer.parseInt(length);
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
