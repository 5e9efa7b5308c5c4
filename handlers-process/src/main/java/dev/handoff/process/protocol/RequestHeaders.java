package dev.handoff.process.protocol;

import dev.handoff.http.Headers;
import dev.handoff.http.HopByHop;
import dev.handoff.http.Request;
import jakarta.json.stream.JsonGenerator;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Decides which of a request's fields a worker sees. It drops the fields of the client's connection
 * and of the message's framing (RFC 9110 section 7.6.1). For every request that came with a body,
 * {@code content-length} is the length of the body in the frame. Where the body arrives only later,
 * the client's own field says what is to come.
 */
final class RequestHeaders {
    private static final Set<String> NO_NAMES = Set.of();

    private RequestHeaders() {}

    static void write(Request request, JsonGenerator json) {
        Headers headers = request.headers();
        Set<String> named = namedByConnection(headers);
        boolean lengthWritten = false;
        json.writeStartArray(Key.HEADERS.wireName);
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.name(i);
            switch (name) {
                case "expect", "http2-settings" -> {}
                case "content-length", "transfer-encoding" -> {
                    if (!lengthWritten) {
                        writeLength(request, json);
                    }
                    lengthWritten = true;
                }
                default -> {
                    if (!HopByHop.isHopByHop(name) && !named.contains(name)) {
                        MessageWriter.header(name, headers.value(i), json);
                    }
                }
            }
        }
        if (!lengthWritten && !request.body().isEmpty()) {
            writeLength(request, json);
        }
        json.writeEnd();
    }

    private static void writeLength(Request request, JsonGenerator json) {
        if (request.body().arriving() != null) {
            String announced = request.headers().first("content-length");
            if (announced == null) {
                MessageWriter.header("transfer-encoding", "chunked", json);
            } else {
                MessageWriter.header("content-length", announced, json);
            }
            return;
        }
        String length = Integer.toString(request.body().sizeBytes());
        MessageWriter.header("content-length", length, json);
    }

    /**
     * The names that the Connection fields list. Host is not among them, or a client could hide
     * where it sent the request.
     */
    private static Set<String> namedByConnection(Headers headers) {
        Set<String> named = NO_NAMES;
        for (int i = 0; i < headers.size(); i++) {
            if (headers.name(i).equals("connection") && !isUsual(headers.value(i))) {
                if (named.isEmpty()) {
                    named = new HashSet<>();
                }
                addNames(headers.value(i), named);
                named.remove("host");
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
            named.add(list.substring(from, to).strip().toLowerCase(Locale.ROOT));
            from = to + 1;
        }
    }
}
