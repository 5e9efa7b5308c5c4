package dev.handoff.loop;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.handoff.testing.SocketPair;
import dev.handoff.testing.TestCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** A socket with TLS, whose peer is the JDK's own client on another thread. */
@ParameterizedClass
@ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
final class TlsSocketTest {
    private static final Duration STALL = Duration.ofMinutes(1);
    private static final Duration HANDSHAKE = Duration.ofNanos(TlsLayer.HANDSHAKE_NANOS);
    private static final int LARGE_BYTES = 10_000_000;

    @TempDir private static Path folder;

    private static SSLContext serverSide;
    private static SSLContext clientSide;

    private final String version;
    private final TurnedLoop turned = new TurnedLoop();
    private final SocketPair pair = SocketPair.Kind.TCP.open();
    private final RecordingOwner owner = new RecordingOwner();
    private final StreamSocket socket;

    TlsSocketTest(String version) throws IOException {
        this.version = version;
        socket =
                new StreamSocket(
                        turned.loop, pair.near(), STALL, owner, serverSide.createSSLEngine());
    }

    @BeforeAll
    static void makeCertificate() throws IOException {
        TestCertificate certificate = TestCertificate.of(folder, "localhost");
        serverSide = certificate.server();
        clientSide = certificate.client();
    }

    @AfterEach
    void closeAll() throws IOException {
        turned.close();
        pair.close();
    }

    @Test
    void takesAndSendsPlaintext() throws IOException {
        SSLSocket client = connect();
        client.getOutputStream().write("hello".getBytes(US_ASCII));
        turned.turnUntil(() -> owner.bytes.size() == 5);
        assertEquals("hello", owner.bytes.toString(US_ASCII));

        socket.write(ConnectedSocket.ascii("back"));
        assertEquals(4, socket.pendingBytes());
        assertEquals("back", new String(receive(client, 4), US_ASCII));
        assertEquals(0, socket.pendingBytes());
        assertEquals(4, socket.sentBytes());
        assertEquals(4, owner.sentBytes);
        assertEquals(version, client.getSession().getProtocol());
    }

    @Test
    void takesAClientHelloThatComesByteByByte() throws Exception {
        SSLEngine engine = clientEngine();
        ByteBuffer hello = ByteBuffer.allocate(20_000);
        engine.wrap(ByteBuffer.allocate(0), hello);
        hello.flip();
        while (hello.hasRemaining()) {
            pair.far().write(ByteBuffer.wrap(new byte[] {hello.get()}));
            turned.turn();
        }
        ByteBuffer answer = ByteBuffer.allocate(20_000);
        CompletableFuture<Integer> came = begin(() -> pair.far().read(answer));
        turned.turnUntil(came::isDone);
        assertTrue(came.join() > 100);
        SSLEngineResult result = engine.unwrap(answer.flip(), ByteBuffer.allocate(20_000));
        assertEquals(SSLEngineResult.Status.OK, result.getStatus());
    }

    @Test
    void sendsAndTakesMuch() throws IOException {
        byte[] much = ConnectedSocket.randomBytes(LARGE_BYTES);
        SSLSocket client = connect();
        socket.write(ByteBuffer.wrap(much));
        turned.turn();
        assertTrue(socket.pendingBytes() > 0);
        assertEquals(owner.sentBytes, socket.sentBytes());
        assertEquals(LARGE_BYTES, socket.sentBytes() + socket.pendingBytes());
        long sentBefore = socket.sentBytes();

        CompletableFuture<byte[]> received =
                begin(() -> client.getInputStream().readNBytes(LARGE_BYTES));
        turned.turnUntil(received::isDone);
        assertArrayEquals(much, received.join());
        assertTrue(sentBefore < LARGE_BYTES);
        turned.turnUntil(() -> socket.pendingBytes() == 0);
        assertEquals(LARGE_BYTES, owner.sentBytes);
        assertEquals(0, socket.heldBytes());

        var sending =
                begin(() -> {
                    client.getOutputStream().write(much);
                    return 0;
                });
        turned.turnUntil(() -> owner.bytes.size() == LARGE_BYTES);
        sending.join();
        assertArrayEquals(much, owner.bytes.toByteArray());
    }

