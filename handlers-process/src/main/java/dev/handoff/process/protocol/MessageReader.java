package dev.handoff.process.protocol;

import dev.handoff.http.Body;
import dev.handoff.http.ClientCertificate;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes a message of the fields of a head, and checks that its sender may send it. */
final class MessageReader {
    /**
     * The longest name, pool, token, host, language, sdk or feature, since logs and labels show
     * them.
     */
    static final int LONGEST_NAME = 256;

    private MessageReader() {}

    /** The message without its body; null if it has to be ignored. */
    static @Nullable Message read(JsonHeadFields fields, Peer from, int bodyBytes)
            throws BrokenRule {
        String name = fields.stringOrNull(Key.TYPE);
        if (name == null) {
            throw new BrokenRule(ProtocolFault.MISSING_TYPE, "type is missing");
        }
        MessageType type = MessageType.ofWireName(name);
        if (type == null || !type.isSentBy(from)) {
            if (from == Peer.CORE) {
                return null;
            }
            throw new BrokenRule(
                    type == null ? ProtocolFault.UNKNOWN_TYPE : ProtocolFault.WRONG_DIRECTION,
                    "type is " + Quoted.of(name));
        }
        Message message = read(type, fields);
        if (bodyBytes > 0 && !type.mayHaveBody()) {
            throw new BrokenRule(
                    ProtocolFault.UNEXPECTED_BODY, "it has a body of " + bodyBytes + " bytes");
        }
        return message;
    }

    static Message withBody(Message message, Body body) {
        return switch (message) {
            case Message.Response(long id, dev.handoff.http.Response r, boolean more) ->
                    new Message.Response(
                            id,
                            new dev.handoff.http.Response(
                                    r.status(), r.reason(), r.headers(), body),
                            more);
            case Message.Data(long id, boolean more, Body none) -> new Message.Data(id, more, body);
            case Message.WebSocketMessage(long id, boolean text, boolean unfinished, Body none) ->
                    new Message.WebSocketMessage(id, text, unfinished, body);
            case Message.Request r ->
                    new Message.Request(
                            r.id(),
                            r.method(),
                            r.target(),
                            r.version(),
                            r.headers(),
                            r.client(),
                            r.scheme(),
                            r.prefix(),
                            r.certificate(),
                            r.timeoutMillis(),
                            r.requestId(),
                            r.webSocket(),
                            r.more(),
                            body);
            default -> message;
        };
    }

    private static Message read(MessageType type, JsonHeadFields fields) throws BrokenRule {
        return switch (type) {
            case HELLO -> hello(fields);
            case WELCOME -> welcome(fields);
            case REFUSED ->
                    new Message.Refused(fields.string(Key.CODE), fields.string(Key.MESSAGE));
            case REQUEST -> request(fields);
            case RESPONSE -> response(fields);
            case DATA -> new Message.Data(fields.id(), fields.isTrue(Key.MORE), Body.EMPTY);
            case CREDIT ->
                    new Message.Credit(fields.id(), fields.integer(Key.BYTES, 0, Message.MAX_ID));
            case MESSAGE ->
                    new Message.WebSocketMessage(
                            fields.id(),
                            fields.isTrue(Key.TEXT),
                            fields.isTrue(Key.MORE),
                            Body.EMPTY);
            case CLOSE -> close(fields);
            case FAILURE ->
                    new Message.Failure(
                            fields.id(), fields.string(Key.MESSAGE), fields.isTrue(Key.RETRY));
            case CANCEL -> new Message.Cancel(fields.id(), cancelReason(fields));
            case CAPACITY ->
                    new Message.Capacity(
                            concurrency(fields),
                            fields.integerOrZero(Key.MEMORY_BYTES, Message.MAX_ID));
            case DRAIN -> new Message.Drain();
            case PING -> new Message.Ping();
            case PONG -> new Message.Pong();
        };
    }

