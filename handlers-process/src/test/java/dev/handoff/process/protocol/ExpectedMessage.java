package dev.handoff.process.protocol;

import dev.handoff.http.Body;
import dev.handoff.http.ClientCertificate;
import dev.handoff.http.Headers;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The message that a fixture's JSON means, read without any of the code under test. */
final class ExpectedMessage {
    private ExpectedMessage() {}

    static Message of(JsonObject json) {
        String type = json.getString("type");
        return switch (type) {
            case "hello" ->
                    new Message.Hello(
                            json.getInt("concurrency"),
                            json.getString("pool", "default"),
                            string(json, "token"),
                            string(json, "name"),
                            number(json, "pid"),
                            string(json, "host"),
                            string(json, "language"),
                            string(json, "sdk"),
                            json.getInt("protocol"),
                            strings(json, "features"),
                            json.getInt("streams", 0),
                            json.getInt("bodyBytes", Integer.MAX_VALUE),
                            json.containsKey("streamBytes")
                                    ? number(json, "streamBytes")
                                    : Message.MAX_ID,
                            json.getInt("uploads", 0));
            case "welcome" ->
                    new Message.Welcome(
                            json.getInt("protocol"),
                            json.getString("worker"),
                            json.getJsonObject("limits").getInt("jsonBytes"),
                            json.getJsonObject("limits").getInt("bodyBytes"),
                            json.getJsonObject("limits").getInt("streamBytes", 0),
                            json.getString("server"),
                            strings(json, "features"));
            case "refused" ->
                    new Message.Refused(json.getString("code"), json.getString("message"));
            case "request" ->
                    new Message.Request(
                            number(json, "id"),
                            json.getString("method"),
                            json.getString("target"),
                            json.getString("version"),
                            headers(json),
                            json.getString("client"),
                            json.getString("scheme", "http"),
                            json.getString("prefix", ""),
                            json.containsKey("clientCertificate")
                                    ? new ClientCertificate(
                                            json.getString("clientSubject"),
                                            json.getString("clientCertificate"))
                                    : null,
                            number(json, "timeoutMillis"),
                            string(json, "requestId"),
                            json.containsKey("websocket") ? strings(json, "websocket") : null,
                            json.getBoolean("more", false),
                            body(json));
            case "response" ->
                    new Message.Response(
                            number(json, "id"),
                            new dev.handoff.http.Response(
                                    json.getInt("status"),
                                    string(json, "reason"),
                                    headers(json),
                                    body(json)),
                            json.getBoolean("more", false));
            case "data" ->
                    new Message.Data(
                            number(json, "id"), json.getBoolean("more", false), body(json));
            case "message" ->
                    new Message.WebSocketMessage(
                            number(json, "id"),
                            json.getBoolean("text", false),
                            json.getBoolean("more", false),
                            body(json));
            case "close" ->
                    new Message.Close(
                            number(json, "id"),
                            json.getInt("code", 0),
                            json.getString("reason", ""));
            case "credit" -> new Message.Credit(number(json, "id"), number(json, "bytes"));
            case "failure" ->
                    new Message.Failure(
                            number(json, "id"),
                            json.getString("message"),
                            json.getBoolean("retry", false));
            case "cancel" ->
                    new Message.Cancel(
                            number(json, "id"),
                            CancelReason.valueOf(
                                    json.getString("reason").toUpperCase(Locale.ROOT)));
            case "capacity" ->
                    new Message.Capacity(json.getInt("concurrency"), number(json, "memoryBytes"));
            case "drain" -> new Message.Drain();
            case "ping" -> new Message.Ping();
            case "pong" -> new Message.Pong();
            default -> throw new IllegalArgumentException(type);
        };
    }

    private static @Nullable String string(JsonObject json, String key) {
        return json.containsKey(key) ? json.getString(key) : null;
    }

    private static long number(JsonObject json, String key) {
        return json.containsKey(key) ? json.getJsonNumber(key).longValueExact() : 0;
    }

    private static List<String> strings(JsonObject json, String key) {
        return json.containsKey(key)
                ? json.getJsonArray(key).getValuesAs(JsonString::getString)
                : List.of();
    }

    private static Headers headers(JsonObject json) {
        Headers.Builder headers = new Headers.Builder();
        if (json.containsKey("headers")) {
            for (JsonArray pair : json.getJsonArray("headers").getValuesAs(JsonArray.class)) {
                headers.add(pair.getString(0), pair.getString(1));
            }
        }
        return headers.build();
    }

    private static Body body(JsonObject json) {
        if (json.containsKey("bodyHex")) {
            return Body.of(HexFormat.of().parseHex(json.getString("bodyHex")));
        }
        return Body.utf8(json.getString("body", ""));
    }
}
