package dev.handoff.process.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Feeds bytes to a decoder in pieces, the way a socket would. */
final class Splits {
    /** {@code -Dhandoff.seed=…} repeats a run; every failure names its seed. */
    static final long SEED = Long.getLong("handoff.seed", System.nanoTime());

    private static final byte DIRT = (byte) 0xEE;

    private Splits() {}

    /** All that a decoder made of some bytes. */
    record Outcome(List<Message> messages, @Nullable ProtocolFault fault, boolean inFrame) {
        boolean isRefused() {
            return fault != null;
        }
    }

    static String repeatWith() {
        return "repeat with -Dhandoff.seed=" + SEED;
    }

    static Outcome whole(FrameLimits limits, Peer from, byte[] bytes) {
        return feed(limits, from, bytes, List.of(bytes.length));
    }

    static Outcome perByte(FrameLimits limits, Peer from, byte[] bytes) {
        List<Integer> ends = new ArrayList<>();
        for (int end = 1; end <= bytes.length; end++) {
            ends.add(end);
        }
        return feed(limits, from, bytes, ends);
    }

    static Outcome twoWay(FrameLimits limits, Peer from, byte[] bytes, int split) {
        return feed(limits, from, bytes, List.of(split, bytes.length));
    }

    static Outcome random(FrameLimits limits, Peer from, byte[] bytes, Random random) {
        List<Integer> ends = new ArrayList<>();
        int end = 0;
        while (end < bytes.length) {
            end = Math.min(bytes.length, end + 1 + random.nextInt(random.nextInt(64) + 1));
            ends.add(end);
        }
        return feed(limits, from, bytes, ends);
    }

    private static Outcome feed(
            FrameLimits limits, Peer from, byte[] bytes, List<Integer> pieceEnds) {
        FrameDecoder decoder = new FrameDecoder(limits, from);
        List<Message> messages = new ArrayList<>();
        ProtocolFault fault = null;
        int start = 0;
        for (int end : pieceEnds) {
            fault = feedPiece(decoder, Arrays.copyOfRange(bytes, start, end), messages);
            start = end;
        }
        return new Outcome(messages, fault, decoder.inFrame());
    }

    /** One read, somewhere in a buffer that is used for something else afterwards. */
    private static @Nullable ProtocolFault feedPiece(
            FrameDecoder decoder, byte[] piece, List<Message> messages) {
        int from = 3;
        int to = from + piece.length;
        byte[] buffer = new byte[to + 5];
        Arrays.fill(buffer, DIRT);
        System.arraycopy(piece, 0, buffer, from, piece.length);
        ProtocolFault fault = null;
        boolean hasMore = true;
        while (hasMore) {
            switch (decoder.decode(buffer, from, to)) {
                case Decoded.Complete(Message message) -> messages.add(message);
                case Decoded.Refused refusal -> {
                    fault = refusal.fault();
                    hasMore = false;
                }
                case Decoded.Incomplete incomplete -> hasMore = false;
            }
            from = decoder.consumedTo();
        }
        if (from != to) {
            throw new AssertionError("took bytes up to " + from + " of " + to);
        }
        Arrays.fill(buffer, DIRT);
        return fault;
    }
}
