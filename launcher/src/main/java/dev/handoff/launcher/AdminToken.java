package dev.handoff.launcher;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;

/** The secret of the admin server, which it and those who ask it read from the same file. */
final class AdminToken {
    private static final System.Logger LOG = System.getLogger(AdminToken.class.getName());
    private static final int LEAST_LENGTH = 16;
    private static final int MOST_LENGTH = 1024;

    /** More than anybody can guess: 192 bits. */
    private static final int SECRET_BYTES = 24;

    private AdminToken() {}

    /**
     * Reads the file, and makes it first where there is none. The server does so, and whoever runs
     * it need not: {@code docker compose up} has nobody who could.
     */
    static String readOrMake(Path file) throws StartException {
        if (Files.notExists(file)) {
            make(file);
        }
        return read(file);
    }

    /**
     * Reads the file's one line.
     *
     * @throws StartException if there is none that can be a token; the message does not quote it
     */
    static String read(Path file) throws StartException {
        String token = text(file).strip();
        if (token.length() < LEAST_LENGTH || token.length() > MOST_LENGTH) {
            throw new StartException(
                    "the token in %s has %d characters: expected %d to %d"
                            .formatted(file, token.length(), LEAST_LENGTH, MOST_LENGTH));
        }
        // What a field of HTTP can carry after "Bearer ", and nothing that is invisible.
        if (!token.chars().allMatch(each -> each > ' ' && each < 0x7f)) {
            throw new StartException(
                    "the token in %s has other characters than visible ASCII, or more than one line"
                            .formatted(file));
        }
        return token;
    }

    /** Whoever can read the file can do what an operator can. */
    static void warnIfOthersCanRead(Path file) throws StartException {
        try {
            boolean posix = Files.getFileStore(file).supportsFileAttributeView("posix");
            if (posix
                    && Files.getPosixFilePermissions(file)
                            .contains(PosixFilePermission.OTHERS_READ)) {
                LOG.log(
                        Level.WARNING,
                        "every user of this machine can read the admin server's token: chmod o-r "
                                + file);
            }
        } catch (IOException failure) {
            throw new StartException("cannot look at " + file + ": " + failure, failure);
        }
    }

    private static void make(Path file) throws StartException {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        String line = Base64.getUrlEncoder().withoutPadding().encodeToString(secret) + "\n";
        try (SeekableByteChannel channel =
                Files.newByteChannel(file, Set.of(CREATE_NEW, WRITE), readers(file))) {
            ByteBuffer rest = ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII));
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
            LOG.log(Level.INFO, "made a token for the admin server: " + file);
        } catch (FileAlreadyExistsException other) {
            LOG.log(Level.DEBUG, "another server has just made " + file);
        } catch (IOException failure) {
            throw new StartException(
                    "cannot make the file %s for the admin server's token (--admin-token-file): %s"
                            .formatted(file, failure),
                    failure);
        }
    }

    /**
     * Its owner alone; and its group, such as that of a Prometheus, where the group may write to
     * the folder and so could put a token of its own there anyway.
     */
    private static FileAttribute<?>[] readers(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.getFileStore(folder).supportsFileAttributeView("posix")) {
            return new FileAttribute<?>[0];
        }
        boolean shared =
                Files.getPosixFilePermissions(folder).contains(PosixFilePermission.GROUP_WRITE);
        return new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(
                    PosixFilePermissions.fromString(shared ? "rw-r-----" : "rw-------"))
        };
    }

    private static String text(Path file) throws StartException {
        try {
            if (Files.isRegularFile(file) && Files.size(file) > 2 * MOST_LENGTH) {
                throw new StartException(file + " is too large for a file with a token");
            }
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException none) {
            throw new StartException("there is no file " + file + " (--admin-token-file)", none);
        } catch (CharacterCodingException binary) {
            throw new StartException(file + " has no token, but binary content", binary);
        } catch (IOException failure) {
            throw new StartException(
                    "cannot read the token in " + file + ": " + failure.getMessage(), failure);
        }
    }
}
