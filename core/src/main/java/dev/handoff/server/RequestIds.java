package dev.handoff.server;

import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import java.security.SecureRandom;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The name of a request in logs: the client's {@code X-Request-Id}, or one that is made here.
 * Belongs to one loop's thread, but for {@link #given}.
 */
final class RequestIds {
    private static final String FIELD = "x-request-id";
    private static final int MOST_CHARACTERS = 128;

    /** Random enough to be unique, but not a secret: it can be guessed. */
    private final SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());

    /**
     * The id that the client gave: one field line of 1 to 128 visible ASCII characters, so that it
     * is one word in every log. Null without such a one.
     */
    static @Nullable String given(Headers headers) {
        String given = null;
        for (int i = 0; i < headers.size(); i++) {
            if (headers.name(i).equals(FIELD)) {
                if (given != null) {
                    return null;
                }
                given = headers.value(i);
            }
        }
        return given != null && isSane(given) ? given : null;
    }

    /** The request with one X-Request-Id: the client's if it is usable, otherwise a new one. */
    Request named(Request request) {
        Headers headers = request.headers();
        if (given(headers) != null) {
            return request;
        }
        Headers.Builder renamed = new Headers.Builder();
        for (int i = 0; i < headers.size(); i++) {
            if (!headers.name(i).equals(FIELD)) {
                renamed.add(headers.name(i), headers.value(i));
            }
        }
        renamed.add(FIELD, next());
        return new Request(
                request.method(),
                request.target(),
                request.version(),
                renamed.build(),
                request.body());
    }

    /** The response with its request's id, unless the handler gave one. */
    static Response echo(@Nullable String id, Response response) {
        Headers headers = response.headers();
        if (id == null || headers.contains(FIELD)) {
            return response;
        }
        Headers.Builder more = new Headers.Builder();
        for (int i = 0; i < headers.size(); i++) {
            more.add(headers.name(i), headers.value(i));
        }
        more.add(FIELD, id);
        return new Response(response.status(), response.reason(), more.build(), response.body());
    }

    /** Looks like a random UUID (RFC 9562 section 5.4). */
    private String next() {
        long version4 = (random.nextLong() & ~0xf000L) | 0x4000L;
        long variant = (random.nextLong() & ~(3L << 62)) | (1L << 63);
        return new UUID(version4, variant).toString();
    }

    private static boolean isSane(String id) {
        for (int i = 0; i < id.length(); i++) {
            if (id.charAt(i) <= ' ' || id.charAt(i) >= 0x7f) {
                return false;
            }
        }
        return !id.isEmpty() && id.length() <= MOST_CHARACTERS;
    }
}
