package dev.handoff.process.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Properties that hold for all messages and all bytes, tried on random ones. */
class RoundTripTest {
    private static final FrameLimits LIMITS = FrameLimits.ofBody(1 << 20);
    private static final int BATCHES = 300;
    private static final int BATCH = 8;
    private static final int MUTATIONS = 20_000;

    private final Random random = new Random(Splits.SEED);
    private final RandomMessages messages = new RandomMessages(random);
    private final FrameEncoder encoder = new FrameEncoder();

    @Test
    void decodingGivesBackWhatWasEncoded() {
        for (Peer from : Peer.values()) {
            for (int i = 0; i < BATCHES; i++) {
                List<Message> batch = new ArrayList<>();
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                for (int k = 0; k < BATCH; k++) {
                    Message message = messages.next(from);
                    batch.add(message);
                    bytes.writeBytes(encoder.encode(message));
                }
                Splits.Outcome expected = new Splits.Outcome(batch, null, false);
                byte[] all = bytes.toByteArray();
                assertEquals(expected, Splits.whole(LIMITS, from, all), Splits.repeatWith());
                assertEquals(
                        expected, Splits.random(LIMITS, from, all, random), Splits.repeatWith());
            }
        }
    }

    /**
     * No bytes make the decoder throw, or mean one thing in one read and another in many. Where two
     * rules are broken, which one is named may depend on how far the JSON library reads ahead.
     */
    @Test
    void allSplitsOfBrokenFramesAgree() {
        for (int i = 0; i < MUTATIONS; i++) {
            Peer from = random.nextBoolean() ? Peer.WORKER : Peer.CORE;
            byte[] frame = encoder.encode(messages.next(from));
            for (int k = random.nextInt(3); k >= 0; k--) {
                int at = random.nextInt(frame.length);
                frame[at] = random.nextBoolean() ? (byte) random.nextInt(256) : jsonByte();
            }
            Splits.Outcome whole = Splits.whole(LIMITS, from, frame);
            Splits.Outcome cut = Splits.random(LIMITS, from, frame, random);
            assertEquals(whole.messages(), cut.messages(), Splits.repeatWith());
            assertEquals(whole.isRefused(), cut.isRefused(), Splits.repeatWith());
            assertEquals(whole.inFrame(), cut.inFrame(), Splits.repeatWith());
        }
    }

    private byte jsonByte() {
        String bytes = "{}[]\",:\\0e-.tu \n";
        return (byte) bytes.charAt(random.nextInt(bytes.length()));
    }
}
