package dev.handoff.process.protocol;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes a message of an input's bytes, each of which decides something or is part of a text. Where
 * they end, zeros follow. Any message can come out whose texts are Unicode.
 */
final class FuzzedMessages {
    private static final int MOST_FIELDS = 8;

    private final byte[] bytes;
    private int at;

    FuzzedMessages(byte[] bytes) {
        this.bytes = bytes;
    }

    Peer sender() {
        return (octet() & 1) == 0 ? Peer.WORKER : Peer.CORE;
    }

    Message next(Peer from) {
        return from == Peer.WORKER ? fromWorker() : fromCore();
    }

    private Message fromWorker() {
        return switch (octet() % 9) {
            case 0 -> hello();
            case 1 ->
                    new Message.Response(
                            id(),
                            new dev.handoff.http.Response(
                                    (int) number(), textOrNull(), headers(), body()),
                            octet() % 2 == 0);
            case 2 -> new Message.Failure(id(), text(), octet() % 2 == 0);
            case 3 -> new Message.Capacity(size(), id() - 1);
            case 4 -> new Message.Drain();
            case 5 -> new Message.Data(id(), octet() % 2 == 0, body());
            case 6 ->
                    new Message.WebSocketMessage(id(), octet() % 2 == 0, octet() % 2 == 0, body());
            case 7 -> new Message.Close(id(), size(), text());
            default -> new Message.Pong();
        };
    }

    private Message fromCore() {
        return switch (octet() % 9) {
            case 0 -> request();
            case 1 -> new Message.Refused(text(), text());
            case 2 -> new Message.Cancel(id(), reason());
            case 3 ->
                    new Message.Welcome(
                            Math.max(1, size()),
                            text(),
                            Math.max(2, size()),
                            size(),
                            size(),
                            text(),
                            texts());
            case 4 -> new Message.Drain();
            case 5 -> new Message.Credit(id(), id() - 1);
            case 6 ->
                    new Message.WebSocketMessage(id(), octet() % 2 == 0, octet() % 2 == 0, body());
            case 7 -> new Message.Close(id(), size(), text());
            default -> new Message.Ping();
        };
    }

    /** The names' lengths have one byte, and so stay within what is accepted of them. */
    private Message hello() {
        return WholeMessages.hello(
                size(),
                text(),
                textOrNull(),
                textOrNull(),
                id() - 1,
                textOrNull(),
                textOrNull(),
                textOrNull(),
                Math.max(1, size()),
                texts(),
                size());
    }

    private Message request() {
        return WholeMessages.request(
                id(),
                text(),
                text(),
                text(),
                headers(),
                text(),
                id() - 1,
                textOrNull(),
                octet() % 2 == 0 ? null : texts(),
                body());
    }

    private CancelReason reason() {
        CancelReason[] reasons = CancelReason.values();
        return reasons[octet() % reasons.length];
    }

    private Headers headers() {
        Headers.Builder headers = new Headers.Builder();
        for (int i = octet() % MOST_FIELDS; i > 0; i--) {
            headers.add(text(), text());
        }
        return headers.build();
    }

    private List<String> texts() {
        List<String> texts = new ArrayList<>();
        for (int i = octet() % MOST_FIELDS; i > 0; i--) {
            texts.add(text());
        }
        return texts;
    }

    private Body body() {
        return Body.of(some());
    }

    private @Nullable String textOrNull() {
        return octet() % 2 == 0 ? null : text();
    }

    /** What is not UTF-8 becomes U+FFFD. */
    private String text() {
        return new String(some(), StandardCharsets.UTF_8);
    }

    private byte[] some() {
        int from = Math.min(octet(), bytes.length - at) + at;
        byte[] some = Arrays.copyOfRange(bytes, at, from);
        at = from;
        return some;
    }

    private long id() {
        return 1 + (number() & Long.MAX_VALUE) % Message.MAX_ID;
    }

    private int size() {
        return (int) number() & Integer.MAX_VALUE;
    }

    /** Of as many bytes as the first says, so that small numbers are short. */
    private long number() {
        long number = 0;
        for (int i = octet() % (Long.BYTES + 1); i > 0; i--) {
            number = number << Byte.SIZE | octet();
        }
        return number;
    }

    private int octet() {
        return at < bytes.length ? bytes[at++] & 0xff : 0;
    }
}
