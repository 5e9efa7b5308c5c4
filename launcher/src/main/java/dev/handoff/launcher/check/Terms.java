package dev.handoff.launcher.check;

import dev.handoff.process.protocol.FrameLimits;
import dev.handoff.process.protocol.Message;
import java.util.List;

/**
 * What the played core tells a worker in {@code welcome}.
 *
 * @param jsonBytes the largest JSON that it takes
 * @param bodyBytes the largest body that it takes
 * @param streamBytes the credit that each response in pieces begins with
 * @param features those that it understands
 */
record Terms(int jsonBytes, int bodyBytes, int streamBytes, List<String> features) {
    private static final int BODY_BYTES = 32 * 1024 * 1024;

    /** What a core grants at the start. */
    static final int STREAM_BYTES = 64 * 1024;

    static final Terms USUAL =
            new Terms(
                    FrameLimits.DEFAULT_JSON_BYTES,
                    BODY_BYTES,
                    STREAM_BYTES,
                    List.of(Message.STREAMS, Message.WEBSOCKETS, Message.FRAGMENTS));

    Terms {
        features = List.copyOf(features);
    }

    /** The same without any feature. */
    Terms plain() {
        return new Terms(jsonBytes, bodyBytes, 0, List.of());
    }

    Terms withBodyBytes(int most) {
        return new Terms(jsonBytes, most, streamBytes, features);
    }

    Terms withJsonBytes(int most) {
        return new Terms(most, bodyBytes, streamBytes, features);
    }

    FrameLimits limits() {
        return new FrameLimits(jsonBytes, bodyBytes);
    }

    Message.Welcome welcome(Message.Hello hello) {
        List<String> both = features.stream().filter(hello.features()::contains).toList();
        return new Message.Welcome(
                Message.PROTOCOL_VERSION,
                "checked",
                jsonBytes,
                bodyBytes,
                both.isEmpty() ? 0 : streamBytes,
                "handoff check",
                both);
    }
}