    /** Small pieces between large ones: each is in the buffer, in a record, or on its way. */
    @Test
    void keepsTheOrderForASlowReader() throws IOException {
        SSLSocket client = connect();
        byte[] all = ConnectedSocket.randomBytes(3_000_000);
        CompletableFuture<byte[]> received =
                begin(() -> {
                    InputStream in = client.getInputStream();
                    byte[] read = new byte[all.length];
                    int count = 0;
                    while (count < read.length) {
                        count += in.read(read, count, Math.min(7000, read.length - count));
                        if (count % 10 == 0) {
                            Thread.onSpinWait();
                        }
                    }
                    return read;
                });
        int written = 0;
        int size = 1;
        while (written < all.length) {
            int piece = Math.min(size, all.length - written);
            socket.write(ByteBuffer.wrap(all, written, piece));
            written += piece;
            size = size * 3 % 100_003 + 1;
            turned.turn();
            assertEquals(socket.sentBytes(), owner.sentBytes);
        }
        turned.turnUntil(received::isDone);
        assertArrayEquals(all, received.join());
    }

    @Test
    void aPeerThatTakesNothingIsClosedAfterTheWriteTimeout() throws IOException {
        connect();
        socket.write(ByteBuffer.wrap(new byte[LARGE_BYTES]));
        turned.turn();
        turned.advance(STALL.minusNanos(1));
        assertFalse(socket.isClosed());
        turned.turnUntil(() -> {
            turned.clock.advance(STALL);
            return socket.isClosed();
        });
        assertEquals(List.of("closed WRITE_TIMEOUT"), closings());
    }

    /** The handshake's last flight and the first bytes come in one read. */
    @Test
    void readsOnBehindTheHandshake() throws IOException {
        CompletableFuture<SSLSocket> connected =
                begin(() -> {
                    SSLSocket client = client();
                    client.getOutputStream().write("early".getBytes(US_ASCII));
                    return client;
                });
        turned.turnUntil(() -> owner.bytes.size() == 5);
        assertNotNull(connected.join());
    }

    @Test
    void pausedReadingLeavesThePeerWaiting() throws IOException {
        SSLSocket client = connect();
        socket.pauseReading();
        CompletableFuture<Integer> sending =
                begin(() -> {
                    client.getOutputStream().write(new byte[LARGE_BYTES]);
                    return 0;
                });
        for (int i = 0; i < 20; i++) {
            turned.loop.turn(Duration.ofMillis(5).toNanos());
        }
        assertEquals(0, owner.bytes.size());
        assertFalse(sending.isDone());
        socket.resumeReading();
        turned.turnUntil(() -> owner.bytes.size() == LARGE_BYTES);
        sending.join();
    }

    /** The client waits for us then, so that no selector tells when to go on. */
    @Test
    void goesOnWithAHandshakeThatWasPaused() throws IOException {
        CompletableFuture<SSLSocket> connected =
                begin(() -> {
                    SSLSocket client = client();
                    client.getOutputStream().write("early".getBytes(US_ASCII));
                    return client;
                });
        turned.turnUntil(() -> owner.reads > 0);
        for (int i = 0; i < 40; i++) {
            socket.pauseReading();
            turned.loop.turn(Duration.ofMillis(5).toNanos());
        }
        assertFalse(connected.isDone());
        socket.resumeReading();
        turned.turnUntil(() -> owner.bytes.size() == 5);
        assertNotNull(connected.join());
    }

    @Test
    void readNowTakesWhatHasCome() throws IOException {
        SSLSocket client = connect();
        client.getOutputStream().write("now".getBytes(US_ASCII));
        long start = System.nanoTime();
        while (owner.bytes.size() < 3 && System.nanoTime() - start < 5_000_000_000L) {
            socket.readNow();
        }
        assertEquals("now", owner.bytes.toString(US_ASCII));
        assertFalse(socket.mayHaveMore());
    }

    @Test
    void endsTheOutputBehindWhatWaits() throws IOException {
        SSLSocket client = connect();
        socket.write(ByteBuffer.wrap(new byte[LARGE_BYTES]));
        socket.endOutput();
        CompletableFuture<byte[]> all = begin(() -> client.getInputStream().readAllBytes());
        turned.turnUntil(all::isDone);
        assertEquals(LARGE_BYTES, all.join().length);

        client.close();
        turned.turnUntil(socket::isClosed);
        assertEquals(List.of("closed LOCAL"), closings());
    }

