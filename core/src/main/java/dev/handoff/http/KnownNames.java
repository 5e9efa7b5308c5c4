package dev.handoff.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * The methods and field names that clients usually send, so that these need no new String. It
 * returns field names in lower-case, known or not.
 */
final class KnownNames {
    private static final Known[] METHODS =
            known("GET POST HEAD PUT DELETE PATCH OPTIONS TRACE CONNECT");

    private static final Known[] FIELDS =
            known(
                    """
                    Accept Accept-Charset Accept-Encoding Accept-Language Access-Control-Request-Headers
                    Access-Control-Request-Method Access-Control-Request-Private-Network Authorization
                    Cache-Control CF-Connecting-IP Connection Content-Disposition Content-Encoding
                    Content-Language Content-Length Content-Location Content-MD5 Content-Type Cookie Date
                    DNT Expect Forwarded From Host HTTP2-Settings If-Match If-Modified-Since If-None-Match
                    If-Range If-Unmodified-Since Keep-Alive Last-Event-ID Max-Forwards Origin Pragma Priority
                    Proxy-Authorization Proxy-Connection Range Referer Save-Data Sec-CH-UA Sec-CH-UA-Arch
                    Sec-CH-UA-Full-Version-List Sec-CH-UA-Mobile Sec-CH-UA-Model Sec-CH-UA-Platform
                    Sec-CH-UA-Platform-Version Sec-Fetch-Dest Sec-Fetch-Mode Sec-Fetch-Site Sec-Fetch-User
                    Sec-GPC Sec-Purpose Sec-WebSocket-Extensions Sec-WebSocket-Key Sec-WebSocket-Protocol
                    Sec-WebSocket-Version TE Traceparent Tracestate Trailer Transfer-Encoding Upgrade
                    Upgrade-Insecure-Requests User-Agent Via X-Amzn-Trace-Id X-API-Key X-B3-Sampled
                    X-B3-SpanId X-B3-TraceId X-Correlation-ID X-CSRF-Token X-Forwarded-For X-Forwarded-Host
                    X-Forwarded-Port X-Forwarded-Proto X-HTTP-Method-Override X-Real-IP X-Request-ID
                    X-Requested-With
                    """);

    private static final int SLOTS = 256;

    /** The fields by {@link #slot}; few slots hold more than one. */
    private static final Known[][] FIELDS_BY_SLOT = bySlot();

    private KnownNames() {}

    /** One name, as it is written above and in lower-case, each as text and as bytes. */
    private static final class Known {
        final String text;
        final byte[] bytes;
        final String lowerText;
        final byte[] lower;

        Known(String text) {
            this.text = text;
            this.bytes = text.getBytes(StandardCharsets.US_ASCII);
            this.lowerText = text.toLowerCase(Locale.ROOT);
            this.lower = lowerText.getBytes(StandardCharsets.US_ASCII);
        }
    }

    /** The method token in {@code bytes}; methods are case-sensitive. */
    static String method(byte[] bytes, int from, int to) {
        for (Known known : METHODS) {
            if (Arrays.equals(known.bytes, 0, known.bytes.length, bytes, from, to)) {
                return known.text;
            }
        }
        return CharTables.text(bytes, from, to);
    }

    /** The field name in {@code bytes}, which is not empty, in lower-case. */
    static String fieldName(byte[] bytes, int from, int to) {
        for (Known known : FIELDS_BY_SLOT[slot(bytes, from, to)]) {
            if (equalsIgnoringCase(known.lower, bytes, from, to)) {
                return known.lowerText;
            }
        }
        byte[] lower = new byte[to - from];
        for (int i = 0; i < lower.length; i++) {
            lower[i] = CharTables.lower(bytes[from + i]);
        }
        return CharTables.text(lower, 0, lower.length);
    }

    private static boolean equalsIgnoringCase(byte[] lower, byte[] bytes, int from, int to) {
        if (lower.length != to - from) {
            return false;
        }
        for (int i = 0; i < lower.length; i++) {
            if (lower[i] != CharTables.lower(bytes[from + i])) {
                return false;
            }
        }
        return true;
    }

    /** A hash of length, first and last byte that does not see their case. */
    private static int slot(byte[] bytes, int from, int to) {
        int first = bytes[from] & 0x1f;
        int last = bytes[to - 1] & 0x1f;
        return (7 * (to - from) + 5 * first + 31 * last) & (SLOTS - 1);
    }

    private static Known[] known(String words) {
        return Arrays.stream(words.strip().split("\\s+")).map(Known::new).toArray(Known[]::new);
    }

    private static Known[][] bySlot() {
        Known[][] slots = new Known[SLOTS][];
        Arrays.fill(slots, new Known[0]);
        for (Known known : FIELDS) {
            int slot = slot(known.lower, 0, known.lower.length);
            slots[slot] = Arrays.copyOf(slots[slot], slots[slot].length + 1);
            slots[slot][slots[slot].length - 1] = known;
        }
        return slots;
    }
}
