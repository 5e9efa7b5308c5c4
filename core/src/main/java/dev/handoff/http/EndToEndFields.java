package dev.handoff.http;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Decides which fields of a parsed message are passed on. It drops the fields of the client's
 * connection and of the message's framing (RFC 9110 section 7.6.1). For every request that came
 * with a body, {@code content-length} is the length of the body that is passed on. Where the body
 * arrives only later, the client's own field says what is to come.
 */
public final class EndToEndFields {
    /** Takes one field. */
    @FunctionalInterface
    public interface Taker {
        /**
         * @param name in lower-case
         */
        void field(String name, String value);
    }

    private static final Set<String> NO_NAMES = Set.of();

    private static final Set<String> FOR_THE_HANDLER =
            Set.of("host", "authorization", "x-request-id");

    private EndToEndFields() {}

    /** Passes on the fields of a request in their order. */
    public static void forEach(Request request, Taker taker) {
        Headers headers = request.headers();
        Set<String> named = namedByConnection(headers);
        boolean lengthPassed = false;
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.name(i);
            switch (name) {
                case "expect", "http2-settings" -> {}
                case "content-length", "transfer-encoding" -> {
                    if (!lengthPassed) {
                        passLength(request, taker);
                    }
                    lengthPassed = true;
                }
                default -> {
                    if (!HopByHop.isHopByHop(name) && !named.contains(name)) {
                        taker.field(name, headers.value(i));
                    }
                }
            }
        }
        if (!lengthPassed && !request.body().isEmpty()) {
            passLength(request, taker);
        }
    }

    /**
     * The fields of a response of another server without those that its Connection fields name. The
     * others that speak of one connection are {@link HopByHop known}. {@link
     * ErrorMessage#CODE_FIELD} goes too: clients take it for this server's own word.
     */
    public static Headers of(Headers response) {
        Set<String> named = namedByConnection(response);
        if (named.isEmpty() && !response.contains(ErrorMessage.CODE_FIELD)) {
            return response;
        }
        Headers.Builder kept = new Headers.Builder();
        for (int i = 0; i < response.size(); i++) {
            String name = response.name(i);
            if (!named.contains(name) && !name.equals(ErrorMessage.CODE_FIELD)) {
                kept.add(response.name(i), response.value(i));
            }
        }
        return kept.build();
    }

    private static void passLength(Request request, Taker taker) {
        if (request.body().arriving() != null) {
            String announced = request.headers().first("content-length");
            if (announced == null) {
                taker.field("transfer-encoding", "chunked");
            } else {
                taker.field("content-length", announced);
            }
            return;
        }
        taker.field("content-length", Integer.toString(request.body().sizeBytes()));
    }

    /**
     * The names that the Connection fields list. Fields that are meant for whoever handles the
     * request are not among them, or a client could hide where it sent the request, or what a proxy
     * in front says of it.
     */
    private static Set<String> namedByConnection(Headers headers) {
        Set<String> named = NO_NAMES;
        for (int i = 0; i < headers.size(); i++) {
            if (headers.name(i).equals("connection") && !isUsual(headers.value(i))) {
                if (named.isEmpty()) {
                    named = new HashSet<>();
                }
                addNames(headers.value(i), named);
            }
        }
        return named;
    }

    private static boolean isUsual(String value) {
        return value.equalsIgnoreCase("keep-alive") || value.equalsIgnoreCase("close");
    }

    private static void addNames(String list, Set<String> named) {
        int from = 0;
        while (from < list.length()) {
            int comma = list.indexOf(',', from);
            int to = comma < 0 ? list.length() : comma;
            String name = list.substring(from, to).strip().toLowerCase(Locale.ROOT);
            if (!FOR_THE_HANDLER.contains(name) && !ClientFields.isOne(name)) {
                named.add(name);
            }
            from = to + 1;
        }
    }
}