    /** RFC 8446 section 6.1: only TLS 1.3 has a peer that reads on. */
    @Test
    void closeNotifyIsTheEndOfTheInput() throws IOException {
        assumeTrue(version.equals("TLSv1.3"));
        SSLSocket client = connect();
        client.getOutputStream().write("last".getBytes(US_ASCII));
        client.shutdownOutput();
        turned.turnUntil(() -> owner.events.contains("end"));
        assertEquals("last", owner.bytes.toString(US_ASCII));

        socket.write(ConnectedSocket.ascii("answer"));
        socket.endOutput();
        assertEquals("answer", new String(receive(client, 6), US_ASCII));
        turned.turnUntil(socket::isClosed);
        assertEquals(List.of("closed LOCAL"), closings());
    }

    /** RFC 5246 section 7.2.1: it takes no more, and is answered with the same. */
    @Test
    void aPeerOfTls12ThatClosesTakesNoMore() throws IOException {
        assumeTrue(version.equals("TLSv1.2"));
        SSLSocket client = connect();
        client.getOutputStream().write("last".getBytes(US_ASCII));
        CompletableFuture<Integer> closing =
                begin(() -> {
                    client.close();
                    return 0;
                });
        turned.turnUntil(() -> owner.events.contains("end"));
        closing.join();
        assertEquals("last", owner.bytes.toString(US_ASCII));
        socket.write(ConnectedSocket.ascii("answer"));
        turned.turnUntil(socket::isClosed);
        assertEquals(List.of("closed RESET"), closings());
    }

    @Test
    void anEndWithoutCloseNotifyIsAnEndToo() throws IOException {
        connect();
        pair.far().shutdownOutput();
        turned.turnUntil(() -> owner.events.contains("end"));
        assertFalse(socket.isClosed());
    }

    /** Not every client complains of an end without close_notify, as OpenSSL's does. */
    @Test
    void closingSaysSo() throws IOException {
        connect();
        socket.close();
        ByteBuffer records = ByteBuffer.wrap(pair.far().socket().getInputStream().readAllBytes());
        byte type = 0;
        int length = 0;
        while (records.hasRemaining()) {
            type = records.get();
            records.getShort();
            length = records.getShort();
            records.position(records.position() + length);
        }
        if (version.equals("TLSv1.2")) {
            assertEquals(21, type);
        } else {
            // It is hidden in a record of data, with some padding; a ticket is much longer.
            assertEquals(23, type);
            assertTrue(length < 60, "length " + length);
        }
    }

