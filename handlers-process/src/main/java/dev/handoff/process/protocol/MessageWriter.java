package dev.handoff.process.protocol;

import dev.handoff.http.Body;
import dev.handoff.http.ClientCertificate;
import dev.handoff.http.Headers;
import jakarta.json.spi.JsonProvider;
import jakarta.json.stream.JsonGenerator;
import jakarta.json.stream.JsonGeneratorFactory;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the JSON of each message, in a fixed order of keys. It leaves out a value that is absent
 * or usual.
 */
final class MessageWriter {
    private static final JsonGeneratorFactory GENERATORS =
            JsonProvider.provider().createGeneratorFactory(Map.of());

    private MessageWriter() {}

    static JsonGenerator generator(Writer out) {
        return GENERATORS.createGenerator(out);
    }

    static void write(Message message, JsonGenerator json) {
        json.writeStartObject();
        switch (message) {
            case Message.Hello hello -> hello(hello, json);
            case Message.Welcome welcome -> welcome(welcome, json);
            case Message.Refused(String code, String text) -> {
                type(MessageType.REFUSED, json);
                json.write(Key.CODE.wireName, code).write(Key.MESSAGE.wireName, text);
            }
            case Message.Request request -> request(request, json);
            case Message.Response(long id, dev.handoff.http.Response response, boolean more) -> {
                response(id, response, json);
                more(more, json);
            }
            case Message.Data(long id, boolean more, Body body) -> {
                type(MessageType.DATA, json);
                json.write(Key.ID.wireName, id);
                more(more, json);
            }
            case Message.WebSocketMessage(long id, boolean text, boolean unfinished, Body body) -> {
                type(MessageType.MESSAGE, json);
                json.write(Key.ID.wireName, id);
                if (text) {
                    json.write(Key.TEXT.wireName, true);
                }
                more(unfinished, json);
            }
            case Message.Close(long id, int code, String reason) -> {
                type(MessageType.CLOSE, json);
                json.write(Key.ID.wireName, id);
                if (code != 0) {
                    json.write(Key.CODE.wireName, code);
                }
                if (!reason.isEmpty()) {
                    json.write(Key.REASON.wireName, reason);
                }
            }
            case Message.Credit(long id, long bytes) -> {
                type(MessageType.CREDIT, json);
                json.write(Key.ID.wireName, id).write(Key.BYTES.wireName, bytes);
            }
            case Message.Failure(long id, String text, boolean retry) -> {
                type(MessageType.FAILURE, json);
                json.write(Key.ID.wireName, id).write(Key.MESSAGE.wireName, text);
                if (retry) {
                    json.write(Key.RETRY.wireName, true);
                }
            }
            case Message.Cancel(long id, CancelReason reason) -> {
                type(MessageType.CANCEL, json);
                json.write(Key.ID.wireName, id).write(Key.REASON.wireName, reason.wireName());
            }
            case Message.Capacity(int concurrency, long memoryBytes) -> {
                type(MessageType.CAPACITY, json);
                json.write(Key.CONCURRENCY.wireName, concurrency);
                if (memoryBytes != 0) {
                    json.write(Key.MEMORY_BYTES.wireName, memoryBytes);
                }
            }
            case Message.Drain() -> type(MessageType.DRAIN, json);
            case Message.Ping() -> type(MessageType.PING, json);
            case Message.Pong() -> type(MessageType.PONG, json);
        }
        json.writeEnd();
    }

    static Body bodyOf(Message message) {
        return switch (message) {
            case Message.Request request -> request.body();
            case Message.Response response -> response.response().body();
            case Message.Data data -> data.body();
            case Message.WebSocketMessage whole -> whole.body();
            default -> Body.EMPTY;
        };
    }

    static void headers(Headers headers, JsonGenerator json) {
        json.writeStartArray(Key.HEADERS.wireName);
        for (int i = 0; i < headers.size(); i++) {
            header(headers.name(i), headers.value(i), json);
        }
        json.writeEnd();
    }

    static void header(String name, String value, JsonGenerator json) {
        json.writeStartArray();
        json.write(name);
        json.write(value);
        json.writeEnd();
    }

    static void optional(Key key, @Nullable String value, JsonGenerator json) {
        if (value != null) {
            json.write(key.wireName, value);
        }
    }

