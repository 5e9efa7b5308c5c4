package dev.handoff.launcher;

import dev.handoff.launcher.config.StartException;
import dev.handoff.launcher.config.WorkerUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where the worker socket lies, as the user says or by default.
 *
 * @param privateFolder created for this socket and removed with it; null if there is none
 * @param group the workers' group if they run as another user; else null
 */
record SocketPlace(Path socket, @Nullable Path privateFolder, @Nullable GroupPrincipal group) {
    private static final Path SYSTEM_FOLDER = Path.of("/run/handoff");
    private static final String FILE_NAME = "handoff.sock";
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rwx------");

    private static final Set<PosixFilePermission> GROUP_MAY_PASS =
            PosixFilePermissions.fromString("rwx--x---");

    static SocketPlace chosen(Path socket) {
        return new SocketPlace(socket, null, null);
    }

    /**
     * In a new folder that no other user can enter, for workers that this server starts.
     *
     * @param leftovers remove the folder, also if the start fails later
     */
    static SocketPlace ofOurWorkers(Leftovers leftovers) throws StartException {
        try {
            Path folder =
                    Files.createTempDirectory(
                            "handoff-", PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            leftovers.add(folder);
            Path socket = folder.resolve("worker.sock");
            leftovers.add(socket);
            return new SocketPlace(socket, folder, null);
        } catch (IOException failure) {
            throw new StartException(
                    "cannot make a temporary folder for the worker socket (choose a place with"
                            + " --socket): "
                            + failure.getMessage(),
                    failure);
        }
    }

    /** The same place, opened to workers that run as {@code user}. */
    SocketPlace openedTo(WorkerUser user) throws StartException {
        try {
            GroupPrincipal theirs = user.fileGroup();
            if (privateFolder != null) {
                Files.getFileAttributeView(privateFolder, PosixFileAttributeView.class)
                        .setGroup(theirs);
                Files.setPosixFilePermissions(privateFolder, GROUP_MAY_PASS);
            }
            return new SocketPlace(socket, privateFolder, theirs);
        } catch (IOException failure) {
            throw new StartException(
                    "cannot open the worker socket to user %s: %s".formatted(user.name(), failure),
                    failure);
        }
    }

    /** The default place, where workers that are started elsewhere look for it. */
    static SocketPlace ofVisitingWorkers(Map<String, String> environment) throws StartException {
        return chosen(
                Files.isDirectory(SYSTEM_FOLDER) && Files.isWritable(SYSTEM_FOLDER)
                        ? SYSTEM_FOLDER.resolve(FILE_NAME)
                        : userFolder(environment).resolve(FILE_NAME));
    }

    private static Path userFolder(Map<String, String> environment) throws StartException {
        String runtimeFolder = environment.getOrDefault("XDG_RUNTIME_DIR", "");
        if (!runtimeFolder.isEmpty() && Files.isDirectory(Path.of(runtimeFolder))) {
            return Path.of(runtimeFolder);
        }
        String user = System.getProperty("user.name");
        return ownFolder(Path.of(System.getProperty("java.io.tmpdir"), "handoff-" + user), user);
    }

    /** The name can be guessed, so somebody else may have made the folder to catch our workers. */
    private static Path ownFolder(Path folder, String user) throws StartException {
        try {
            if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
                return Files.createDirectory(
                        folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            }
            PosixFileAttributes found =
                    Files.readAttributes(
                            folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (found.isDirectory()
                    && found.permissions().equals(OWNER_ONLY)
                    && found.owner().getName().equals(user)) {
                return folder;
            }
            throw new StartException(
                    folder + " is not a folder of yours alone: choose a place with --socket");
        } catch (IOException failure) {
            throw new StartException(
                    "cannot use %s for the worker socket (choose a place with --socket): %s"
                            .formatted(folder, failure),
                    failure);
        }
    }
}
