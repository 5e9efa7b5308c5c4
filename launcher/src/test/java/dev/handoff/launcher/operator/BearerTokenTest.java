package dev.handoff.launcher.operator;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.handoff.loop.SocketTable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a connection that the table, which Linux would write, describes in ways of its own. */
class BearerTokenTest {
    private static final int ROOT = 0;
    private static final int STRANGER = 65_432;
    private static final int INODE = 77;
    private static final int NOT_ACCEPTED = 0;
    private static final String CONNECTED = "01";
    private static final String LISTENS = "0A";

    @TempDir private Path folder;
    private ServerSocket server;
    private Socket client;
    private BearerToken token;

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        client = new Socket(server.getInetAddress(), server.getLocalPort());
        Path file = Files.writeString(folder.resolve("token"), "a-token-of-the-test");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        token = new BearerToken("a-token-of-the-test", file);
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
    }

    @Test
    void isToldToRootAndToItsOwnUser() {
        assertDoesNotThrow(() -> tell(otherEnd(ROOT, INODE)));
        assertDoesNotThrow(
                () -> tell(otherEnd((int) Files.getAttribute(folder, "unix:uid"), INODE)));
    }

    @Test
    void isNotToldToOneWhoMayNotReadItsFile() {
        assertThrows(AdminException.class, () -> tell(otherEnd(STRANGER, INODE)));
    }

    @Test
    void isToldToOneWhoMayReadItsFile() throws IOException {
        Files.setPosixFilePermissions(token.file(), PosixFilePermissions.fromString("rw----r--"));
        assertDoesNotThrow(() -> tell(otherEnd(STRANGER, INODE)));
    }

    /** Whoever listened when somebody looked may have passed the port on. */
    @Test
    void isToldToTheUserAtTheOtherEndWhoeverListens() {
        assertThrows(AdminException.class, () -> tell(listener(ROOT) + otherEnd(STRANGER, INODE)));
        assertDoesNotThrow(() -> tell(listener(STRANGER) + otherEnd(ROOT, INODE)));
    }

    @Test
    void isToldToNobodyWhileTheConnectionIsNotAccepted() {
        assertThrows(IOException.class, () -> tell(listener(ROOT) + otherEnd(ROOT, NOT_ACCEPTED)));
    }

    @Test
    void isToldToNobodyWhomTheSystemDoesNotName() {
        assertThrows(IOException.class, () -> tell(""));
        assertThrows(IOException.class, () -> tell(ownEnd()));
    }

    @Test
    void isToldWhereTheSystemNamesNobodyAtAll() {
        SocketTable none = SocketTable.of(List.of(folder.resolve("none")));
        assertDoesNotThrow(() -> token.requireTrusted(client, none, Duration.ZERO));
    }

    private void tell(String rows) throws Exception {
        Path table = folder.resolve("tcp");
        Files.writeString(table, "  sl  local_address rem_address   st\n" + rows);
        token.requireTrusted(client, SocketTable.of(List.of(table)), Duration.ZERO);
    }

    private String otherEnd(int user, int inode) {
        return row(server.getLocalPort(), hex(), client.getLocalPort(), CONNECTED, user, inode);
    }

    private String ownEnd() {
        return row(client.getLocalPort(), hex(), server.getLocalPort(), CONNECTED, ROOT, INODE);
    }

    private String listener(int user) {
        return row(server.getLocalPort(), "00000000", 0, LISTENS, user, INODE + 1);
    }

    private static String row(
            int port, String remote, int remotePort, String state, int user, int inode) {
        return String.format(
                Locale.ROOT,
                "   0: %s:%04X %s:%04X %s 00000000:00000000 00:00000000 00000000 %5d        0 %d 1%n",
                hex(),
                port,
                remote,
                remotePort,
                state,
                user,
                inode);
    }

    /** Of 127.0.0.1. */
    private static String hex() {
        byte[] address = {127, 0, 0, 1};
        int word = ByteBuffer.wrap(address).order(ByteOrder.nativeOrder()).getInt();
        return String.format(Locale.ROOT, "%08X", word);
    }
}
