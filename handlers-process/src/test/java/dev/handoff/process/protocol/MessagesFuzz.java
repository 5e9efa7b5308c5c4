package dev.handoff.process.protocol;

import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Property: decoding what was encoded gives back any message; and a request that was encoded before
 * its id was known has the bytes of the message that it becomes.
 */
public final class MessagesFuzz {
    private static final FrameLimits LIMITS = FrameLimits.ofBody(1 << 20);
    private static final FrameEncoder ENCODER = new FrameEncoder();
    private static final RequestFrame.Encoder REQUESTS = new RequestFrame.Encoder();

    private MessagesFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        FuzzedMessages messages = new FuzzedMessages(input);
        Peer from = messages.sender();
        Message message = messages.next(from);
        Message again = decoded(ENCODER.encode(message), from);
        if (!message.equals(again)) {
            throw new AssertionError(message + " became " + again);
        }
        if (message instanceof Message.Request request) {
            requireSameBytesInTwoSteps(request);
        }
    }

    private static void requireSameBytesInTwoSteps(Message.Request message) {
        Request request =
                new Request(
                        message.method(),
                        message.target(),
                        HttpVersion.HTTP_1_1,
                        message.headers(),
                        message.body());
        RequestFrame encoded =
                REQUESTS.encode(
                        request,
                        message.client(),
                        message.scheme(),
                        message.certificate(),
                        message.prefix(),
                        message.requestId(),
                        message.webSocket());
        int headBytes = encoded.headSizeBytes(message.id(), message.timeoutMillis(), false);
        byte[] frame = new byte[headBytes + message.body().sizeBytes()];
        ByteBuffer buffer = ByteBuffer.wrap(frame);
        encoded.writeHead(message.id(), message.timeoutMillis(), false, buffer);
        if (buffer.position() != headBytes) {
            throw new AssertionError("it wrote " + buffer.position() + ", said " + headBytes);
        }
        message.body().copyTo(buffer);
        Message became = Objects.requireNonNull(decoded(frame, Peer.CORE), "not a message");
        if (!ByteBuffer.wrap(ENCODER.encode(became)).equals(buffer.flip())) {
            throw new AssertionError("other bytes than those of " + became);
        }
    }

    private static @Nullable Message decoded(byte[] frame, Peer from) {
        FrameDecoder decoder = new FrameDecoder(LIMITS, from);
        return decoder.decode(frame, 0, frame.length) instanceof Decoded.Complete complete
                ? complete.message()
                : null;
    }
}