    static void schemeAndPrefix(String scheme, String prefix, JsonGenerator json) {
        if (!scheme.equals(Message.Request.USUAL_SCHEME)) {
            json.write(Key.SCHEME.wireName, scheme);
        }
        if (!prefix.isEmpty()) {
            json.write(Key.PREFIX.wireName, prefix);
        }
    }

    static void certificate(@Nullable ClientCertificate shown, JsonGenerator json) {
        if (shown != null) {
            json.write(Key.CLIENT_CERTIFICATE.wireName, shown.encoded());
            json.write(Key.CLIENT_SUBJECT.wireName, shown.subject());
        }
    }

    static void webSocket(@Nullable List<String> subprotocols, JsonGenerator json) {
        if (subprotocols != null) {
            json.writeStartArray(Key.WEBSOCKET.wireName);
            subprotocols.forEach(json::write);
            json.writeEnd();
        }
    }

    private static void type(MessageType type, JsonGenerator json) {
        json.write(Key.TYPE.wireName, type.wireName);
    }

    private static void hello(Message.Hello hello, JsonGenerator json) {
        type(MessageType.HELLO, json);
        json.write(Key.PROTOCOL.wireName, hello.protocol());
        json.write(Key.CONCURRENCY.wireName, hello.concurrency());
        json.write(Key.POOL.wireName, hello.pool());
        optional(Key.TOKEN, hello.token(), json);
        optional(Key.NAME, hello.name(), json);
        if (hello.pid() != 0) {
            json.write(Key.PID.wireName, hello.pid());
        }
        optional(Key.HOST, hello.host(), json);
        optional(Key.LANGUAGE, hello.language(), json);
        optional(Key.SDK, hello.sdk(), json);
        features(hello.features(), json);
        if (hello.streams() != 0) {
            json.write(Key.STREAMS.wireName, hello.streams());
        }
        if (hello.bodyBytes() != Integer.MAX_VALUE) {
            json.write(Key.BODY_BYTES.wireName, hello.bodyBytes());
        }
        if (hello.streamBytes() != Message.MAX_ID) {
            json.write(Key.STREAM_BYTES.wireName, hello.streamBytes());
        }
        if (hello.uploads() != 0) {
            json.write(Key.UPLOADS.wireName, hello.uploads());
        }
    }

    private static void welcome(Message.Welcome welcome, JsonGenerator json) {
        type(MessageType.WELCOME, json);
        json.write(Key.PROTOCOL.wireName, welcome.protocol());
        json.write(Key.WORKER.wireName, welcome.worker());
        json.writeStartObject(Key.LIMITS.wireName);
        json.write(Key.JSON_BYTES.wireName, welcome.jsonBytes());
        json.write(Key.BODY_BYTES.wireName, welcome.bodyBytes());
        if (welcome.streamBytes() != 0) {
            json.write(Key.STREAM_BYTES.wireName, welcome.streamBytes());
        }
        json.writeEnd();
        json.write(Key.SERVER.wireName, welcome.server());
        features(welcome.features(), json);
    }

    private static void features(List<String> features, JsonGenerator json) {
        if (!features.isEmpty()) {
            json.writeStartArray(Key.FEATURES.wireName);
            features.forEach(json::write);
            json.writeEnd();
        }
    }

    private static void more(boolean more, JsonGenerator json) {
        if (more) {
            json.write(Key.MORE.wireName, true);
        }
    }

    /** Writes the keys in the order of {@link RequestFrame}, which adds id and timeout later. */
    private static void request(Message.Request request, JsonGenerator json) {
        type(MessageType.REQUEST, json);
        json.write(Key.ID.wireName, request.id());
        json.write(Key.TIMEOUT_MILLIS.wireName, request.timeoutMillis());
        json.write(Key.METHOD.wireName, request.method());
        json.write(Key.TARGET.wireName, request.target());
        json.write(Key.VERSION.wireName, request.version());
        headers(request.headers(), json);
        json.write(Key.CLIENT.wireName, request.client());
        schemeAndPrefix(request.scheme(), request.prefix(), json);
        certificate(request.certificate(), json);
        optional(Key.REQUEST_ID, request.requestId(), json);
        webSocket(request.webSocket(), json);
        more(request.more(), json);
    }

    private static void response(long id, dev.handoff.http.Response response, JsonGenerator json) {
        type(MessageType.RESPONSE, json);
        json.write(Key.ID.wireName, id);
        json.write(Key.STATUS.wireName, response.status());
        optional(Key.REASON, response.reason(), json);
        if (!response.headers().isEmpty()) {
            headers(response.headers(), json);
        }
    }
}
