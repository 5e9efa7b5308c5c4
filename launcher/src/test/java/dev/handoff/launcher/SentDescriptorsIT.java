package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A descriptor that comes over a Unix socket is closed in the loop that reads, and may keep that
 * waiting for as long as who sent it likes. So the system refuses it, where it can.
 */
final class SentDescriptorsIT extends EndToEnd {
    /** Says how the system took a descriptor that it sends to a socket. */
    private static final String SENDER =
            """
            import array, socket, sys

            def send(to):
                try:
                    to.getsockopt(socket.SOL_SOCKET, 83)
                except OSError:
                    return "not asked"
                try:
                    to.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])
                except PermissionError:
                    return "refused"
                except BrokenPipeError:
                    # The core only looked whether somebody listens.
                    return "gone"
                return "sent"
            """;

    private static final String ASKS =
            """

            print(send(socket.socketpair()[0]))
            """;

    private static final String CLIENT =
            """

            to = socket.socket(socket.AF_UNIX)
            to.connect(sys.argv[1])
            print(send(to))
            """;

    private static final String SERVER =
            """

            listening = socket.socket(socket.AF_UNIX)
            listening.bind(sys.argv[1])
            listening.listen()
            while True:
                connection = listening.accept()[0]
                told = send(connection)
                if connection.recv(65536):
                    text = f"HTTP/1.1 200 OK\\r\\nContent-Length: {len(told)}\\r\\n\\r\\n{told}"
                    connection.sendall(text.encode())
                connection.close()
            """;

    @TempDir private Path folder;

    @BeforeEach
    void needsASystemThatCan() throws Exception {
        Path script = Files.writeString(folder.resolve("asks.py"), SENDER + ASKS);
        assumeFalse(
                outputOf("python3", script.toString()).equals("not asked"),
                "this system cannot refuse descriptors");
    }

    @Test
    void aClientSendsNone() throws Exception {
        Path file = folder.resolve("http.sock");
        HandoffProcess handoff =
                run("--listen", "unix:" + file, Distribution.testWorker("tells_frame.py"));
        assertEquals("unix:" + file, handoff.url());
        assertEquals("refused", sentBy(file));
    }

    /** Whoever is in its group may connect. */
    @Test
    void nobodySendsOneToAChosenSocket() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-x---"));
        Path file = folder.resolve("worker.sock");
        HandoffProcess handoff =
                run("--socket", file.toString(), Distribution.testWorker("tells_frame.py"));
        handoff.awaitWorkers(1);
        assertEquals("refused", sentBy(file));
    }

    @Test
    void aWorkerOfAnotherUserSendsNone() throws Exception {
        UserIT.assumeRoot();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        Path file = folder.resolve("worker.sock");
        String waits = "echo on; sleep 600";
        String socket = file.toString();
        HandoffProcess handoff =
                run(
                        "--socket",
                        socket,
                        "--user",
                        "nobody",
                        "--workers",
                        "1",
                        "--",
                        "sh",
                        "-c",
                        waits);
        handoff.stdout().await("default-1 | on"::equals);
        assertEquals("refused", sentBy(file));
    }

    @Test
    void anHttpServerSendsNone() throws Exception {
        Path script = Files.writeString(folder.resolve("server.py"), SENDER + SERVER);
        HandoffProcess handoff = run("--http", "--", "python3", script.toString(), "{socket}");
        assertEquals("refused", client(handoff).ask("/").text());
    }

    private String sentBy(Path file) throws Exception {
        Path script = Files.writeString(folder.resolve("client.py"), SENDER + CLIENT);
        return outputOf("python3", script.toString(), file.toString());
    }

    private static String outputOf(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }
}
