package dev.handoff.loop;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A Unix domain socket that listens, and its file. Makes the file without taking the place of
 * anything that is not a dead socket, and removes it only while it is ours. May be used from any
 * thread.
 *
 * @param channel bound to the file
 * @param key tells our file from another of the same name; null if the file is left behind
 */
public record SocketFile(Path path, ServerSocketChannel channel, @Nullable Object key) {
    /** The most that Java lets a path have, of the 108 bytes of a {@code sockaddr_un} on Linux. */
    public static final int MOST_PATH_BYTES = 106;

    private static final int GROUP_BACKLOG = 1024;

    /** The owner and the group may connect. */
    private static final Set<PosixFilePermission> GROUP =
            PosixFilePermissions.fromString("rw-rw----");

    /** Whoever may enter the folder may connect, as to a port of the loopback address. */
    private static final Set<PosixFilePermission> EVERYBODY =
            PosixFilePermissions.fromString("rw-rw-rw-");

    /** The bits of {@code st_mode} that tell what kind of file it is, and what they are here. */
    private static final int FILE_TYPE = 0170000;

    private static final int SOCKET_TYPE = 0140000;

    /** A socket file that is to replace another is made beside it, with this behind its name. */
    private static final int SUFFIX_DIGITS = 4;

    /**
     * Listens at {@code path}, with mode 0660; a dead socket file is replaced.
     *
     * @param group whose members may connect too; null for the group that new files get there
     */
    public static SocketFile create(Path path, @Nullable GroupPrincipal group) throws IOException {
        return create(path, group, GROUP, GROUP_BACKLOG);
    }

    /**
     * The same with mode 0666.
     *
     * @param backlog how many connections the kernel may hold
     */
    public static SocketFile createForEverybody(Path path, int backlog) throws IOException {
        return create(path, null, EVERYBODY, backlog);
    }

    private static SocketFile create(
            Path path,
            @Nullable GroupPrincipal group,
            Set<PosixFilePermission> permissions,
            int backlog)
            throws IOException {
        requireShort(path, 0);
        removeIfStale(path);
        ServerSocketChannel channel = bind(path, group, permissions, backlog);
        try {
            return new SocketFile(path, channel, keyOf(path));
        } catch (IOException failure) {
            channel.close();
            throw failure;
        }
    }

    /** Like {@link #create}, but replaces a living socket too. The file stays when this ends. */
    public static SocketFile replace(Path path, @Nullable GroupPrincipal group) throws IOException {
        requireShort(path, 1 + SUFFIX_DIGITS);
        requireSocketOrNothing(path);
        Path beside = beside(path);
        ServerSocketChannel channel = null;
        try {
            channel = bind(beside, group, GROUP, GROUP_BACKLOG);
            Files.move(beside, path, StandardCopyOption.ATOMIC_MOVE);
            return new SocketFile(path, channel, null);
        } catch (IOException failure) {
            if (channel != null) {
                channel.close();
            }
            throw failure;
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    /**
     * Removes the file if it is ours. To be called while the channel is open: until then the system
     * gives no other file the same key.
     */
    public void remove() {
        try {
            if (key != null && key.equals(keyOf(path))) {
                Files.delete(path);
            }
        } catch (IOException failure) {
            // A stale file is replaced by the next server: nothing is lost but tidiness.
        }
    }

    private static ServerSocketChannel bind(
            Path path,
            @Nullable GroupPrincipal group,
            Set<PosixFilePermission> permissions,
            int backlog)
            throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(UnixDomainSocketAddress.of(path), backlog);
            if (group != null) {
                Files.getFileAttributeView(path, PosixFileAttributeView.class).setGroup(group);
            }
            Files.setPosixFilePermissions(path, permissions);
            return channel;
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw failure;
        }
    }

    /**
     * @param kept bytes that the path must leave free
     */
    private static void requireShort(Path path, int kept) throws IOException {
        int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > MOST_PATH_BYTES - kept) {
            throw new IOException(
                    "the socket path has "
                            + length
                            + " bytes, and the system allows "
                            + (MOST_PATH_BYTES - kept)
                            + ": "
                            + path);
        }
    }

    private static void removeIfStale(Path path) throws IOException {
        if (requireSocketOrNothing(path)) {
            if (isServed(path)) {
                throw new IOException("another server listens on " + path);
            }
            Files.delete(path);
        }
    }

    /** Whether there is a socket file. */
    private static boolean requireSocketOrNothing(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        if ((mode & FILE_TYPE) != SOCKET_TYPE) {
            throw new IOException("not a socket, so it is not replaced: " + path);
        }
        return true;
    }

    private static @Nullable Object keyOf(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    private static Path beside(Path path) {
        int number = ThreadLocalRandom.current().nextInt(1 << (4 * SUFFIX_DIGITS));
        String suffix = ("%0" + SUFFIX_DIGITS + "x").formatted(number);
        return path.resolveSibling(path.getFileName() + "." + suffix);
    }

    private static boolean isServed(Path path) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // Else it would wait for a server that has no room for more connections.
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(path));
            return true;
        } catch (ConnectException nobody) {
            return false;
        } catch (IOException unknown) {
            throw new IOException(
                    "cannot tell who listens on " + path + ": " + unknown.getMessage(), unknown);
        }
    }
}
