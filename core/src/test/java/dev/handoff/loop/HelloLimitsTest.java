package dev.handoff.loop;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Test;

class HelloLimitsTest {
    private static final int CLIENT_HELLO = 1;
    private static final int CERTIFICATE = 11;
    private static final int SERVER_NAME = 0;
    private static final int SIGNATURES = 13;
    private static final int KEY_SHARE = 51;
    private static final int TICKET = 41;
    private static final int PADDING = 21;

    @Test
    void theHelloOfAUsualClientIsFine() throws Exception {
        SSLEngine client = SSLContext.getDefault().createSSLEngine("localhost", 443);
        client.setUseClientMode(true);
        ByteBuffer record = ByteBuffer.allocate(20_000);
        client.wrap(ByteBuffer.allocate(0), record);
        assertFalse(exceeds(Arrays.copyOfRange(record.array(), 5, record.position())));
    }

    @Test
    void listsHaveLimits() {
        assertFalse(exceeds(hello(100, SIGNATURES, 512)));
        assertTrue(exceeds(hello(100, SIGNATURES, 513)));
        assertTrue(exceeds(hello(100, SERVER_NAME, 10_000)));
        assertFalse(exceeds(hello(100, KEY_SHARE, 4096)));
        assertTrue(exceeds(hello(100, KEY_SHARE, 4097)));
        assertFalse(exceeds(hello(1024, SIGNATURES, 20)));
        assertTrue(exceeds(hello(1025, SIGNATURES, 20)));
    }

    @Test
    void whatIsNoListMayBeLong() {
        assertFalse(exceeds(hello(100, TICKET, 20_000)));
        assertFalse(exceeds(hello(100, PADDING, 20_000)));
        assertFalse(exceeds(message(CERTIFICATE, new byte[20_000])));
    }

    @Test
    void aMessageBehindOthersIsLookedAt() {
        byte[] certificate = message(CERTIFICATE, new byte[300]);
        byte[] fine = hello(20, KEY_SHARE, 40);
        byte[] nothing = message(CERTIFICATE, new byte[0]);
        byte[] last = hello(20, SIGNATURES, 5000);
        assertTrue(exceeds(joined(certificate, fine, nothing, fine, last)));
        assertFalse(exceeds(joined(certificate, fine, nothing, fine)));
    }

    /** Its lengths go beyond it: the engine refuses it, and what follows is another message. */
    @Test
    void aMessageEndsWhereItSaysItself() {
        byte[] cut = Arrays.copyOf(hello(20, KEY_SHARE, 4000), 200);
        cut[2] = 0;
        cut[3] = (byte) (cut.length - 4);
        assertTrue(exceeds(joined(cut, hello(20, SIGNATURES, 5000))));
    }

    @Test
    void itMayComeInPieces() {
        byte[] all = joined(hello(20, KEY_SHARE, 40), hello(20, SIGNATURES, 600));
        for (int size : new int[] {1, 2, 3, 7, 100}) {
            HelloLimits limits = new HelloLimits();
            boolean exceeds = false;
            for (int at = 0; at < all.length; at += size) {
                int length = Math.min(size, all.length - at);
                exceeds |= limits.exceeds(ByteBuffer.wrap(all, at, length));
            }
            assertTrue(exceeds, "in pieces of " + size);
        }
    }

    @Test
    void garbageIsReadToItsEnd() {
        for (int seed = 0; seed < 1000; seed++) {
            byte[] garbage = new byte[2000];
            new Random(seed).nextBytes(garbage);
            garbage[0] = CLIENT_HELLO;
            ByteBuffer content = ByteBuffer.wrap(garbage);
            assertTrue(new HelloLimits().exceeds(content) || !content.hasRemaining());
        }
    }

    private static boolean exceeds(byte[] content) {
        return new HelloLimits().exceeds(ByteBuffer.wrap(content));
    }

    /** With suites, and one extension behind another, of so many bytes. */
    private static byte[] hello(int suiteBytes, int extension, int extensionBytes) {
        byte[] session = new byte[32];
        ByteBuffer content = ByteBuffer.allocate(100 + suiteBytes + extensionBytes);
        content.put(new byte[34]).put((byte) session.length).put(session);
        content.putShort((short) suiteBytes).put(new byte[suiteBytes]);
        content.put((byte) 1).put((byte) 0);
        content.putShort((short) (4 + 5 + 4 + extensionBytes));
        content.putShort((short) PADDING).putShort((short) 5).put(new byte[5]);
        content.putShort((short) extension).putShort((short) extensionBytes);
        content.put(new byte[extensionBytes]);
        return message(CLIENT_HELLO, Arrays.copyOf(content.array(), content.position()));
    }

    private static byte[] message(int type, byte[] content) {
        ByteBuffer message = ByteBuffer.allocate(4 + content.length);
        return message.putInt(type << 24 | content.length).put(content).array();
    }

    private static byte[] joined(byte[]... parts) {
        ByteBuffer joined = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(p -> p.length).sum());
        for (byte[] part : parts) {
            joined.put(part);
        }
        return joined.array();
    }
}
