package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.loop.SocketTable;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LocalPeersTest {
    private static final int OWN = 1000;
    private static final int PORT = 8081;
    private static final String CLIENT = "127.0.0.1:40000";

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
        assertEquals(ours, isOurs(CLIENT, row("127.0.0.1", 40000, "127.0.0.1", PORT, uid, inode)));
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
        String[] rows = {row("::1", 40000, "::1", PORT, OWN, 1)};
        assertEquals(true, isOurs("[0:0:0:0:0:0:0:1]:40000", rows));
        assertEquals(false, isOurs(CLIENT, rows));
        String mapped = "0000000000000000FFFF0000" + hex("127.0.0.1");
        assertEquals(true, isOurs(CLIENT, line(mapped, 40000, mapped, PORT, OWN, 1)));
    }

    @Test
    void whereTheSystemDoesNotTellNobodyIsKeptOut() throws Exception {
        LocalPeers untold = new LocalPeers(SocketTable.of(List.of(folder.resolve("none"))), OWN);
        assertEquals(true, untold.isOurs(CLIENT).get(20, TimeUnit.SECONDS));
    }

    private boolean isOurs(String client, String... rows) throws Exception {
        Path table = folder.resolve("tcp");
        Files.writeString(table, "  sl  local_address rem_address   st\n" + String.join("", rows));
        LocalPeers peers = new LocalPeers(SocketTable.of(List.of(table)), OWN);
        peers.calledOn(PORT);
        return peers.isOurs(client).get(20, TimeUnit.SECONDS);
    }

    private static String row(String from, int fromPort, String to, int toPort, int uid, int inode)
            throws Exception {
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

    private static String hex(String address) throws Exception {
        ByteBuffer bytes =
                ByteBuffer.wrap(InetAddress.getByName(address).getAddress())
                        .order(ByteOrder.nativeOrder());
        StringBuilder text = new StringBuilder();
        while (bytes.hasRemaining()) {
            text.append(String.format(Locale.ROOT, "%08X", bytes.getInt()));
        }
        return text.toString();
    }
}
