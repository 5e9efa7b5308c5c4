package dev.handoff.launcher.config;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The token of the admin server, which the server and its callers read from the same file. */
public final class AdminToken {
    private static final System.Logger LOG = System.getLogger(AdminToken.class.getName());
    private static final int LEAST_LENGTH = 16;
    private static final int MOST_LENGTH = 1024;

    /** More than anybody can guess: 192 bits. */
    private static final int SECRET_BYTES = 24;

    private AdminToken() {}

    /**
     * Reads the file, and creates it first if there is none, so that {@code docker compose up}
     * works without a step by hand.
     */
    static String readOrMake(Path file) throws StartException {
        refuseUnsafePlace(file);
        if (Files.notExists(file)) {
            make(file);
            refuseUnsafePlace(file);
        }
        return read(file);
    }

    /**
     * In a folder that all may write to, such as {@code /tmp}, any user could put a token of their
     * own where the server looks for one, or a folder with one. So there that has to belong to the
     * server's user, or to root, and nobody else may put another in its place: that is what the
     * sticky bit of such a folder is for.
     */
    private static void refuseUnsafePlace(Path file) throws StartException {
        String danger;
        try {
            danger = tellsPermissions(file) ? danger(file) : null;
        } catch (IOException failure) {
            throw new StartException(
                    "cannot find out who owns the admin server's token in %s: %s"
                            .formatted(file, failure),
                    failure);
        }
        if (danger != null) {
            throw new StartException(
                    "the token in %s is not safe: %s; put it elsewhere (--admin-token-file)"
                            .formatted(file, danger));
        }
    }

    /**
     * What is wrong with the name, which may be a link, or the file that it leads to, or a folder
     * above them, where anyone may put one. In words; null if nothing is.
     */
    private static @Nullable String danger(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || Files.notExists(folder)) {
            return null;
        }
        for (Path way : FolderRights.ways(file)) {
            Path each = way;
            Path above = way.getParent();
            while (above != null) {
                if (anyoneMayWrite(above)) {
                    if (!FolderRights.isSticky(above)) {
                        return "any user may put another in its place, as all may write to %s, which has no sticky bit"
                                .formatted(above);
                    }
                    if (Files.exists(each, LinkOption.NOFOLLOW_LINKS)
                            && Owners.isAStrangers(each)) {
                        return "%s belongs to another user, who may have put it there as all users may"
                                .formatted(each);
                    }
                }
                each = above;
                above = above.getParent();
            }
        }
        return null;
    }

    private static boolean anyoneMayWrite(Path folder) throws IOException {
        return Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_WRITE);
    }

    /**
     * Reads the file's one line.
     *
     * @throws StartException if there is none that can be a token; the message does not quote it
     */
    public static String read(Path file) throws StartException {
        if (NamedPipe.isOne(file)) {
            throw new StartException(
                    "%s is a named pipe, where nobody may ever write: expected a file with a token"
                            .formatted(file));
        }
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

    /** Every user who can read the file can do what an operator can. */
    static void warnIfOthersCanRead(Path file) throws StartException {
        try {
            if (tellsPermissions(file)
                    && Files.getPosixFilePermissions(file)
                            .contains(PosixFilePermission.OTHERS_READ)) {
                LOG.log(
                        Level.WARNING,
                        "every user of this machine can read the admin server's token: chmod o-r "
                                + file);
            }
        } catch (IOException failure) {
            throw new StartException(
                    "cannot find out who can read the admin server's token in %s: %s"
                            .formatted(file, failure),
                    failure);
        }
    }

    /** Written beside and linked, so that it appears whole and never replaces another file. */
    private static void make(Path file) throws StartException {
        try {
            Path folder = file.toAbsolutePath().getParent();
            // For its owner alone, as temporary files are.
            Path written = Files.createTempFile(folder, ".token", "");
            try {
                Files.writeString(written, newToken() + "\n", StandardCharsets.US_ASCII);
                shareWithGroup(written);
                Files.createLink(file, written);
            } finally {
                Files.delete(written);
            }
            LOG.log(Level.INFO, "made a token for the admin server: " + file);
        } catch (FileAlreadyExistsException other) {
            LOG.log(Level.DEBUG, "another server has just made " + file);
        } catch (NoSuchFileException noFolder) {
            throw new StartException(
                    "there is no folder for the file %s (--admin-token-file)".formatted(file),
                    noFolder);
        } catch (IOException | UnsupportedOperationException failure) {
            throw new StartException(
                    "cannot make the file %s for the admin server's token (--admin-token-file): %s"
                            .formatted(file, failure),
                    failure);
        }
    }

    private static String newToken() {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    }

    /**
     * Lets the folder's group, such as that of a Prometheus, read the token if it may write to the
     * folder: it could put a token of its own there anyway. If the file got another group, such as
     * that of the server's user, only its owner may read it.
     */
    private static void shareWithGroup(Path file) throws IOException {
        Path folder = file.getParent();
        if (!tellsPermissions(file)) {
            return;
        }
        PosixFileAttributes above = Files.readAttributes(folder, PosixFileAttributes.class);
        PosixFileAttributes own = Files.readAttributes(file, PosixFileAttributes.class);
        boolean groupsFolder =
                above.permissions().contains(PosixFilePermission.GROUP_WRITE)
                        && !above.permissions().contains(PosixFilePermission.OTHERS_WRITE);
        if (groupsFolder && own.group().equals(above.group())) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        }
    }

    private static String text(Path file) throws StartException {
        try {
            byte[] bytes = beginning(file);
            if (bytes.length > 2 * MOST_LENGTH) {
                throw new StartException(file + " is too large for a file with a token");
            }
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (NoSuchFileException none) {
            throw new StartException("there is no file " + file + " (--admin-token-file)", none);
        } catch (CharacterCodingException binary) {
            throw new StartException(file + " has no token, but binary content", binary);
        } catch (IOException failure) {
            throw new StartException(
                    "cannot read the token in " + file + ": " + failure.getMessage(), failure);
        }
    }

    /** No more of it than tells that it is too large: a device may have no end. */
    private static byte[] beginning(Path file) throws IOException {
        int mostBytes = 2 * MOST_LENGTH + 1;
        if (!isOfThisProcess(file.toAbsolutePath())) {
            return UntrustedFile.beginning(file, mostBytes);
        }
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(mostBytes);
        }
    }

    /** Such as a shell's {@code <(…)} makes: nobody else can exchange it. */
    private static boolean isOfThisProcess(Path file) {
        return file.startsWith("/dev/fd")
                || file.startsWith("/proc/self")
                || file.equals(Path.of("/dev/stdin"));
    }

    /** Not by its FileStore, which Java does not find in a chroot. */
    private static boolean tellsPermissions(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
