package dev.handoff.http;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads a request line (RFC 9112 section 3). The bytes may come in any portions.
 *
 * <pre>
 * request-line = method SP request-target SP HTTP-version CRLF
 *
 *     METHOD ──SP──&gt; TARGET ──SP──&gt; VERSION ──CR──&gt; LF ──LF──&gt; DONE
 *        └──────────────┴──────────────┴────────────┴────&gt; REFUSED
 * </pre>
 */
final class RequestLineParser {
    private enum State {
        METHOD,
        TARGET,
        VERSION,
        LF,
        DONE,
        REFUSED
    }

    private static final byte[] VERSION_NAME = "HTTP/".getBytes(StandardCharsets.US_ASCII);
    private static final int MAJOR_AT = VERSION_NAME.length;
    private static final int DOT_AT = MAJOR_AT + 1;
    private static final int MINOR_AT = DOT_AT + 1;

    private final int maxTargetBytes;
    private final boolean[] pathSet;
    private final boolean[] querySet;
    private final boolean servesHttps;
    private final Fragment fragment;

    private State state = State.METHOD;
    private String method = "";
    private String rawTarget = "";

    /** The characters that may come next: those of a path up to the first question mark. */
    private boolean[] targetSet;

    private @Nullable RequestTarget target;
    private int versionAt;
    private byte major;
    private byte minor;
    private @Nullable Refusal refusal;

    RequestLineParser(ParserLimits limits, boolean servesHttps, Fragment fragment) {
        this.maxTargetBytes = limits.targetBytes();
        this.pathSet = limits.strictTargets() ? CharTables.STRICT_PATH : CharTables.PATH;
        this.querySet = limits.strictTargets() ? CharTables.STRICT_QUERY : CharTables.QUERY;
        this.targetSet = pathSet;
        this.servesHttps = servesHttps;
        this.fragment = fragment;
    }

    /** Reads on; returns the index behind the last byte taken. */
    int parse(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to) {
            switch (state) {
                case METHOD -> at = method(bytes, at, to);
                case TARGET -> at = target(bytes, at, to);
                case VERSION -> at = version(bytes, at, to);
                case LF -> at = lineFeed(bytes[at], at);
                case DONE, REFUSED -> {
                    return at;
                }
            }
        }
        return at;
    }

    boolean isDone() {
        return state == State.DONE;
    }

    boolean isInMethod() {
        return state == State.METHOD;
    }

    @Nullable Refusal refusal() {
        return refusal;
    }

    String method() {
        return method;
    }

    /** The target as sent; empty until it is complete. */
    String rawTarget() {
        return rawTarget;
    }

    RequestTarget target() {
        if (target == null) {
            throw new IllegalStateException("the request line is not complete");
        }
        return target;
    }

    HttpVersion version() {
        return minor == '0' ? HttpVersion.HTTP_1_0 : HttpVersion.HTTP_1_1;
    }

    void reset() {
        state = State.METHOD;
        method = "";
        rawTarget = "";
        target = null;
        targetSet = pathSet;
        versionAt = 0;
        refusal = null;
        fragment.clear();
    }

    private int method(byte[] bytes, int from, int to) {
        int end = CharTables.skip(CharTables.TOKEN, bytes, from, to);
        if (end == to) {
            fragment.append(bytes, from, to);
            return to;
        }
        if (bytes[end] != ' ' || (end == from && fragment.isEmpty())) {
            return refuse(Refusal.BAD_METHOD, end);
        }
        method = fragment.complete(bytes, from, end, KnownNames::method);
        state = State.TARGET;
        return end + 1;
    }

    private int target(byte[] bytes, int from, int to) {
        int room = maxTargetBytes - fragment.length();
        int limit = to - from > room ? from + room : to;
        int end = CharTables.skip(targetSet, bytes, from, limit);
        if (end < limit && bytes[end] == '?') {
            // Only the first question mark comes here: in a query it is a character like any other.
            targetSet = querySet;
            end = CharTables.skip(targetSet, bytes, end, limit);
        }
        if (end == to) {
            fragment.append(bytes, from, to);
            return to;
        }
        if (bytes[end] != ' ') {
            return refuse(afterTarget(bytes[end]), end);
        }
        rawTarget = fragment.complete(bytes, from, end, CharTables::text);
        if (rawTarget.isEmpty()) {
            return refuse(Refusal.BAD_TARGET, end);
        }
        state = State.VERSION;
        return end + 1;
    }

    /** The refusal for a byte that is not the space after the target. */
    private Refusal afterTarget(byte b) {
        if (targetSet[b & 0xff] || b == '?') {
            return Refusal.TARGET_TOO_LONG;
        }
        // A line without a version is HTTP/0.9, whose responses have no head to put a refusal in.
        return b == '\r' || b == '\n' ? Refusal.BAD_VERSION : Refusal.BAD_TARGET;
    }

    /** HTTP-version = "HTTP" "/" DIGIT "." DIGIT; the name is case-sensitive. */
    private int version(byte[] bytes, int from, int to) {
        for (int at = from; at < to; at++, versionAt++) {
            byte b = bytes[at];
            if (versionAt < MAJOR_AT) {
                if (b != VERSION_NAME[versionAt]) {
                    return refuse(Refusal.BAD_VERSION, at);
                }
            } else if (versionAt == MAJOR_AT && CharTables.isDigit(b)) {
                major = b;
            } else if (versionAt == MINOR_AT && CharTables.isDigit(b)) {
                minor = b;
            } else if (versionAt > MINOR_AT && b == '\r') {
                state = State.LF;
                return at + 1;
            } else if (versionAt != DOT_AT || b != '.') {
                boolean bareLf = versionAt > MINOR_AT && b == '\n';
                return refuse(bareLf ? Refusal.BARE_LF : Refusal.BAD_VERSION, at);
            }
        }
        return to;
    }

    private int lineFeed(byte b, int at) {
        if (b != '\n') {
            return refuse(Refusal.BARE_CR, at);
        }
        // Check the version first: the preface of HTTP/2 has a target that is wrong in HTTP/1.
        if (major != '1') {
            return refuse(Refusal.UNSUPPORTED_VERSION, at);
        }
        // Routes and filters compare methods as they are; ASGI, Fetch and others upper-case them.
        if (CharTables.hasLowerCase(method)) {
            return refuse(Refusal.LOWER_CASE_METHOD, at);
        }
        if (method.equals("CONNECT")) {
            return refuse(Refusal.CONNECT_UNSUPPORTED, at);
        }
        if (!servesHttps && RequestTarget.isHttps(rawTarget)) {
            return refuse(Refusal.HTTPS_WITHOUT_TLS, at);
        }
        target = RequestTarget.of(method, rawTarget);
        if (target == null) {
            return refuse(Refusal.BAD_TARGET, at);
        }
        state = State.DONE;
        return at + 1;
    }

    private int refuse(Refusal why, int at) {
        refusal = why;
        state = State.REFUSED;
        return at + 1;
    }
}
