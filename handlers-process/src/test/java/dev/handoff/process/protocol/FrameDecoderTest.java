package dev.handoff.process.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.http.SpareArrays;
import dev.handoff.server.SharedArrays;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What a fixture cannot say: where bytes are held, and what is left after a frame. */
class FrameDecoderTest {
    private static final int MEBIBYTE = 1024 * 1024;
    private static final int READ_BYTES = 64 * 1024;
    private static final int FIRST_PIECE_BYTES = 4 * 1024;

    private final FrameDecoder decoder =
            new FrameDecoder(FrameLimits.ofBody(32 * MEBIBYTE), Peer.WORKER, new SharedArrays());
    private final FrameEncoder encoder = new FrameEncoder();

    @Test
    void takesOneFrameAtATime() {
        byte[] pong = encoder.encode(new Message.Pong());
        byte[] two = Arrays.copyOf(pong, 2 * pong.length);
        System.arraycopy(pong, 0, two, pong.length, pong.length);
        assertEquals(new Decoded.Complete(new Message.Pong()), decoder.decode(two, 0, two.length));
        assertEquals(pong.length, decoder.consumedTo());
        assertFalse(decoder.inFrame());
    }

    @Test
    void isInFrameFromTheFirstByteToTheLast() {
        byte[] frame = encoder.encode(response(new byte[10]));
        assertFalse(decoder.inFrame());
        for (int i = 0; i < frame.length - 1; i++) {
            assertSame(Decoded.Incomplete.INCOMPLETE, decoder.decode(frame, i, i + 1));
            assertTrue(decoder.inFrame());
        }
        assertInstanceOf(
                Decoded.Complete.class, decoder.decode(frame, frame.length - 1, frame.length));
        assertFalse(decoder.inFrame());
        assertEquals(0, decoder.bufferedBytes());
    }

    @Test
    void bodiesThatAreGivenBackTakeNoMoreMemory() {
        byte[] frame = encoder.encode(response(new byte[SpareArrays.ARRAY_BYTES]));
        int half = frame.length / 2;
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        int frames = 1000;
        for (int i = 0; i < frames; i++) {
            decoder.decode(frame, 0, half);
            Decoded decoded = decoder.decode(frame, half, frame.length);
            body(decoded).giveBack();
        }
        long each = (threads.getCurrentThreadAllocatedBytes() - before) / frames;
        assertTrue(each < SpareArrays.ARRAY_BYTES / 4, each + " bytes for each frame");
    }

    @Test
    void aBodyThatIsKeptStaysAsItIs() {
        byte[] content = new byte[SpareArrays.ARRAY_BYTES];
        Arrays.fill(content, (byte) 'a');
        byte[] frame = encoder.encode(response(content));
        Body kept = body(decoder.decode(frame, 0, frame.length));
        Arrays.fill(frame, frame.length - content.length, frame.length, (byte) 'b');
        body(decoder.decode(frame, 0, frame.length)).giveBack();
        body(decoder.decode(frame, 0, frame.length)).giveBack();
        assertEquals(Body.of(content), kept);
    }

    private static Body body(Decoded decoded) {
        Decoded.Complete complete = assertInstanceOf(Decoded.Complete.class, decoded);
        return ((Message.Response) complete.message()).response().body();
    }

    @Test
    void holdsLittleForABodyThatWasOnlyDeclared() {
        byte[] frame = encoder.encode(response(new byte[32 * MEBIBYTE]));
        int headBytes = frame.length - 32 * MEBIBYTE;
        decoder.decode(frame, 0, headBytes + 1);
        assertEquals(FIRST_PIECE_BYTES, decoder.bufferedBytes());
        decoder.decode(frame, headBytes + 1, headBytes + FIRST_PIECE_BYTES + 1);
        assertEquals(2 * FIRST_PIECE_BYTES, decoder.bufferedBytes());
    }

    @Test
    void holdsLittleForJsonThatWasOnlyDeclared() {
        byte[] prefix = ByteBuffer.allocate(9).putInt(MEBIBYTE).putInt(0).put((byte) '{').array();
        decoder.decode(prefix, 0, prefix.length);
        assertEquals(FIRST_PIECE_BYTES, decoder.bufferedBytes());
    }

    @Test
    void neverHoldsMoreThanTheFrameHas() {
        byte[] frame = encoder.encode(response(new byte[100]));
        decoder.decode(frame, 0, frame.length - 1);
        assertEquals(100, decoder.bufferedBytes());
    }

    @Test
    void holdsHardlyMoreThanHasComeOfALargeBody() {
        byte[] frame = encoder.encode(response(new byte[32 * MEBIBYTE]));
        int at = 0;
        while (at < frame.length - 1) {
            int to = Math.min(frame.length - 1, at + READ_BYTES);
            decoder.decode(frame, at, to);
            at = to;
            int came = decoder.partCameBytes();
            int most = Math.max(READ_BYTES, came + Math.min(came, MEBIBYTE));
            assertTrue(
                    decoder.bufferedBytes() <= most, () -> decoder.bufferedBytes() + " of " + came);
        }
        assertEquals(32 * MEBIBYTE, decoder.bufferedBytes());
    }

