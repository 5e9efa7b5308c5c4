package dev.handoff.launcher.check;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.process.protocol.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request as the core hands it over, without its id.
 *
 * @param webSocket the subprotocols that the client offers; null unless it asks for a WebSocket
 * @param more whether the body is only the first piece
 */
record Asked(
        String method,
        String target,
        String version,
        Headers headers,
        @Nullable List<String> webSocket,
        boolean more,
        Body body) {
    private static final long TIMEOUT_MILLIS = 30_000;
    private static final String CLIENT = "192.0.2.1:51324";

    static Asked get(String target) {
        return new Asked(
                "GET",
                target,
                "1.1",
                Headers.of("host", "example.org", "accept", "*/*"),
                null,
                false,
                Body.EMPTY);
    }

    static Asked of(String method, String target) {
        Asked get = get(target);
        return new Asked(method, target, "1.1", get.headers, null, false, Body.EMPTY);
    }

    static Asked post(String target, byte[] content) {
        return of("POST", target).with(withLength(content.length)).with(Body.of(content));
    }

    /** A request whose content comes in pieces, the first of them with it. */
    static Asked post(String target, byte[] first, int contentBytes) {
        Asked whole = of("POST", target).with(withLength(contentBytes)).with(Body.of(first));
        return new Asked(
                whole.method, target, whole.version, whole.headers, null, true, whole.body);
    }

    static Asked webSocket(String target) {
        Headers headers = Headers.of("host", "example.org", "sec-websocket-version", "13");
        return new Asked("GET", target, "1.1", headers, List.of(), false, Body.EMPTY);
    }

    Asked with(Headers others) {
        return new Asked(method, target, version, others, webSocket, more, body);
    }

    Asked with(Body other) {
        return new Asked(method, target, version, headers, webSocket, more, other);
    }

    Asked withVersion(String other) {
        return new Asked(method, target, other, headers, webSocket, more, body);
    }

    private static Headers withLength(int contentBytes) {
        return Headers.of(
                "host",
                "example.org",
                "content-type",
                "application/octet-stream",
                "content-length",
                Integer.toString(contentBytes));
    }

    Message.Request message(long id) {
        return message(id, TIMEOUT_MILLIS);
    }

    Message.Request message(long id, long timeoutMillis) {
        return new Message.Request(
                id,
                method,
                target,
                version,
                headers,
                CLIENT,
                Message.Request.USUAL_SCHEME,
                "",
                null,
                timeoutMillis,
                "check-" + id,
                webSocket,
                more,
                body);
    }
}
