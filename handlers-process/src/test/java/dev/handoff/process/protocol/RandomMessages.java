package dev.handoff.process.protocol;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Messages of every type, with values that are likely to hurt. */
final class RandomMessages {
    private static final String[] PIECES = {
        "a",
        "text",
        "\"",
        "\\",
        "/",
        "\n",
        "\r\n",
        "\t",
        "\u0000",
        "\u001f",
        "\u007f",
        "\u00e4",
        "\u00ff",
        "\u2028",
        "\u20ac",
        "\ufffd",
        "\uffff",
        "\ud83d\ude00",
        "\udbff\udfff",
        " ",
        "{}",
        "\\u0041"
    };
    private static final List<CancelReason> REASONS = List.of(CancelReason.values());
    private static final int MANY = 5000;

    private final Random random;

    RandomMessages(Random random) {
        this.random = random;
    }

    Message next(Peer from) {
        return from == Peer.WORKER ? fromWorker() : fromCore();
    }

    private Message fromWorker() {
        return switch (random.nextInt(9)) {
            case 0 ->
                    WholeMessages.hello(
                            window(),
                            name(),
                            nameOrNull(),
                            nameOrNull(),
                            random.nextBoolean() ? 0 : id(),
                            nameOrNull(),
                            nameOrNull(),
                            nameOrNull(),
                            1 + random.nextInt(3),
                            strings(),
                            random.nextBoolean() ? 0 : window());
            case 1 ->
                    new Message.Response(
                            id(),
                            new dev.handoff.http.Response(
                                    random.nextInt(1000) - 100, textOrNull(), headers(), body()),
                            random.nextBoolean());
            case 2 -> new Message.Failure(id(), text(), random.nextBoolean());
            case 3 -> new Message.Capacity(window(), random.nextBoolean() ? 0 : id());
            case 4 -> new Message.Drain();
            case 5 -> new Message.Data(id(), random.nextBoolean(), body());
            case 6 ->
                    new Message.WebSocketMessage(
                            id(), random.nextBoolean(), random.nextBoolean(), body());
            case 7 -> new Message.Close(id(), window(), text());
            default -> new Message.Pong();
        };
    }

    private Message fromCore() {
        return switch (random.nextInt(9)) {
            case 0 ->
                    new Message.Welcome(
                            1,
                            name(),
                            2 + random.nextInt(1 << 20),
                            random.nextInt(Integer.MAX_VALUE),
                            random.nextBoolean() ? 0 : window(),
                            name(),
                            strings());
            case 1 -> new Message.Refused(text(), text());
            case 2 ->
                    WholeMessages.request(
                            id(),
                            text(),
                            text(),
                            "1.1",
                            headers(),
                            text(),
                            random.nextInt(Integer.MAX_VALUE),
                            textOrNull(),
                            random.nextBoolean() ? null : strings(),
                            body());
            case 3 -> new Message.Cancel(id(), reason());
            case 4 -> new Message.Drain();
            case 5 -> new Message.Credit(id(), id());
            case 6 ->
                    new Message.WebSocketMessage(
                            id(), random.nextBoolean(), random.nextBoolean(), body());
            case 7 -> new Message.Close(id(), window(), text());
            default -> new Message.Ping();
        };
    }

    private CancelReason reason() {
        return REASONS.get(random.nextInt(REASONS.size()));
    }

    private long id() {
        return switch (random.nextInt(3)) {
            case 0 -> 1;
            case 1 -> Message.MAX_ID;
            default -> 1 + (random.nextLong() >>> 11) % Message.MAX_ID;
        };
    }

    private int window() {
        return random.nextInt(4) == 0 ? Integer.MAX_VALUE : random.nextInt(100);
    }

    private Headers headers() {
        Headers.Builder headers = new Headers.Builder();
        for (int i = random.nextInt(6); i > 0; i--) {
            headers.add(text(), text());
        }
        return headers.build();
    }

    private List<String> strings() {
        List<String> strings = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            strings.add(name());
        }
        return strings;
    }

    private Body body() {
        byte[] bytes = new byte[random.nextInt(4) == 0 ? MANY * 40 : random.nextInt(50)];
        random.nextBytes(bytes);
        return Body.of(bytes);
    }

    private @Nullable String nameOrNull() {
        return random.nextBoolean() ? null : name();
    }

    private @Nullable String textOrNull() {
        return random.nextBoolean() ? null : text();
    }

    private String name() {
        return pieces(random.nextInt(20));
    }

    /** Now and then longer than every buffer on the way, so that characters fall on their ends. */
    private String text() {
        return pieces(random.nextInt(20) == 0 ? random.nextInt(MANY) : random.nextInt(20));
    }

    private String pieces(int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return text.toString();
    }
}
