package dev.handoff.launcher;

import dev.handoff.launcher.config.StartException;
import dev.handoff.launcher.config.WorkerUser;
import dev.handoff.process.join.WorkerAccount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where the worker socket lies, as the user says or by default.
 *
 * @param ourFolder that the server may open to its workers' users; null if it is somebody's choice
 * @param users that workers run as besides the server's own
 */
record SocketPlace(Path socket, @Nullable Path ourFolder, Set<WorkerUser> users) {
    private static final Path SYSTEM_FOLDER = Path.of("/run/handoff");
    private static final String FILE_NAME = "handoff.sock";
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rwx------");

    private static final Set<PosixFilePermission> GROUP_MAY_PASS =
            PosixFilePermissions.fromString("rwx--x---");

    /** For users of several groups: the rights of what is in it tell who gets any further. */
    private static final Set<PosixFilePermission> ALL_MAY_PASS =
            PosixFilePermissions.fromString("rwx--x--x");

    static SocketPlace chosen(Path socket) {
        return new SocketPlace(socket, null, Set.of());
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
            return new SocketPlace(socket, folder, Set.of());
        } catch (IOException failure) {
            throw new StartException(
                    "cannot make a temporary folder for the worker socket (choose a place with"
                            + " --socket): "
                            + failure.getMessage(),
                    failure);
        }
    }

    /**
     * The same place, for workers of these users too: opened to them where the folder is ours.
     *
     * @throws StartException if they cannot get there, or could put another socket in its place
     */
    SocketPlace openedTo(Set<WorkerUser> wanted) throws StartException {
        if (users.containsAll(wanted)) {
            return this;
        }
        Set<WorkerUser> all = new LinkedHashSet<>(users);
        all.addAll(wanted);
        if (ourFolder != null) {
            open(ourFolder, all);
        }
        for (WorkerUser each : wanted) {
            requireWay(each);
        }
        return new SocketPlace(socket, ourFolder, all);
    }

    /** Nobody else may pass: each who comes to the socket can try its patience. */
    private static void open(Path folder, Set<WorkerUser> users) throws StartException {
        try {
            PosixFileAttributeView view =
                    Files.getFileAttributeView(folder, PosixFileAttributeView.class);
            Set<String> groups = users.stream().map(WorkerUser::group).collect(Collectors.toSet());
            if (groups.size() > 1) {
                view.setPermissions(ALL_MAY_PASS);
            } else if (users.iterator().next().account()
                    instanceof WorkerAccount.Other(String user, GroupPrincipal group)) {
                view.setGroup(group);
                view.setPermissions(GROUP_MAY_PASS);
            }
        } catch (IOException failure) {
            throw new StartException(
                    "cannot open the folder of the worker socket to the workers' users: " + failure,
                    failure);
        }
    }

    private void requireWay(WorkerUser user) throws StartException {
        Path file = socket.toAbsolutePath();
        Path folder = file.getParent();
        if (folder == null || Files.notExists(folder)) {
            // Nobody can make it there, which the message for that says.
            return;
        }
        // Ours is open to them already.
        Path above = ourFolder == null ? null : ourFolder.getParent();
        if (!user.reaches(above == null ? folder : above)) {
            throw new StartException(
                    "user %s, as whom workers run, cannot get to the worker socket in %s: let it pass there (chmod o+x), or choose another place with --socket"
                            .formatted(user.name(), folder));
        }
        String open = user.replaces(file);
        if (open == null) {
            open = user.replaces(realFolder(folder).resolve(file.getFileName()));
        }
        if (open != null) {
            throw new StartException(
                    "the worker socket %s is not safe: user %s, as whom workers run, may put another in its place, as %s lets it; choose another place with --socket"
                            .formatted(socket, user.name(), open));
        }
    }

    private static Path realFolder(Path folder) throws StartException {
        try {
            return folder.toRealPath();
        } catch (IOException failure) {
            throw new StartException(
                    "cannot use %s for the worker socket: %s".formatted(folder, failure), failure);
        }
    }

    /**
     * The default place, where workers that are started elsewhere look for it.
     *
     * @param shared whether others than the server's user have to get there
     */
    static SocketPlace ofVisitingWorkers(Map<String, String> environment, boolean shared)
            throws StartException {
        if (Files.isDirectory(SYSTEM_FOLDER) && Files.isWritable(SYSTEM_FOLDER)) {
            return chosen(SYSTEM_FOLDER.resolve(FILE_NAME));
        }
        String runtimeFolder = environment.getOrDefault("XDG_RUNTIME_DIR", "");
        // It is for its user alone.
        if (!shared && !runtimeFolder.isEmpty() && Files.isDirectory(Path.of(runtimeFolder))) {
            return chosen(Path.of(runtimeFolder).resolve(FILE_NAME));
        }
        String user = System.getProperty("user.name");
        Path folder =
                ownFolder(Path.of(System.getProperty("java.io.tmpdir"), "handoff-" + user), user);
        return new SocketPlace(folder.resolve(FILE_NAME), folder, Set.of());
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
                    && ALL_MAY_PASS.containsAll(found.permissions())
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
