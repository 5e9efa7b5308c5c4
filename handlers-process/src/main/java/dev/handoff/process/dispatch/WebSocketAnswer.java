package dev.handoff.process.dispatch;

import dev.handoff.http.EndToEndFields;
import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import dev.handoff.http.websocket.Handshake;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a server answers that accepts a WebSocket (RFC 6455 section 4.1). */
final class WebSocketAnswer {
    /** The core has agreed on these with its own client. */
    private static final Set<String> OF_CONNECTION =
            Set.of(
                    "connection",
                    "upgrade",
                    "sec-websocket-accept",
                    "sec-websocket-extensions",
                    "content-length");

    private WebSocketAnswer() {}

    /** What is wrong with it, in words; null if nothing is. */
    static @Nullable String faultOf(Request request, Headers headers) {
        if (!(Handshake.of(request) instanceof Handshake.Offer offer)) {
            return "it switches protocols, which nobody asked for";
        }
        if (!"websocket".equalsIgnoreCase(headers.first("upgrade"))) {
            return "it switches to another protocol than websocket";
        }
        if (!offer.accept().equals(headers.first("sec-websocket-accept"))) {
            return "its Sec-WebSocket-Accept does not belong to the key";
        }
        return headers.contains("sec-websocket-extensions")
                ? "it uses an extension of WebSockets that nobody offered"
                : null;
    }

    /** The fields that its client gets. */
    static Headers fieldsOf(Headers answer) {
        Headers headers = EndToEndFields.of(answer);
        Headers.Builder kept = new Headers.Builder();
        for (int i = 0; i < headers.size(); i++) {
            if (!OF_CONNECTION.contains(headers.name(i))) {
                kept.add(headers.name(i), headers.value(i));
            }
        }
        return kept.build();
    }
}
