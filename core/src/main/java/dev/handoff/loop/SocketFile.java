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
import java.nio.file.attribute.PosixFileAttributes;
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
 * @param key tells our file from another of the same name; null if the system does not
 * @param removed whether the file is removed at the end, and not left behind
 * @param ownGroup the group that the file got from its folder
 */
public record SocketFile(
        Path path,
        ServerSocketChannel channel,
        @Nullable Object key,
        boolean removed,
        GroupPrincipal ownGroup) {
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

    /** Listens at {@code path}; a dead socket file is replaced. */
    public static SocketFile create(Path path, SocketAccess access) throws IOException {
        return create(path, access, GROUP_BACKLOG);
    }

    /**
     * The same for whoever may enter the folder.
     *
     * @param backlog how many connections the kernel may hold
     */
    public static SocketFile createForEverybody(Path path, int backlog) throws IOException {
        return create(path, SocketAccess.EVERYBODY, backlog);
    }

    private static SocketFile create(Path path, SocketAccess access, int backlog)
            throws IOException {
        requireShort(path, 0);
        removeIfStale(path);
        return bind(path, true, access, backlog);
    }

    /** Like {@link #create}, but replaces a living socket too. The file stays when this ends. */
    public static SocketFile replace(Path path, SocketAccess access) throws IOException {
        requireShort(path, 1 + SUFFIX_DIGITS);
        requireSocketOrNothing(path);
        Path beside = beside(path);
        SocketFile made = null;
        try {
            made = bind(beside, false, access, GROUP_BACKLOG);
            Files.move(beside, path, StandardCopyOption.ATOMIC_MOVE);
            return new SocketFile(path, made.channel, made.key, false, made.ownGroup);
        } catch (IOException failure) {
            if (made != null) {
                made.channel.close();
            }
            throw failure;
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    /** Lets others connect than before, unless another server's file is there by now. */
    public void give(SocketAccess access) throws IOException {
        if (isThere()) {
            give(path, channel, access, ownGroup);
        }
    }

    /**
     * Removes the file if it is ours. To be called while the channel is open: until then the system
     * gives no other file the same key.
     */
    public void remove() {
        try {
            if (removed && isThere()) {
                Files.delete(path);
            }
        } catch (IOException failure) {
            // A stale file is replaced by the next server: nothing is lost but tidiness.
        }
    }

    private boolean isThere() throws IOException {
        return key != null
                && Files.exists(path, LinkOption.NOFOLLOW_LINKS)
                && key.equals(keyOf(path));
    }

    private static SocketFile bind(Path path, boolean removed, SocketAccess access, int backlog)
            throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(UnixDomainSocketAddress.of(path), backlog);
            PosixFileAttributes made =
                    Files.readAttributes(
                            path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            give(path, channel, access, made.group());
            return new SocketFile(path, channel, made.fileKey(), removed, made.group());
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw failure;
        }
    }

    /** The group first, so that no other one gets what is meant for it. */
    private static void give(
            Path path, ServerSocketChannel channel, SocketAccess access, GroupPrincipal ownGroup)
            throws IOException {
        GroupPrincipal group = access.onlyGroup(ownGroup);
        if (!ownGroup.equals(group) || mayOthersEnter(path.toAbsolutePath().getParent())) {
            SentDescriptors.refuse(channel);
        }
        if (group != null) {
            PosixFileAttributeView view =
                    Files.getFileAttributeView(
                            path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
            // An owner may not even set the group that the file has, if it is of a folder.
            if (!group.equals(view.readAttributes().group())) {
                view.setGroup(group);
            }
        }
        Files.setPosixFilePermissions(path, group == null ? EVERYBODY : GROUP);
    }

    private static boolean mayOthersEnter(@Nullable Path folder) throws IOException {
        Set<PosixFilePermission> rights =
                folder == null ? Set.of() : Files.getPosixFilePermissions(folder);
        return rights.contains(PosixFilePermission.GROUP_EXECUTE)
                || rights.contains(PosixFilePermission.OTHERS_EXECUTE);
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
