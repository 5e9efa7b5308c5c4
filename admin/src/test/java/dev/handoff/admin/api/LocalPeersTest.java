package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.loop.SocketTable;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LocalPeersTest {
    private static final int OWN = 1000;
    private static final int PORT = 8081;
    private static final String CLIENT = "127.0.0.1:40000";

    private static final String HEADING = "  sl  local_address rem_address   st\n";
    private static final String ACCEPTED = row("127.0.0.1", PORT, "127.0.0.1", 40000, OWN, 9);
    private static final String OWN_CLIENT =
            HEADING + row("127.0.0.1", 40000, "127.0.0.1", PORT, OWN, 1) + ACCEPTED;

    /** What is to be done on the thread that may wait. */
    private final Queue<Runnable> readings = new ArrayDeque<>();

    @TempDir private Path folder;

    @ParameterizedTest
    @CsvSource({
        "1000, 77, true",
        "0,    77, true",
        "1001, 77, false",
        "1000, 0,  false",
        "0,    0,  false",
    })
    void ownUserAndRootAreOurs(int uid, int inode, boolean ours) throws Exception {
        assertEquals(
                ours,
                isOurs(CLIENT, row("127.0.0.1", 40000, "127.0.0.1", PORT, uid, inode), ACCEPTED));
    }

    /** The connection of whom the list tells is another one: ours was accepted. */
    @Test
    void whoWaitsToBeAcceptedHasSaidNothingYet() throws Exception {
        String client = row("127.0.0.1", 40000, "127.0.0.1", PORT, OWN, 1);
        assertEquals(false, isOurs(CLIENT, client));
        assertEquals(
                false, isOurs(CLIENT, client, row("127.0.0.1", PORT, "127.0.0.1", 40000, OWN, 0)));
    }

    @Test
    void whoHasLeftIsNotTheNextOneFromThere() throws Exception {
        LocalPeers peers = peers(list(OWN_CLIENT));
        CompletableFuture<Boolean> asked = peers.isOurs(CLIENT, Runnable::run);
        peers.onConnectionOpened(CLIENT);
        readings.remove().run();
        assertEquals(false, asked.get(20, TimeUnit.SECONDS));
    }

    /** The list was read before the next one opened, but the loop has not heard of it yet. */
    @Test
    void whoHasLeftIsNotTheNextOneWhenTheAnswerIsUnderWay() throws Exception {
        Queue<Runnable> loop = new ArrayDeque<>();
        LocalPeers peers = peers(list(OWN_CLIENT));
        CompletableFuture<Boolean> asked = peers.isOurs(CLIENT, loop::add);
        readings.remove().run();
        peers.onConnectionOpened(CLIENT);
        loop.remove().run();
        assertEquals(false, asked.get(20, TimeUnit.SECONDS));
    }

    /** Else whoever calls and leaves, again and again, would keep others waiting. */
    @Test
    void oneReadingAnswersAllThatWait() throws Exception {
        LocalPeers peers = peers(list(OWN_CLIENT));
        List<CompletableFuture<Boolean>> others = new ArrayList<>();
        for (int clientPort = 1; clientPort <= 1_000; clientPort++) {
            others.add(peers.isOurs("127.0.0.1:" + clientPort, Runnable::run));
        }
        CompletableFuture<Boolean> own = peers.isOurs(CLIENT, Runnable::run);
        readings.remove().run();
        assertEquals(true, own.get(20, TimeUnit.SECONDS));
        for (CompletableFuture<Boolean> other : others) {
            assertEquals(false, other.get(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void aPortThatLeadsToSeveralAddressesIsItsUsersOnlyIfAllAre() throws Exception {
        assertEquals(
                false,
                isOurs(
                        CLIENT,
                        row("127.0.0.1", 40000, "127.0.0.1", PORT, 1001, 1),
                        row("127.0.0.1", 40000, "127.0.0.5", PORT, OWN, 2),
                        ACCEPTED));
    }

    /** What it has written it may have written as anybody. */
    @Test
    void whoHasClosedAlreadyIsNobody() throws Exception {
        assertEquals(false, isOurs(CLIENT));
    }

    @Test
    void theServersEndIsNotTheClients() throws Exception {
        assertEquals(
                false,
                isOurs(
                        CLIENT,
                        row("127.0.0.1", PORT, "127.0.0.1", 40000, OWN, 1),
                        row("127.0.0.1", 40000, "127.0.0.1", 9999, OWN, 2),
                        row("127.0.0.2", 40000, "127.0.0.1", PORT, OWN, 3),
                        row("127.0.0.1", 40000, "127.0.0.1", PORT, 1001, 4)));
    }

    @Test
    void readsAddressesOfBothFamilies() throws Exception {
        String[] rows = {
            row("::1", 40000, "::1", PORT, OWN, 1), row("::1", PORT, "::1", 40000, OWN, 2)
        };
        assertEquals(true, isOurs("[0:0:0:0:0:0:0:1]:40000", rows));
        assertEquals(false, isOurs(CLIENT, rows));
        String mapped = "0000000000000000FFFF0000" + hex("127.0.0.1");
        assertEquals(
                true,
                isOurs(
                        CLIENT,
                        line(mapped, 40000, mapped, PORT, OWN, 1),
                        line(mapped, PORT, mapped, 40000, OWN, 2)));
    }

    @Test
    void whereTheSystemDoesNotTellNobodyIsKeptOut() throws Exception {
        LocalPeers untold =
                new LocalPeers(SocketTable.of(List.of(folder.resolve("none"))), OWN, readings::add);
        assertEquals(true, untold.isOurs(CLIENT, Runnable::run).get(20, TimeUnit.SECONDS));
    }

    private boolean isOurs(String client, String... rows) throws Exception {
        CompletableFuture<Boolean> asked =
                peers(list(HEADING + String.join("", rows))).isOurs(client, Runnable::run);
        readings.remove().run();
        return asked.get(20, TimeUnit.SECONDS);
    }

    private Path list(String text) throws Exception {
        return Files.writeString(folder.resolve("tcp"), text);
    }

    private LocalPeers peers(Path table) {
        LocalPeers peers = new LocalPeers(SocketTable.of(List.of(table)), OWN, readings::add);
        peers.calledOn(PORT);
        return peers;
    }

    private static String row(
            String from, int fromPort, String to, int toPort, int uid, int inode) {
        return line(hex(from), fromPort, hex(to), toPort, uid, inode);
    }

    private static String line(
            String from, int fromPort, String to, int toPort, int uid, int inode) {
        return String.format(
                Locale.ROOT,
                "   0: %s:%04X %s:%04X 01 00000000:00000000 00:00000000 00000000 %5d        0 %d 1"
                        + " 0000000000000000 20 4 30 10 -1%n",
                from,
                fromPort,
                to,
                toPort,
                uid,
                inode);
    }

    private static String hex(String address) {
        ByteBuffer bytes =
                ByteBuffer.wrap(InetAddress.ofLiteral(address).getAddress())
                        .order(ByteOrder.nativeOrder());
        StringBuilder text = new StringBuilder();
        while (bytes.hasRemaining()) {
            text.append(String.format(Locale.ROOT, "%08X", bytes.getInt()));
        }
        return text.toString();
    }
}
