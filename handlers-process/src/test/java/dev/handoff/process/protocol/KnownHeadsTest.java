package dev.handoff.process.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A decoder that has seen a head before reads it as one that has not. */
class KnownHeadsTest {
    private static final String REST =
            ",\"status\":200,\"headers\":[[\"content-type\",\"text/plain\"]]}";

    private final KnownHeads heads = new KnownHeads();

    @Test
    void aHeadThatCameBeforeIsNotReadAgain() {
        Message.Response first = read(head("7", REST));
        keep(head("7", REST), first);
        Message.Response second =
                assertInstanceOf(Message.Response.class, find(head("9007199254740991", REST)));
        assertEquals(Message.MAX_ID, second.id());
        assertSame(first.response(), second.response());
    }

    @Test
    void whetherMoreFollowsIsRemembered() {
        String more = REST.substring(0, REST.length() - 1) + ",\"more\":true}";
        keep(head("7", more), read(head("7", more)));
        assertEquals(read(head("8", more)), find(head("8", more)));
        assertNull(find(head("8", REST)));
    }

    @Test
    void severalHeadsAreRemembered() {
        String other = REST.replace("plain", "html");
        keep(head("1", REST), read(head("1", REST)));
        keep(head("2", other), read(head("2", other)));
        assertEquals(read(head("3", REST)), find(head("3", REST)));
        assertEquals(read(head("4", other)), find(head("4", other)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0", "01", "-1", "", "1.0", "1e3", "9007199254740992", "10000000000000000"})
    void anIdThatIsRefusedIsNotRecognised(String id) {
        keep(head("7", REST), read(head("7", REST)));
        assertNull(find(head(id, REST)));
    }

    @Test
    void aHeadThatIsOneByteTooLongIsNotKept() {
        String longest = restOf(KnownHeads.LONGEST_BYTES);
        keep(head("7", longest), read(head("7", longest)));
        assertEquals(read(head("8", longest)), find(head("8", longest)));
        String tooLong = restOf(KnownHeads.LONGEST_BYTES + 1);
        keep(head("7", tooLong), read(head("7", tooLong)));
        assertNull(find(head("8", tooLong)));
    }

    /**
     * Heads that differ in a byte or two from one that is known, also in their id and their end.
     */
    @Test
    void mutatedHeadsAreReadAsByADecoderThatKnowsNone() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<String> rests = List.of(REST, REST.replace("plain", "html"), ",\"status\":204}");
        FrameDecoder experienced = decoder();
        for (int i = 0; i < 20_000; i++) {
            String rest = rests.get(random.nextInt(rests.size()));
            byte[] json = head(Integer.toString(1 + random.nextInt(100)), rest);
            for (int mutations = random.nextInt(3); mutations > 0; mutations--) {
                json[random.nextInt(json.length)] = (byte) (' ' + random.nextInt(95));
            }
            Decoded expected = decode(decoder(), json);
            assertEquals(
                    expected,
                    decode(experienced, json),
                    () -> "seed " + seed + ": " + new String(json, StandardCharsets.US_ASCII));
            if (expected instanceof Decoded.Refused) {
                experienced = decoder();
            }
        }
    }

    private static String restOf(int bytes) {
        String empty = REST.replace("text/plain", "");
        return REST.replace("text/plain", "x".repeat(bytes - empty.length()));
    }

    private static byte[] head(String id, String rest) {
        return ("{\"type\":\"response\",\"id\":" + id + rest).getBytes(StandardCharsets.US_ASCII);
    }

    private void keep(byte[] json, Message.Response response) {
        heads.keep(json, 0, json.length, response);
    }

    private Message.@Nullable Response find(byte[] json) {
        // Somewhere in a larger array, as frames are read.
        byte[] read = new byte[json.length + 20];
        System.arraycopy(json, 0, read, 10, json.length);
        return heads.find(read, 10, 10 + json.length);
    }

    private static Message.Response read(byte[] json) {
        Decoded.Complete complete =
                assertInstanceOf(Decoded.Complete.class, decode(decoder(), json));
        return assertInstanceOf(Message.Response.class, complete.message());
    }

    private static FrameDecoder decoder() {
        return new FrameDecoder(FrameLimits.ofBody(0), Peer.WORKER);
    }

    private static Decoded decode(FrameDecoder decoder, byte[] json) {
        byte[] frame =
                ByteBuffer.allocate(json.length + FrameDecoder.PREFIX_BYTES)
                        .putInt(json.length)
                        .putInt(0)
                        .put(json)
                        .array();
        return decoder.decode(frame, 0, frame.length);
    }
}
