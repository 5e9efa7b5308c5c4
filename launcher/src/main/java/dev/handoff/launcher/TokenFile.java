package dev.handoff.launcher;

import dev.handoff.admin.api.AccessToken;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;

/** Reads the admin server's token. What stands in the file never stands in a message. */
final class TokenFile {
    private static final System.Logger LOG = System.getLogger(TokenFile.class.getName());

    private TokenFile() {}

    static AccessToken read(Path file) throws UsageException {
        try {
            String token = oneLine(file);
            warnIfOthersCanRead(file);
            return AccessToken.of(token);
        } catch (NoSuchFileException missing) {
            throw wrong(file, "there is no such file");
        } catch (IOException failure) {
            throw wrong(file, "it cannot be read: " + failure);
        } catch (IllegalArgumentException notOne) {
            throw wrong(file, String.valueOf(notOne.getMessage()));
        }
    }

    /** A little more than a token may have is read, so that one too long is noticed. */
    private static String oneLine(Path file) throws IOException {
        try (InputStream content = Files.newInputStream(file)) {
            byte[] bytes = content.readNBytes(AccessToken.MOST_CHARACTERS + 3);
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            int end = text.length();
            if (text.endsWith("\n")) {
                end -= text.endsWith("\r\n") ? 2 : 1;
            }
            return text.substring(0, end);
        }
    }

    private static void warnIfOthersCanRead(Path file) throws IOException {
        boolean posix = Files.getFileStore(file).supportsFileAttributeView("posix");
        if (posix
                && Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
            LOG.log(
                    Level.WARNING,
                    "every user of this machine can read the admin server's token: chmod o-r "
                            + file);
        }
    }

    private static UsageException wrong(Path file, String why) {
        return new UsageException(
                "%s is '%s': %s".formatted(Settings.ADMIN_TOKEN_FILE.flag(), file, why));
    }
}
