package dev.handoff.server.files;

import dev.handoff.http.Headers;
import dev.handoff.http.HttpDate;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a request for a file asks of it before it wants it (RFC 9110 section 13). For GET and HEAD
 * alone.
 *
 * @param tag of the representation that would be sent
 * @param modifiedSeconds when it was written, since 1970; {@link #UNKNOWN} if that is not told
 * @param nowSeconds since 1970
 */
record Preconditions(EntityTag tag, long modifiedSeconds, long nowSeconds) {
    static final long UNKNOWN = Long.MIN_VALUE;

    /** What becomes of the request. */
    enum Verdict {
        /** 200, or 206. */
        SEND,
        /** 304. */
        NOT_MODIFIED,
        /** 412. */
        FAILED
    }

    /** Section 13.2.2, steps 1 to 4 in this order. */
    Verdict judge(Headers request) {
        String match = list(request, "if-match");
        OptionalLong unmodifiedSince = date(request, "if-unmodified-since");
        if (match != null) {
            if (!isAny(match) && !tag.isIn(match, true)) {
                return Verdict.FAILED;
            }
        } else if (unmodifiedSince.isPresent() && modifiedSeconds > unmodifiedSince.getAsLong()) {
            return Verdict.FAILED;
        }
        String noneMatch = list(request, "if-none-match");
        OptionalLong modifiedSince = date(request, "if-modified-since");
        if (noneMatch != null) {
            return isAny(noneMatch) || tag.isIn(noneMatch, false)
                    ? Verdict.NOT_MODIFIED
                    : Verdict.SEND;
        }
        return modifiedSince.isPresent() && modifiedSeconds <= modifiedSince.getAsLong()
                ? Verdict.NOT_MODIFIED
                : Verdict.SEND;
    }

    /**
     * Step 5: whether a Range field counts. Section 13.1.5 has the validators compared strongly: a
     * tag that is weak, or a time that other content may bear, names no content to continue.
     */
    boolean allowRange(Headers request) {
        List<String> given = request.all("if-range");
        if (given.isEmpty()) {
            return true;
        }
        if (given.size() > 1 || tag.weak()) {
            return false;
        }
        String validator = given.getFirst();
        if (validator.startsWith("\"") || validator.startsWith("W/")) {
            return validator.equals(tag.toString());
        }
        OptionalLong date = HttpDate.parse(validator, nowSeconds);
        return date.isPresent() && date.getAsLong() == modifiedSeconds;
    }

    private static boolean isAny(String list) {
        return list.equals("*");
    }

    /** All field lines of a list as one (section 5.3); null for none. */
    private static @Nullable String list(Headers request, String name) {
        List<String> lines = request.all(name);
        return lines.isEmpty() ? null : String.join(",", lines);
    }

    /**
     * Sections 13.1.3 and 13.1.4: a value that is no date is ignored. So are two, as nobody knows
     * which one is meant.
     */
    private OptionalLong date(Headers request, String name) {
        List<String> given = request.all(name);
        return given.size() == 1 && modifiedSeconds != UNKNOWN
                ? HttpDate.parse(given.getFirst(), nowSeconds)
                : OptionalLong.empty();
    }
}