    @Test
    void plainHttpIsRefused() throws IOException {
        pair.far().write(ConnectedSocket.ascii("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
        turned.turnUntil(socket::isClosed);
        assertEquals(List.of("closed TLS_FAILED"), owner.events);
        assertArrayEquals(new byte[] {21, 3, 3, 0, 2, 2, 10}, alert());
    }

    /** RFC 8446 section 5.1: record_overflow. */
    @Test
    void aFirstRecordMayHave16KiB() throws IOException {
        pair.far().write(ByteBuffer.wrap(new byte[] {22, 3, 1, 0x40, 0}));
        turned.turn();
        turned.turnUntil(socket::holdsBuffers);
        assertFalse(socket.isClosed());

        SocketPair other = SocketPair.Kind.TCP.open();
        RecordingOwner heard = new RecordingOwner();
        SSLEngine engine = serverSide.createSSLEngine();
        StreamSocket tried = new StreamSocket(turned.loop, other.near(), STALL, heard, engine);
        for (byte each : new byte[] {22, 3, 1, 0x40, 1}) {
            assertFalse(tried.isClosed());
            other.far().write(ByteBuffer.wrap(new byte[] {each}));
            int reads = heard.reads;
            turned.turnUntil(() -> heard.reads > reads || tried.isClosed());
        }
        assertEquals(List.of("closed TLS_FAILED"), heard.events);
        byte[] told = other.far().socket().getInputStream().readAllBytes();
        assertArrayEquals(new byte[] {21, 3, 3, 0, 2, 2, 22}, told);
        other.close();
    }

    private byte[] alert() throws IOException {
        return pair.far().socket().getInputStream().readNBytes(7);
    }

    @Test
    void garbageIsRefused() throws IOException {
        for (int seed = 0; seed < 50; seed++) {
            SocketPair other = SocketPair.Kind.TCP.open();
            RecordingOwner heard = new RecordingOwner();
            StreamSocket tried =
                    new StreamSocket(
                            turned.loop, other.near(), STALL, heard, serverSide.createSSLEngine());
            byte[] bytes = ConnectedSocket.randomBytes(30_000 + seed);
            if (seed % 2 == 0) {
                // A record of the handshake, as far as its header goes.
                bytes[0] = 22;
                bytes[1] = 3;
                bytes[2] = 3;
                bytes[3] = (byte) (seed % 64);
            }
            other.far().configureBlocking(false);
            other.far().write(ByteBuffer.wrap(bytes));
            turned.turnUntil(tried::isClosed);
            assertEquals(List.of("closed TLS_FAILED"), heard.events, "seed " + seed);
            other.close();
        }
    }

    /** Whatever is in it, it is a fault of the client's and no bug of ours. */
    @Test
    void mutatedClientHellosAreRefusedOrTaken() throws IOException {
        SSLEngine engine = clientEngine();
        ByteBuffer wrapped = ByteBuffer.allocate(20_000);
        engine.wrap(ByteBuffer.allocate(0), wrapped);
        byte[] hello = Arrays.copyOf(wrapped.array(), wrapped.position());
        for (int seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            byte[] mutated = hello.clone();
            for (int i = 0; i <= seed % 4; i++) {
                mutated[random.nextInt(mutated.length)] = (byte) random.nextInt(256);
            }
            SocketPair other = SocketPair.Kind.TCP.open();
            RecordingOwner heard = new RecordingOwner();
            StreamSocket tried =
                    new StreamSocket(
                            turned.loop, other.near(), STALL, heard, serverSide.createSSLEngine());
            other.far().write(ByteBuffer.wrap(mutated));
            other.far().shutdownOutput();
            turned.turnUntil(() -> tried.isClosed() || heard.events.contains("end"));
            assertFalse(heard.events.contains("closed FAILED"), "seed " + seed);
            assertEquals(List.of(), turned.takeFailures(), "seed " + seed);
            tried.close();
            other.close();
        }
    }

    @Test
    void garbageBehindTheHandshakeIsRefused() throws IOException {
        connect();
        pair.far().write(ByteBuffer.wrap(ConnectedSocket.randomBytes(1000)));
        turned.turnUntil(socket::isClosed);
        assertEquals(List.of("closed TLS_FAILED"), closings());
    }

    @Test
    void aClientThatTrustsNobodyIsToldAsFailed() {
        CompletableFuture<Object> refusal =
                begin(() -> {
                    SSLContext strict = SSLContext.getInstance("TLS");
                    strict.init(null, null, null);
                    return assertThrows(SSLException.class, () -> client(strict));
                });
        turned.turnUntil(socket::isClosed);
        refusal.join();
        assertEquals(List.of("closed TLS_FAILED"), closings());
    }

    @Test
    void aHandshakeHasTenSeconds() throws IOException {
        pair.far().write(ByteBuffer.wrap(new byte[] {22, 3, 1}));
        turned.turn();
        turned.advance(HANDSHAKE.minusNanos(1));
        assertFalse(socket.isClosed());
        turned.advance(Duration.ofNanos(1));
        assertEquals(List.of("closed TLS_TIMEOUT"), owner.events);
    }

    @Test
    void anEstablishedConnectionHasNoDeadline() throws IOException {
        connect();
        turned.advance(HANDSHAKE.multipliedBy(2));
        assertFalse(socket.isClosed());
        assertEquals(0, turned.timerCount());
    }

    @Test
    void outputWaitsForTheHandshake() {
        socket.write(ConnectedSocket.ascii("first"));
        turned.turn();
        assertEquals(5, socket.pendingBytes());
        CompletableFuture<byte[]> received = begin(() -> client().getInputStream().readNBytes(5));
        turned.turnUntil(received::isDone);
        assertEquals("first", new String(received.join(), US_ASCII));
    }

    /** While output waits for the handshake, the loop sleeps. */
    @Test
    void outputThatWaitsForTheHandshakeDoesNotSpin() {
        socket.write(ConnectedSocket.ascii("first"));
        turned.turn();
        long start = System.nanoTime();
        turned.loop.turn(Duration.ofMillis(50).toNanos());
        assertTrue(System.nanoTime() - start > Duration.ofMillis(40).toNanos());
    }

    @Test
    void aClientMayNotRenegotiate() throws IOException {
        assumeTrue(version.equals("TLSv1.2"));
        SSLSocket client = connect();
        CompletableFuture<IOException> refusal =
                begin(() ->
                        assertThrows(
                                IOException.class,
                                () -> {
                                    client.startHandshake();
                                    client.getInputStream().read();
                                }));
        turned.turnUntil(socket::isClosed);
        assertEquals(List.of("closed TLS_FAILED"), closings());
        refusal.join();
    }

    @Test
    void newKeysAreTakenAndAnswered() throws IOException {
        assumeTrue(version.equals("TLSv1.3"));
        SSLSocket client = connect();
        for (int i = 0; i < 10; i++) {
            // Of TLS 1.3 this is KeyUpdate.
            client.startHandshake();
            client.getOutputStream().write("x".getBytes(US_ASCII));
            int count = i + 1;
            turned.turnUntil(() -> owner.bytes.size() == count);
            socket.write(ConnectedSocket.ascii("y"));
            assertEquals("y", new String(receive(client, 1), US_ASCII));
        }
    }

    @Test
    void newKeysAgainAndAgainAreRefused() throws IOException {
        assumeTrue(version.equals("TLSv1.3"));
        SSLSocket client = connect();
        for (int i = 0; i < TlsRecords.MOST_WITHOUT_CONTENT; i++) {
            renewKeys(client);
        }
        turned.advance(Duration.ofMillis(100));
        renewKeys(client);
        assertFalse(socket.isClosed());
        client.startHandshake();
        turned.turnUntil(socket::isClosed);
        assertEquals(List.of("closed TLS_FAILED"), closings());
    }

    private void renewKeys(SSLSocket client) throws IOException {
        client.startHandshake();
        int count = owner.bytes.size() + 1;
        client.getOutputStream().write(1);
        turned.turnUntil(() -> owner.bytes.size() == count);
    }

    /** Each is work, and all that is read at once is unwrapped in one turn. */
    @Test
    void littleIsReadAtOnceOfSmallRecords() throws IOException {
        SSLSocket client = connect();
        int records = 5000;
        CompletableFuture<Integer> sending =
                begin(() -> {
                    for (int i = 0; i < records; i++) {
                        client.getOutputStream().write(1);
                    }
                    return 0;
                });
        int most = 0;
        while (owner.bytes.size() < records) {
            int before = owner.bytes.size();
            turned.turn();
            // The first time it was not known that they are small.
            most = before == 0 ? 0 : Math.max(most, owner.bytes.size() - before);
        }
        sending.join();
        assertTrue(most <= 4096 / 20, () -> "at once");
        CompletableFuture<Integer> large =
                begin(() -> {
                    client.getOutputStream().write(new byte[100_000]);
                    return 0;
                });
        turned.turnUntil(() -> owner.bytes.size() == records + 100_000);
        large.join();
    }

    @Test
    void anIdleConnectionHoldsNoBuffers() throws IOException {
        SSLSocket client = connect();
        client.getOutputStream().write(new byte[100_000]);
        turned.turnUntil(() -> owner.bytes.size() == 100_000);
        socket.write(ByteBuffer.wrap(new byte[100_000]));
        receive(client, 100_000);
        assertEquals(0, socket.heldBytes());
        assertFalse(socket.holdsBuffers());
        assertEquals(0, turned.loop.tlsBuffers().keptBytes());

        pair.far().write(ByteBuffer.wrap(new byte[] {23, 3, 3, 64, 0, 1, 2, 3}));
        turned.turnUntil(socket::holdsBuffers);
        assertTrue(turned.loop.tlsBuffers().keptBytes() > 0);
        socket.close();
        assertEquals(0, turned.loop.tlsBuffers().keptBytes());
    }

    @Test
    void whoIsCrowdedOutIsClosedAtTheEndOfTheTurn() throws IOException {
        connect();
        pair.far().write(ByteBuffer.wrap(new byte[] {23, 3, 3, 64, 0, 1, 2, 3}));
        turned.turnUntil(socket::holdsBuffers);
        fillTlsBuffers();
        assertFalse(socket.isClosed());
        turned.turn();
        assertEquals(List.of("closed TLS_TIMEOUT"), closings());
    }

    /** The JDK's engine holds much for it, until it is over. */
    @Test
    void aHandshakeThatStandsStillCounts() throws Exception {
        SSLEngine client = clientEngine();
        ByteBuffer hello = ByteBuffer.allocate(20_000);
        client.wrap(ByteBuffer.allocate(0), hello);
        pair.far().write(hello.flip());
        CompletableFuture<Integer> answered =
                begin(() -> pair.far().read(ByteBuffer.allocate(20_000)));
        turned.turnUntil(answered::isDone);
        assertTrue(turned.loop.tlsBuffers().keptBytes() >= TlsLayer.HANDSHAKE_BYTES);

        fillTlsBuffers();
        turned.turn();
        assertEquals(List.of("closed TLS_TIMEOUT"), closings());
    }

    /** The JDK's engine keeps the beginning of a message; no record is incomplete then. */
    @Test
    void whatTheEngineKeepsOfAHandshakeCounts() throws IOException {
        byte[] beginning = new byte[16_000];
        // A ClientHello of 32,752 bytes (RFC 8446 section 4).
        ByteBuffer.wrap(beginning).putInt(1 << 24 | 32_752);
        pair.far().write(record(beginning));
        turned.turnUntil(
                () -> turned.loop.tlsBuffers().keptBytes() >= TlsLayer.HANDSHAKE_BYTES + 16_000);
        pair.far().write(record(new byte[16_000]));
        turned.turnUntil(
                () -> turned.loop.tlsBuffers().keptBytes() >= TlsLayer.HANDSHAKE_BYTES + 32_000);
        assertFalse(socket.holdsBuffers());

        fillTlsBuffers();
        turned.turn();
        assertEquals(List.of("closed TLS_TIMEOUT"), closings());
    }

    @Test
    void smallRecordsOfAHandshakeMakeItNoNewer() throws IOException {
        byte[] beginning = new byte[100];
        ByteBuffer.wrap(beginning).putInt(1 << 24 | 32_752);
        pair.far().write(record(beginning));
        turned.turnUntil(
                () -> turned.loop.tlsBuffers().keptBytes() >= TlsLayer.HANDSHAKE_BYTES + 100);
        List<String> crowdedOut = new ArrayList<>();
        turned.loop.tlsBuffers().keep(() -> crowdedOut.add("newer"), 1, true);
        pair.far().write(record(new byte[100]));
        turned.turnUntil(
                () -> turned.loop.tlsBuffers().keptBytes() >= TlsLayer.HANDSHAKE_BYTES + 200);

        fillTlsBuffers();
        turned.turn();
        assertEquals(List.of("closed TLS_TIMEOUT"), closings());
    }

    @Test
    void aMessageBehindTheHandshakeCountsUntilContentComes() throws Exception {
        assumeTrue(version.equals("TLSv1.3"));
        SSLSocket client = connect();
        // Without waiting for what comes next, KeyUpdate is all that there is.
        client.startHandshake();
        turned.turnUntil(() -> turned.loop.tlsBuffers().keptBytes() > 0);
        client.getOutputStream().write("x".getBytes(US_ASCII));
        turned.turnUntil(() -> owner.bytes.size() == 1);
        assertEquals(0, turned.loop.tlsBuffers().keptBytes());
    }

    /** The engine copies what has come of a message with each record of it. */
    @Test
    void aMessageInManySmallRecordsIsCutOff() throws IOException {
        byte[] piece = new byte[100];
        int recordBytes = record(piece).remaining();
        ByteBuffer.wrap(piece).putInt(1 << 24 | 32_752);
        int records = 0;
        for (int copied = 0; copied + records * recordBytes <= TlsMessage.MOST_COPIED_BYTES; ) {
            copied += records * recordBytes;
            pair.far().write(record(piece));
            piece = new byte[100];
            records++;
        }
        int all = records * recordBytes;
        long kept = (long) TlsLayer.HANDSHAKE_BYTES + all;
        turned.turnUntil(() -> turned.loop.tlsBuffers().keptBytes() == kept);
        assertTrue(all < 10_000, "after " + all);
        assertFalse(socket.isClosed());

        pair.far().write(record(piece));
        turned.turnUntil(socket::isClosed);
        assertEquals(List.of("closed TLS_FAILED"), closings());
    }

    /** A client may ask for records of 512 bytes (RFC 6066 section 4), and they may trickle. */
    @Test
    void aLargeMessageInRecordsThatAreNotSmallIsTaken() throws IOException {
        byte[] piece = new byte[512];
        ByteBuffer.wrap(piece).putInt(1 << 24 | 32_752);
        for (int i = 0; i < 60; i++) {
            ByteBuffer sent = record(piece);
            while (sent.hasRemaining()) {
                ByteBuffer some = sent.slice(sent.position(), Math.min(90, sent.remaining()));
                sent.position(sent.position() + pair.far().write(some));
                turned.turn();
            }
            piece = new byte[512];
        }
        turned.turnUntil(
                () -> turned.loop.tlsBuffers().keptBytes() > TlsLayer.HANDSHAKE_BYTES + 31_000);
        assertFalse(socket.isClosed());
    }

    private static ByteBuffer record(byte[] handshake) {
        return ByteBuffer.allocate(5 + handshake.length)
                .put(new byte[] {22, 3, 3})
                .putShort((short) handshake.length)
                .put(handshake)
                .flip();
    }

    /** With what another connection keeps. */
    private void fillTlsBuffers() {
        int all = (int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory());
        turned.loop.tlsBuffers().keep(() -> {}, all, true);
    }

    /** In the order of their coming all would wait until their time is over. */
    @Test
    void theNewestHandshakeGoesFirstAndTheOldestIsDropped() throws IOException {
        Semaphore blocked = new Semaphore(0);
        HandshakeThreads few = new HandshakeThreads(1, 2);
        few.execute(blocked::acquireUninterruptibly, () -> {});
        SSLEngine client = clientEngine();
        ByteBuffer hello = ByteBuffer.allocate(20_000);
        client.wrap(ByteBuffer.allocate(0), hello);
        hello.flip();
        List<String> heard = new ArrayList<>();
        List<TlsLayer> layers = new ArrayList<>();
        for (String name : List.of("first", "second", "third", "fourth")) {
            TlsLayer layer = layer(few, new Recorder(name, heard));
            layers.add(layer);
            assertFalse(layer.unwrap(hello.duplicate()).hasRemaining());
            assertTrue(layer.isBusy());
        }
        layers.get(2).release();
        turned.turnUntil(() -> heard.size() == 2);
        assertEquals(List.of("first too slow", "second too slow"), heard);
        blocked.release();
        turned.turnUntil(() -> heard.size() == 3);
        assertEquals("fourth done", heard.getLast());
        assertFalse(layers.getLast().isBusy());
        layers.forEach(TlsLayer::release);
    }

    private record Recorder(String name, List<String> heard) implements TlsLayer.Owner {
        @Override
        public void tasksDone() {
            heard.add(name + " done");
        }

        @Override
        public void tooSlow() {
            heard.add(name + " too slow");
        }
    }

    private TlsLayer layer(HandshakeThreads threads, TlsLayer.Owner owner) throws SSLException {
        return new TlsLayer(turned.loop, pair.near(), serverSide.createSSLEngine(), threads, owner);
    }

    /** Connects the client, and turns the loop until both are through. */
    private SSLSocket connect() {
        CompletableFuture<SSLSocket> connected = begin(this::client);
        turned.turnUntil(connected::isDone);
        SSLSocket client = connected.join();
        // Its last message may be on its way.
        turned.turnUntil(() -> turned.timerCount() == 0);
        return client;
    }

    private SSLSocket client() throws IOException {
        return client(clientSide);
    }

    private SSLSocket client(SSLContext context) throws IOException {
        Socket plain = pair.far().socket();
        SSLSocket client =
                (SSLSocket) context.getSocketFactory().createSocket(plain, "localhost", 1, true);
        client.setEnabledProtocols(new String[] {version});
        client.startHandshake();
        return client;
    }

    private SSLEngine clientEngine() throws SSLException {
        SSLEngine engine = clientSide.createSSLEngine("localhost", 1);
        engine.setUseClientMode(true);
        engine.setEnabledProtocols(new String[] {version});
        engine.beginHandshake();
        return engine;
    }

    private byte[] receive(SSLSocket client, int count) {
        CompletableFuture<byte[]> received = begin(() -> client.getInputStream().readNBytes(count));
        turned.turnUntil(received::isDone);
        return received.join();
    }

    private List<String> closings() {
        return owner.events.stream().filter(each -> each.startsWith("closed")).toList();
    }

    private static <T> CompletableFuture<T> begin(Callable<T> action) {
        CompletableFuture<T> done = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .start(() -> {
                    try {
                        done.complete(action.call());
                    } catch (Throwable failure) {
                        done.completeExceptionally(failure);
                    }
                });
        return done;
    }
}
