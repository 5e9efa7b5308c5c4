package dev.handoff.launcher.check;

import dev.handoff.process.protocol.FrameLimits;
import dev.handoff.process.protocol.Message;
import java.util.List;

/**
 * What the played core tells a worker in {@code welcome}.
 *
 * @param bodyBytes the largest body that it takes
 * @param streamBytes the credit that each response in pieces begins with
 * @param features those that it understands
 */
record Terms(int bodyBytes, int streamBytes, List<String> features) {
    private static final int BODY_BYTES = 32 * 1024 * 1024;

    /** What a core grants at the start. */
    static final int STREAM_BYTES = 64 * 1024;

    static final Terms USUAL =
            new Terms(BODY_BYTES, STREAM_BYTES, List.of(Message.STREAMS, Message.WEBSOCKETS));

    Terms {
        features = List.copyOf(features);
    }

    /** The same without any feature. */
    Terms plain() {
        return new Terms(bodyBytes, 0, List.of());
    }

    Terms withBodyBytes(int most) {
        return new Terms(most, streamBytes, features);
    }

    FrameLimits limits() {
        return FrameLimits.ofBody(bodyBytes);
    }

    Message.Welcome welcome(Message.Hello hello) {
        List<String> both = features.stream().filter(hello.features()::contains).toList();
        return new Message.Welcome(
                Message.PROTOCOL_VERSION,
                "checked",
                FrameLimits.DEFAULT_JSON_BYTES,
                bodyBytes,
                both.isEmpty() ? 0 : streamBytes,
                "handoff check",
                both);
    }
}
