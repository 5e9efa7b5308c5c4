package dev.handoff.process.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Property: whatever the bytes are and however they are cut, the frame decoder finds the same
 * messages and the same fault, for either sender, and holds no more than its limits allow.
 */
public final class FramesFuzz {
    /** So small that the search meets both of them. */
    private static final FrameLimits LIMITS = new FrameLimits(400, 64);

    private static final int MOST_BUFFERED_BYTES = Math.max(LIMITS.jsonBytes(), LIMITS.bodyBytes());

    /** Bytes before each portion, so that index 0 is nothing special. */
    private static final int MARGIN = 3;

    /** All that a decoder makes of an input. */
    private static final class Outcome {
        final FrameDecoder decoder;
        final List<Message> messages = new ArrayList<>();
        Decoded.@Nullable Refused refused;

        Outcome(Peer from) {
            decoder = new FrameDecoder(LIMITS, from);
        }

        void feed(byte[] bytes, int from, int to) {
            int at = from;
            Decoded decoded;
            do {
                decoded = decoder.decode(bytes, at, to);
                int next = decoder.consumedTo();
                if (next < at || next > to) {
                    throw new AssertionError("from " + at + " it went to " + next + " of " + to);
                }
                at = next;
                if (decoded instanceof Decoded.Complete complete) {
                    messages.add(complete.message());
                }
            } while (decoded instanceof Decoded.Complete);
            if (at != to) {
                throw new AssertionError("not all was taken");
            }
            if (decoded instanceof Decoded.Refused why) {
                refused = why;
            }
            if (decoder.bufferedBytes() > MOST_BUFFERED_BYTES) {
                throw new AssertionError("it holds " + decoder.bufferedBytes() + " bytes");
            }
        }

        boolean saysTheSameAs(Outcome other) {
            return messages.equals(other.messages)
                    && Objects.equals(refused, other.refused)
                    && decoder.inFrame() == other.decoder.inFrame();
        }
    }

    private FramesFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        for (Peer from : Peer.values()) {
            Outcome whole = new Outcome(from);
            whole.feed(input, 0, input.length);
            if (!perByte(from, input).saysTheSameAs(whole)) {
                throw new AssertionError("byte by byte they are other messages");
            }
            // A place that differs from input to input, so that the files are nothing but bytes.
            int cut = Math.floorMod(Arrays.hashCode(input), input.length + 1);
            if (!inTwo(from, input, cut).saysTheSameAs(whole)) {
                throw new AssertionError("cut at " + cut + " they are other messages");
            }
        }
    }

    /** All in the same array, as on an event loop: what a decoder kept of it would change. */
    private static Outcome perByte(Peer from, byte[] input) {
        Outcome outcome = new Outcome(from);
        byte[] one = new byte[1];
        for (byte b : input) {
            one[0] = b;
            outcome.feed(one, 0, 1);
        }
        return outcome;
    }

    private static Outcome inTwo(Peer from, byte[] input, int cut) {
        Outcome outcome = new Outcome(from);
        byte[] array = new byte[MARGIN + input.length];
        System.arraycopy(input, 0, array, MARGIN, cut);
        outcome.feed(array, MARGIN, MARGIN + cut);
        System.arraycopy(input, cut, array, MARGIN, input.length - cut);
        outcome.feed(array, MARGIN, array.length - cut);
        return outcome;
    }
}
