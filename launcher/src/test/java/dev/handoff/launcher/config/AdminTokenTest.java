package dev.handoff.launcher.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdminTokenTest {
    private static final String SHORTEST = "0123456789abcdef";

    @TempDir private Path folder;

    @Test
    void isTheFilesLineWithoutItsEnd() throws Exception {
        assertEquals(SHORTEST, AdminToken.read(file(SHORTEST + "\n")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\n",
                "0123456789abcde",
                "0123456789abcdef secret",
                "0123456789abcdef\nsecret-of-the-second-line",
                "0123456789abcdefsecreté"
            })
    void refusesWhatCannotBeAToken(String content) throws Exception {
        Path file = file(content);
        String message = refusal(file);
        assertTrue(message.contains(file.toString()), message);
        assertFalse(message.contains("secret"), message);
    }

    @Test
    void takesOneOfTheGreatestLengthAndNoLonger() throws Exception {
        assertEquals(1024, AdminToken.read(file("x".repeat(1024))).length());
        assertTrue(refusal(file("x".repeat(1025))).contains("1025 characters"));
        assertTrue(refusal(file("x".repeat(100_000))).contains("too large"));
    }

    @Test
    void refusesAFileThatIsNotThere() {
        assertTrue(refusal(folder.resolve("none")).contains("there is no file"));
    }

    /** It would hang until somebody writes there. */
    @Test
    void isNoNamedPipe() throws Exception {
        Path pipe = folder.resolve("pipe");
        assumeTrue(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0);
        assertEquals(
                pipe
                        + " is a named pipe, where nobody may ever write: expected a file with a token",
                assertThrows(StartException.class, () -> AdminToken.read(pipe)).getMessage());
    }

    @Test
    void refusesWhatIsNotText() throws Exception {
        Path file = folder.resolve("binary");
        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
        assertTrue(refusal(file).contains("binary"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isNotAnotherUsersWhereAllMayPutFiles(boolean linked) throws Exception {
        assumeTrue(
                Files.getAttribute(folder, "unix:uid").equals(0),
                "only root can give a file to somebody else");
        mode(01777);
        Path file =
                linked
                        ? Files.createSymbolicLink(folder.resolve("link"), file(SHORTEST))
                        : file(SHORTEST);
        Files.setAttribute(file, "unix:uid", 65534, LinkOption.NOFOLLOW_LINKS);
        StartException refused =
                assertThrows(StartException.class, () -> AdminToken.readOrMake(file));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("to another user"), message);

        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertEquals(SHORTEST, AdminToken.readOrMake(file));
    }

    /** As in {@code /tmp/handoff}, for whoever made that first. */
    @Test
    void isNotInAnotherUsersFolderWhereAllMayPutOne() throws Exception {
        assumeTrue(
                Files.getAttribute(folder, "unix:uid").equals(0),
                "only root can give a file to somebody else");
        mode(01777);
        Path theirs = Files.createDirectory(folder.resolve("theirs"));
        Path file = Files.writeString(theirs.resolve("token"), SHORTEST);
        assertEquals(SHORTEST, AdminToken.readOrMake(file));

        Files.setAttribute(theirs, "unix:uid", 65534);
        StartException refused =
                assertThrows(StartException.class, () -> AdminToken.readOrMake(file));
        assertTrue(String.valueOf(refused.getMessage()).contains("to another user"));
    }

    /** Any user could exchange it between the look at its owner and the reading. */
    @Test
    void isNotWhereAnyUserMayPutAnotherInItsPlace() throws Exception {
        mode(0777);
        Path file = folder.resolve("token");
        for (int i = 0; i < 2; i++) {
            StartException refused =
                    assertThrows(StartException.class, () -> AdminToken.readOrMake(file));
            assertTrue(String.valueOf(refused.getMessage()).contains("sticky"));
            assertEquals(i == 0, Files.notExists(file), "it is not made there either");
            file(SHORTEST);
        }
        mode(01777);
        assertEquals(SHORTEST, AdminToken.readOrMake(file));
    }

    @Test
    void isMadeOnce() throws Exception {
        Path file = folder.resolve("made");
        String token = AdminToken.readOrMake(file);
        assertEquals(32, token.length());
        assertEquals(token, AdminToken.readOrMake(file));
        assertNotEquals(token, AdminToken.readOrMake(folder.resolve("other")));
    }

    @Test
    void isMadeForTheGroupToReadWhereItMayWriteToTheFolder() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwx---"));
        Path file = folder.resolve("made");
        AdminToken.readOrMake(file);
        assertEquals("rw-r-----", permissions(file));
    }

    @ParameterizedTest
    @ValueSource(ints = {0755, 01777})
    void isItsOwnersInAFolderThatIsNotTheGroups(int folderIs) throws Exception {
        mode(folderIs);
        Path file = folder.resolve("made");
        AdminToken.readOrMake(file);
        assertEquals("rw-------", permissions(file));
    }

    @Test
    void isItsOwnersWhereItsGroupIsNotTheFolders() throws Exception {
        assumeTrue(
                Files.getOwner(folder).getName().equals("root"),
                "only root can give a folder to another group");
        GroupPrincipal other =
                folder.getFileSystem()
                        .getUserPrincipalLookupService()
                        .lookupPrincipalByGroupName("daemon");
        Files.getFileAttributeView(folder, PosixFileAttributeView.class).setGroup(other);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwx---"));
        Path file = folder.resolve("made");
        AdminToken.readOrMake(file);
        assertEquals("rw-------", permissions(file));
    }

    @Test
    void leavesNothingBesideIt() throws Exception {
        AdminToken.readOrMake(folder.resolve("made"));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(folder.resolve("made")), files.toList());
        }
    }

    @Test
    void saysWhereItCannotBeMade() {
        Path file = folder.resolve("none/token");
        String message =
                String.valueOf(
                        assertThrows(StartException.class, () -> AdminToken.readOrMake(file))
                                .getMessage());
        assertTrue(message.contains("there is no folder for the file " + file), message);
    }

    private static String permissions(Path file) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private static String refusal(Path file) {
        return String.valueOf(
                assertThrows(StartException.class, () -> AdminToken.read(file)).getMessage());
    }

    private Path file(String content) throws Exception {
        return Files.writeString(folder.resolve("token"), content, StandardCharsets.UTF_8);
    }

    private void mode(int permissions) throws IOException {
        Files.setAttribute(folder, "unix:mode", permissions);
    }
}