    private static Message hello(JsonHeadFields fields) throws BrokenRule {
        int protocol = fields.integer(Key.PROTOCOL, 1, Integer.MAX_VALUE);
        int concurrency = concurrency(fields);
        String pool = fields.shortStringOrNull(Key.POOL, LONGEST_NAME);
        return new Message.Hello(
                concurrency,
                Objects.requireNonNullElse(pool, Message.Hello.DEFAULT_POOL),
                fields.shortStringOrNull(Key.TOKEN, LONGEST_NAME),
                fields.shortStringOrNull(Key.NAME, LONGEST_NAME),
                fields.integerOrZero(Key.PID, Message.MAX_ID),
                fields.shortStringOrNull(Key.HOST, LONGEST_NAME),
                fields.shortStringOrNull(Key.LANGUAGE, LONGEST_NAME),
                fields.shortStringOrNull(Key.SDK, LONGEST_NAME),
                protocol,
                fields.stringsOrEmpty(Key.FEATURES),
                (int) fields.integerOrZero(Key.STREAMS, Integer.MAX_VALUE),
                (int) fields.integerOr(Integer.MAX_VALUE, Key.BODY_BYTES, Integer.MAX_VALUE),
                fields.integerOr(Message.MAX_ID, Key.STREAM_BYTES, Integer.MAX_VALUE),
                (int) fields.integerOrZero(Key.UPLOADS, Integer.MAX_VALUE));
    }

    private static Message welcome(JsonHeadFields fields) throws BrokenRule {
        int protocol = fields.integer(Key.PROTOCOL, 1, Integer.MAX_VALUE);
        JsonHeadFields limits = fields.limits();
        return new Message.Welcome(
                protocol,
                fields.string(Key.WORKER),
                limits.integer(Key.JSON_BYTES, FrameLimits.SHORTEST_JSON_BYTES, Integer.MAX_VALUE),
                limits.integer(Key.BODY_BYTES, 0, Integer.MAX_VALUE),
                (int) limits.integerOrZero(Key.STREAM_BYTES, Integer.MAX_VALUE),
                fields.string(Key.SERVER),
                fields.stringsOrEmpty(Key.FEATURES));
    }

    private static Message request(JsonHeadFields fields) throws BrokenRule {
        return new Message.Request(
                fields.id(),
                fields.string(Key.METHOD),
                fields.string(Key.TARGET),
                fields.string(Key.VERSION),
                fields.headers(),
                fields.string(Key.CLIENT),
                Objects.requireNonNullElse(
                        fields.stringOrNull(Key.SCHEME), Message.Request.USUAL_SCHEME),
                Objects.requireNonNullElse(fields.stringOrNull(Key.PREFIX), ""),
                certificate(fields),
                fields.integer(Key.TIMEOUT_MILLIS, 0, Message.MAX_ID),
                fields.stringOrNull(Key.REQUEST_ID),
                fields.stringsOrNull(Key.WEBSOCKET),
                fields.isTrue(Key.MORE),
                Body.EMPTY);
    }

    private static @Nullable ClientCertificate certificate(JsonHeadFields fields)
            throws BrokenRule {
        String encoded = fields.stringOrNull(Key.CLIENT_CERTIFICATE);
        String subject = fields.stringOrNull(Key.CLIENT_SUBJECT);
        return encoded == null
                ? null
                : new ClientCertificate(Objects.requireNonNullElse(subject, ""), encoded);
    }

    private static Message response(JsonHeadFields fields) throws BrokenRule {
        return new Message.Response(
                fields.id(),
                new dev.handoff.http.Response(
                        fields.integer(Key.STATUS, Integer.MIN_VALUE, Integer.MAX_VALUE),
                        fields.stringOrNull(Key.REASON),
                        fields.headersOrEmpty(),
                        Body.EMPTY),
                fields.isTrue(Key.MORE));
    }

    private static Message close(JsonHeadFields fields) throws BrokenRule {
        String reason = fields.stringOrNull(Key.REASON);
        return new Message.Close(
                fields.id(),
                (int) fields.integerOrZero(Key.CODE, Integer.MAX_VALUE),
                Objects.requireNonNullElse(reason, ""));
    }

    private static int concurrency(JsonHeadFields fields) throws BrokenRule {
        return fields.integer(Key.CONCURRENCY, 0, Integer.MAX_VALUE);
    }

    private static CancelReason cancelReason(JsonHeadFields fields) throws BrokenRule {
        String name = fields.string(Key.REASON);
        CancelReason reason = CancelReason.ofWireName(name);
        if (reason == null) {
            throw new BrokenRule(ProtocolFault.OUT_OF_RANGE, "reason is " + Quoted.of(name));
        }
        return reason;
    }
}
