package dev.handoff.process;

import dev.handoff.loop.Acceptor;
import dev.handoff.loop.EventLoop;
import dev.handoff.process.protocol.FrameEncoder;
import dev.handoff.process.protocol.Message;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The Unix domain socket on which the core listens and workers call.
 *
 * <p>Each caller is looked at apart from the others (see {@link Newcomer}), so one that says
 * nothing delays nobody. Lives on the loop it was given; {@link #close} may be called from any
 * thread.
 */
public final class WorkerSocket {
    /** The version of the worker protocol that is spoken here. */
    public static final int PROTOCOL = 1;

    /** Of the 108 bytes of a {@code sockaddr_un} on Linux, what Java lets a path have. */
    static final int MOST_PATH_BYTES = 106;

    private static final int ACCEPT_BACKLOG = 1024;
    private static final String MODE = "rw-rw----";

    /** The bits of {@code st_mode} that tell what kind of file it is, and what they are here. */
    private static final int FILE_TYPE = 0170000;

    private static final int SOCKET_TYPE = 0140000;

    private final EventLoop loop;
    private final Path path;
    private final Map<String, WorkerPool> pools;
    private final PeerCheck peerCheck;
    private @Nullable Acceptor acceptor;

    private WorkerSocket(
            EventLoop loop, Path path, Map<String, WorkerPool> pools, PeerCheck peerCheck) {
        this.loop = loop;
        this.path = path;
        this.pools = pools;
        this.peerCheck = peerCheck;
    }

    /**
     * Listens at {@code path}, with mode 0660. A socket file that nobody answers on is replaced.
     *
     * @param pools at least one
     * @throws IOException if the path is too long, or taken by a living server or another file, or
     *     cannot be made; the message is for the user
     */
    public static WorkerSocket open(Path path, List<WorkerPool> pools, EventLoop loop)
            throws IOException {
        return open(path, pools, loop, null);
    }

    /**
     * @param group whose members may come in too; null for that which new files have there
     */
    public static WorkerSocket open(
            Path path, List<WorkerPool> pools, EventLoop loop, @Nullable GroupPrincipal group)
            throws IOException {
        if (pools.isEmpty()) {
            throw new IllegalArgumentException("a worker socket without a pool");
        }
        removeIfStale(path);
        ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            listening.bind(UnixDomainSocketAddress.of(path), ACCEPT_BACKLOG);
            if (group != null) {
                Files.getFileAttributeView(path, PosixFileAttributeView.class).setGroup(group);
            }
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(MODE));
            WorkerSocket socket =
                    new WorkerSocket(
                            loop,
                            path,
                            pools.stream()
                                    .collect(
                                            Collectors.toUnmodifiableMap(
                                                    WorkerPool::name, Function.identity())),
                            PeerCheck.forOwnerOf(path));
            CompletableFuture.runAsync(() -> socket.accept(listening), loop).join();
            return socket;
        } catch (IOException | RuntimeException failure) {
            listening.close();
            throw failure;
        }
    }

    public Path path() {
        return path;
    }

    /** Lets nobody in any more and removes the socket file. Workers that are connected stay. */
    public CompletableFuture<Void> close() {
        return CompletableFuture.runAsync(this::closeAcceptor, loop);
    }

    /**
     * Says why and closes: what the worker's log then shows.
     *
     * @param pool whose listener hears of it
     */
    static void turnAway(SocketChannel channel, String code, String message, WorkerPool pool) {
        byte[] frame = new FrameEncoder().encode(new Message.Refused(code, message));
        try (channel) {
            channel.write(ByteBuffer.wrap(frame));
        } catch (IOException gone) {
            // It left before it was told; the listener hears the reason all the same.
        }
        pool.loop().run(() -> pool.listener().onTurnedAway(code, message));
    }

    @Nullable WorkerPool pool(String name) {
        return pools.get(name);
    }

    /** Who hears of callers that never got as far as a pool. */
    WorkerPool anyPool() {
        return pools.values().iterator().next();
    }

    private void accept(ServerSocketChannel listening) {
        try {
            acceptor = new Acceptor(loop, listening, this::accepted);
        } catch (IOException failure) {
            throw new IllegalStateException("cannot accept on " + path, failure);
        }
    }

    private void accepted(SocketChannel channel) {
        String stranger = peerCheck.refuses(channel);
        if (stranger != null) {
            turnAway(channel, "bad_user", stranger, anyPool());
            return;
        }
        try {
            new Newcomer(this, loop, channel);
        } catch (IOException failure) {
            turnAway(channel, "lost", String.valueOf(failure), anyPool());
        }
    }

    private void closeAcceptor() {
        if (acceptor == null) {
            return;
        }
        acceptor.close();
        acceptor = null;
        try {
            Files.deleteIfExists(path);
        } catch (IOException failure) {
            // A stale file is replaced by the next server: nothing is lost but tidiness.
        }
    }

    private static void removeIfStale(Path path) throws IOException {
        int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > MOST_PATH_BYTES) {
            throw new IOException(
                    "the socket path has "
                            + length
                            + " bytes, and the system allows "
                            + MOST_PATH_BYTES
                            + ": "
                            + path);
        }
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        if ((mode & FILE_TYPE) != SOCKET_TYPE) {
            throw new IOException("not a socket, so it is not replaced: " + path);
        }
        if (somebodyAnswers(path)) {
            throw new IOException("another server listens on " + path);
        }
        Files.delete(path);
    }

    private static boolean somebodyAnswers(Path path) throws IOException {
        try {
            SocketChannel.open(UnixDomainSocketAddress.of(path)).close();
            return true;
        } catch (ConnectException nobody) {
            return false;
        } catch (IOException unknown) {
            throw new IOException("cannot tell who listens on " + path, unknown);
        }
    }
}
