package dev.handoff.launcher.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFileTest {
    @TempDir private Path folder;

    @Test
    void appendsToWhatIsThere() throws IOException {
        Path path = Files.writeString(folder.resolve("log"), "before\n");
        write(new LogFile(path), "after\n");
        assertEquals("before\nafter\n", Files.readString(path));
    }

    @Test
    void endsALineThatAFullDiskHasCut() throws IOException {
        Path path = Files.writeString(folder.resolve("log"), "before\ncu");
        LogFile file = new LogFile(path);
        write(file, "after\n");
        assertEquals("before\ncu\nafter\n", Files.readString(path));
        Files.writeString(path, "cu");
        file.reopen();
        write(file, "after\n");
        assertEquals("cu\nafter\n", Files.readString(path));
    }

    /** It would hang until somebody reads there. */
    @Test
    void isNoNamedPipeThatNobodyReads() throws Exception {
        Path path = folder.resolve("pipe");
        assumeTrue(new ProcessBuilder("mkfifo", path.toString()).start().waitFor() == 0);
        String told = assertThrows(IOException.class, () -> new LogFile(path)).getMessage();
        assertEquals(path + " is a named pipe, and nobody reads it", told);
        LogFile file = new LogFile(folder.resolve("log"));
        Files.move(path, folder.resolve("log"), StandardCopyOption.REPLACE_EXISTING);
        assertThrows(IOException.class, file::reopen);
    }

    @Test
    void isNotForOtherUsers() throws IOException {
        Path path = folder.resolve("log");
        new LogFile(path).reopen();
        assertFalse(Files.getPosixFilePermissions(path).contains(PosixFilePermission.OTHERS_READ));
    }

    @Test
    void leavesThePermissionsOfAFileThatIsThere() throws IOException {
        Path path = Files.createFile(folder.resolve("log"));
        Set<PosixFilePermission> given = PosixFilePermissions.fromString("rw-r--r--");
        Files.setPosixFilePermissions(path, given);
        new LogFile(path).reopen();
        assertEquals(given, Files.getPosixFilePermissions(path));
    }

    @Test
    void goesOnAtTheBeginningOfAFileThatWasCutToNothing() throws IOException {
        Path path = folder.resolve("log");
        LogFile file = new LogFile(path);
        write(file, "one\n");
        Files.writeString(path, "");
        write(file, "two\n");
        assertEquals("two\n", Files.readString(path));
    }

    @Test
    void goesOnInANewFileWhenTheOldOneWasMovedAway() throws IOException {
        Path path = folder.resolve("log");
        Path moved = folder.resolve("log.1");
        LogFile file = new LogFile(path);
        write(file, "one\n");
        Files.move(path, moved);
        write(file, "two\n");
        file.reopen();
        write(file, "three\n");
        assertEquals("one\ntwo\n", Files.readString(moved));
        assertEquals("three\n", Files.readString(path));
    }

    @Test
    void staysInTheOldFileWhenThereCannotBeANewOne() throws IOException {
        Path path = folder.resolve("log");
        LogFile file = new LogFile(path);
        Path moved = Files.move(path, folder.resolve("log.1"));
        Files.createDirectory(path);
        assertThrows(IOException.class, file::reopen);
        write(file, "kept\n");
        assertEquals("kept\n", Files.readString(moved));
    }

    @Test
    void saysWhenTheDiskIsFull() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "this system has no /dev/full");
        LogFile file = new LogFile(full);
        assertThrows(IOException.class, () -> write(file, "lost\n"));
    }

    private static void write(LogFile file, String lines) throws IOException {
        file.write(lines.getBytes(StandardCharsets.UTF_8));
    }
}
