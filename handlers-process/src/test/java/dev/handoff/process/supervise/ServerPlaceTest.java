package dev.handoff.process.supervise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServerPlaceTest {
    @TempDir private Path folder;

    @Test
    void removesWhatTheServerHasLeft() throws IOException {
        Path own = Files.createDirectory(folder.resolve("http-1"));
        Path socket = Files.createFile(own.resolve("http"));
        new ServerPlace(0, socket, null).remove();
        assertFalse(Files.exists(own));
    }

    @Test
    void removesTheFolderOfAServerThatNeverListened() throws IOException {
        Path own = Files.createDirectory(folder.resolve("http-1"));
        new ServerPlace(0, own.resolve("http"), null).remove();
        assertFalse(Files.exists(own));
    }

    /** The server's user may rename its folder, and the core may have more rights than that. */
    @Test
    void removesNothingWhereALinkLeads() throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Path others = Files.createFile(elsewhere.resolve("http"));
        Path link = Files.createSymbolicLink(folder.resolve("http-1"), elsewhere);
        new ServerPlace(0, link.resolve("http"), null).remove();
        assertTrue(Files.exists(others));
        assertTrue(Files.exists(link, LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void leavesNoFolderBehindForAUserWhoDoesNotExist() throws IOException {
        List<String> arguments = List.of("serve", HttpServing.SOCKET_WORD);
        WorkerCommand command =
                new WorkerCommand(
                        arguments,
                        Map.of(),
                        folder.resolve("s"),
                        null,
                        false,
                        false,
                        "no-such-user",
                        null);
        assertThrows(IOException.class, () -> ServerPlace.choose(command, new HttpServing(1, 0)));
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(), left.toList());
        }
    }
}
