package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.http.websocket.DeflateOffer;
import dev.handoff.http.websocket.Handshake;
import java.util.Locale;

/** The response that accepts a WebSocket (RFC 6455 section 4.2.2). */
final class WebSocketResponse {
    static final String PROTOCOL = "sec-websocket-protocol";

    private WebSocketResponse() {}

    /**
     * @param given the handler's fields; those that the server owns are dropped
     */
    static Response of(Handshake.Offer offer, Headers given) {
        Headers.Builder headers =
                new Headers.Builder()
                        .add("Upgrade", "websocket")
                        .add("Sec-WebSocket-Accept", offer.accept());
        DeflateOffer compression = offer.compression();
        if (compression != null) {
            headers.add("Sec-WebSocket-Extensions", compression.accepted());
        }
        for (int i = 0; i < given.size(); i++) {
            if (isHandlers(given.name(i).toLowerCase(Locale.ROOT))) {
                headers.add(given.name(i), given.value(i));
            }
        }
        return new Response(101, "Switching Protocols", headers.build(), Body.EMPTY);
    }

    private static boolean isHandlers(String name) {
        return switch (name) {
            case "upgrade", "sec-websocket-accept", "sec-websocket-extensions", "content-length" ->
                    false;
            default -> true;
        };
    }

    /** Whether the subprotocol that it chooses, if any, was offered. */
    static boolean isChoiceOffered(Handshake.Offer offer, Response head) {
        var chosen = head.headers().all(PROTOCOL);
        return chosen.isEmpty()
                || (chosen.size() == 1 && offer.subprotocols().contains(chosen.getFirst()));
    }
}
