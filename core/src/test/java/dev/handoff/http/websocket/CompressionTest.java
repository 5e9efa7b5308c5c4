package dev.handoff.http.websocket;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompressionTest {
    private static final int USUAL_WINDOW = Compression.LARGEST_WINDOW_BYTES;

    private final Compression compression = new Compression();

    @ParameterizedTest
    @ValueSource(ints = {64, 100, 16 * 1024, 16 * 1024 + 1, 300_000})
    void whatItCompressesIsSmallerAndComesBack(int bytes) throws DataFormatException {
        Body message = Body.utf8("abcdefgh".repeat(bytes / 8 + 1).substring(0, bytes));
        for (int i = 0; i < 3; i++) {
            Body compressed = compression.compress(message, USUAL_WINDOW, true);
            assertNotNull(compressed);
            assertTrue(compressed.sizeBytes() < bytes);
            assertEquals(message, decompressed(compressed, bytes));
        }
    }

    @Test
    void leavesSmallMessagesAndThoseThatWouldGrow() {
        assertNull(compression.compress(Body.utf8("a".repeat(63)), USUAL_WINDOW, true));
        byte[] noise = new byte[50_000];
        new Random(1).nextBytes(noise);
        assertNull(compression.compress(Body.of(noise), USUAL_WINDOW, true));
    }

    @Test
    void leavesMessagesThatWouldKeepOthersWaiting() {
        assertNotNull(compression.compress(Body.of(new byte[1 << 20]), USUAL_WINDOW, true));
        assertNull(compression.compress(Body.of(new byte[(1 << 20) + 1]), USUAL_WINDOW, true));
    }

    /** No distance in a message is longer than the message. */
    @Test
    void staysWithinAClientsSmallWindow() {
        assertNotNull(compression.compress(Body.utf8("a".repeat(512)), 512, true));
        assertNull(compression.compress(Body.utf8("a".repeat(513)), 512, true));
        assertNotNull(compression.compress(Body.utf8("a".repeat(40_000)), USUAL_WINDOW, true));
    }

    /**
     * Whatever a fragment is made of, and whatever its client's window: all of them are one
     * message.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 512, 513, 16 * 1024, 65_535, 65_536, 200_000})
    void fragmentsComeBackAsOneMessage(int bytes) throws DataFormatException {
        byte[] noise = new byte[bytes];
        new Random(bytes).nextBytes(noise);
        for (byte[] more : new byte[][] {noise, new byte[bytes]}) {
            for (int windowBytes : new int[] {512, USUAL_WINDOW}) {
                Body first = compression.compress(Body.utf8("a".repeat(500)), windowBytes, false);
                assertNotNull(first);
                Body second = compression.compressMore(Body.of(more), windowBytes, false);
                Body last = compression.compressMore(Body.of(more), windowBytes, true);
                ByteBuffer whole = ByteBuffer.allocate(500 + 2 * bytes);
                whole.put("a".repeat(500).getBytes(US_ASCII)).put(more).put(more);
                assertEquals(
                        Body.of(whole.array()),
                        decompressed(joined(first, second, last), whole.capacity()));
            }
        }
    }

    private static Body joined(Body... fragments) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (Body fragment : fragments) {
            bytes.writeBytes(fragment.toArray());
        }
        return Body.of(bytes.toByteArray());
    }

    @Test
    void endsAnInflaterThatComesBackBehindItsOwnEnd() {
        Inflater taken = compression.takeInflater();
        compression.close();
        compression.giveBack(taken);
        assertThrows(RuntimeException.class, () -> taken.inflate(new byte[1]));
    }

    private static Body decompressed(Body compressed, int bytes) throws DataFormatException {
        Inflater inflater = new Inflater(true);
        byte[] input = new byte[compressed.sizeBytes() + 4];
        System.arraycopy(compressed.toArray(), 0, input, 0, compressed.sizeBytes());
        input[input.length - 2] = (byte) 0xff;
        input[input.length - 1] = (byte) 0xff;
        inflater.setInput(input);
        byte[] output = new byte[bytes];
        assertEquals(bytes, inflater.inflate(output));
        inflater.end();
        return Body.of(output);
    }
}