    @Test
    void dropsABodyThatNobodyWantsAndGoesOnBehindIt() {
        byte[] frame = encoder.encode(response(new byte[MEBIBYTE]));
        decoder.decode(frame, 0, MEBIBYTE / 2);
        decoder.dropBody();
        assertEquals(0, decoder.bufferedBytes());
        decoder.decode(frame, MEBIBYTE / 2, frame.length - 1);
        assertEquals(0, decoder.bufferedBytes());
        assertEquals(
                new Decoded.Complete(response(new byte[0])),
                decoder.decode(frame, frame.length - 1, frame.length));
        byte[] next = encoder.encode(response(new byte[] {1}));
        assertEquals(
                new Decoded.Complete(response(new byte[] {1})),
                decoder.decode(next, 0, next.length));
    }

    @Test
    void takesABodyOfTheLimitInSmallReads() {
        byte[] body = new byte[MEBIBYTE];
        Arrays.fill(body, (byte) 'b');
        byte[] frame = encoder.encode(response(body));
        int at = 0;
        Decoded decoded = Decoded.Incomplete.INCOMPLETE;
        while (at < frame.length) {
            decoded = decoder.decode(frame, at, Math.min(frame.length, at + 1000));
            at = decoder.consumedTo();
        }
        assertEquals(new Decoded.Complete(response(body)), decoded);
    }

    @Test
    void repeatsARefusalAndTakesEverything() {
        byte[] http = "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        Decoded first = decoder.decode(http, 0, http.length);
        assertEquals(
                ProtocolFault.LOOKS_LIKE_HTTP,
                assertInstanceOf(Decoded.Refused.class, first).fault());
        byte[] pong = encoder.encode(new Message.Pong());
        assertSame(first, decoder.decode(pong, 0, pong.length));
        assertEquals(pong.length, decoder.consumedTo());
        assertFalse(decoder.inFrame());
        assertEquals(0, decoder.bufferedBytes());
    }

    /** Many small ones take twenty times the memory that they have on the wire. */
    @Test
    void aResponseHasAThousandFieldsAtMost() {
        byte[] most = encoder.encode(responseOf(JsonHeadParser.MOST_ITEMS));
        assertInstanceOf(Decoded.Complete.class, decoder.decode(most, 0, most.length));
        byte[] more = encoder.encode(responseOf(JsonHeadParser.MOST_ITEMS + 1));
        Decoded.Refused refused =
                assertInstanceOf(Decoded.Refused.class, decoder.decode(more, 0, more.length));
        assertEquals(ProtocolFault.WRONG_TYPE, refused.fault());
        assertTrue(refused.detail().contains("more than 1000 items"), refused.detail());
    }

    /** A connection that says no more lasts for as long as its worker. */
    @Test
    void keepsNothingOfAMessageThatWasTaken() {
        WeakReference<Headers> headers = decodedHeaders();
        for (int i = 0; i < 100 && headers.get() != null; i++) {
            System.gc();
        }
        assertNull(headers.get());
        assertFalse(decoder.inFrame());
    }

    private WeakReference<Headers> decodedHeaders() {
        byte[] frame = encoder.encode(responseOf(JsonHeadParser.MOST_ITEMS));
        Decoded decoded = decoder.decode(frame, 0, frame.length);
        Message message = assertInstanceOf(Decoded.Complete.class, decoded).message();
        return new WeakReference<>(
                assertInstanceOf(Message.Response.class, message).response().headers());
    }

    private static Message.Response responseOf(int fields) {
        Headers.Builder headers = new Headers.Builder();
        for (int i = 0; i < fields; i++) {
            headers.add("a", "");
        }
        return new Message.Response(1, Response.of(200, headers.build(), Body.EMPTY));
    }

    @Test
    void takesAMebibyteOfHostileJsonWithoutDelay() {
        String[] hostile = {
            "{\"type\":\"response\",\"id\":" + "9".repeat(MEBIBYTE - 100) + "}",
            "{\"x\":\"" + "\\u0041".repeat((MEBIBYTE - 100) / 6) + "\"}",
            "{\"x\":[" + "[],".repeat((MEBIBYTE - 100) / 3) + "1]}",
            "{" + "\"k\":1,".repeat((MEBIBYTE - 100) / 6) + "\"k\":1}",
            "[".repeat(MEBIBYTE),
            " ".repeat(MEBIBYTE)
        };
        long start = System.nanoTime();
        for (String json : hostile) {
            byte[] bytes = json.getBytes(StandardCharsets.US_ASCII);
            ByteBuffer frame = ByteBuffer.allocate(8 + bytes.length).putInt(bytes.length).putInt(0);
            frame.put(bytes);
            FrameDecoder fresh = new FrameDecoder(FrameLimits.ofBody(0), Peer.WORKER);
            assertInstanceOf(
                    Decoded.Refused.class, fresh.decode(frame.array(), 0, frame.position()));
        }
        long millis = (System.nanoTime() - start) / 1_000_000;
        assertTrue(millis < 5_000, millis + " ms");
    }

    private static Message response(byte[] body) {
        return new Message.Response(1, Response.of(200, Headers.EMPTY, Body.of(body)));
    }
}
