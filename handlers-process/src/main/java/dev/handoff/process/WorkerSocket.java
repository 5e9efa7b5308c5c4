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
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
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

    /**
     * How many may be connected without a hello. Beyond it the one that came first goes: a worker
     * says hello at once, and by the time that so many others were accepted it was heard.
     */
    static final int MOST_NEWCOMERS = 128;

    /** How many that were turned away may read why; beyond it the one that came first goes. */
    static final int MOST_STRANGERS = 16;

    private static final Duration STRANGER_CLOSES = Duration.ofSeconds(1);

    private static final int ACCEPT_BACKLOG = 1024;
    private static final String MODE = "rw-rw----";

    /** The bits of {@code st_mode} that tell what kind of file it is, and what they are here. */
    private static final int FILE_TYPE = 0170000;

    private static final int SOCKET_TYPE = 0140000;

    /** A socket file that is to replace another is made beside it, with this behind its name. */
    private static final int SUFFIX_DIGITS = 4;

    private final EventLoop loop;
    private final Path path;
    private volatile Map<String, List<WorkerPool>> pools;
    private final PeerCheck peerCheck;

    /** What tells our file from another of the same name; null if the file is left behind. */
    private final @Nullable Object fileKey;

    /** In the order in which they came. */
    private final Set<Newcomer> newcomers = new LinkedHashSet<>();

    /** Those that were turned away and may still read why, in the order in which they came. */
    private final Queue<SocketChannel> strangers = new ArrayDeque<>();

    private @Nullable Acceptor acceptor;

    private WorkerSocket(
            EventLoop loop, Path path, List<WorkerPool> pools, @Nullable Object fileKey)
            throws IOException {
        this.loop = loop;
        this.path = path;
        this.pools = byName(pools);
        this.peerCheck = PeerCheck.forOwnerOf(path);
        this.fileKey = fileKey;
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
        requirePool(pools);
        requireShort(path, 0);
        removeIfStale(path);
        try (Listening listening = Listening.at(path, group)) {
            return listening.serve(new WorkerSocket(loop, path, pools, fileKey(path)));
        }
    }

    /**
     * Like {@link #open}, but takes the place of a living server, too: whoever connects from now on
     * comes here, and the workers that are connected there stay. There is no moment without a
     * socket file. It stays when this closes, for by then it may be a successor's.
     */
    public static WorkerSocket takeOver(Path path, List<WorkerPool> pools, EventLoop loop)
            throws IOException {
        return takeOver(path, pools, loop, null);
    }

    /**
     * @param group whose members may come in too; null for that which new files have there
     */
    public static WorkerSocket takeOver(
            Path path, List<WorkerPool> pools, EventLoop loop, @Nullable GroupPrincipal group)
            throws IOException {
        requirePool(pools);
        requireShort(path, 1 + SUFFIX_DIGITS);
        requireSocketOrNothing(path);
        Path beside = beside(path);
        try (Listening listening = Listening.at(beside, group)) {
            Files.move(beside, path, StandardCopyOption.ATOMIC_MOVE);
            return listening.serve(new WorkerSocket(loop, path, pools, null));
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    /** A bound socket, which is closed again if nobody comes to serve it. */
    private static final class Listening implements AutoCloseable {
        private final ServerSocketChannel channel;
        private boolean served;

        private Listening(ServerSocketChannel channel) {
            this.channel = channel;
        }

        static Listening at(Path path, @Nullable GroupPrincipal group) throws IOException {
            ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.bind(UnixDomainSocketAddress.of(path), ACCEPT_BACKLOG);
                if (group != null) {
                    Files.getFileAttributeView(path, PosixFileAttributeView.class).setGroup(group);
                }
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(MODE));
                return new Listening(channel);
            } catch (IOException | RuntimeException failure) {
                channel.close();
                throw failure;
            }
        }

        WorkerSocket serve(WorkerSocket socket) {
            CompletableFuture.runAsync(() -> socket.accept(channel), socket.loop).join();
            served = true;
            return socket;
        }

        @Override
        public void close() throws IOException {
            if (!served) {
                channel.close();
            }
        }
    }

    /**
     * From here on workers join these pools, each found by its name. Those that are connected stay
     * where they are.
     *
     * @param newPools at least one. Of several with one name, a worker that was started by one of
     *     them joins that, and others join the first
     */
    public void serve(List<WorkerPool> newPools) {
        if (newPools.isEmpty()) {
            throw new IllegalArgumentException("a worker socket without a pool");
        }
        pools = byName(newPools);
    }

    public Path path() {
        return path;
    }

    /**
     * Lets nobody in any more and removes the socket file, if it is ours to remove. Workers that
     * are connected stay.
     */
    public CompletableFuture<Void> close() {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        boolean willRun =
                loop.tryExecute(() -> {
                    try {
                        closeAcceptor();
                    } finally {
                        closed.complete(null);
                    }
                });
        if (!willRun) {
            // The loop closed the acceptor when it stopped.
            closed.complete(null);
        }
        return closed;
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
        pool.loop().tryRun(() -> pool.listener().onTurnedAway(code, message));
    }

    /**
     * A worker that is turned away before it could say anything is just about to say hello. If the
     * connection were closed by then, the system would tell it so, and not what it was told here.
     */
    private void turnAwaySlowly(SocketChannel channel, String message) {
        byte[] frame = new FrameEncoder().encode(new Message.Refused("bad_user", message));
        try {
            channel.write(ByteBuffer.wrap(frame));
            channel.shutdownOutput();
        } catch (IOException gone) {
            // The listener hears the reason all the same.
        }
        anyPool().loop().tryRun(() -> anyPool().listener().onTurnedAway("bad_user", message));
        strangers.add(channel);
        if (strangers.size() > MOST_STRANGERS) {
            close(strangers.remove());
        }
        loop.scheduleAfter(
                STRANGER_CLOSES.toNanos(),
                () -> {
                    if (strangers.remove(channel)) {
                        close(channel);
                    }
                });
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException gone) {
            // Which was to be.
        }
    }

    /** Those of that name, the one to ask first in front. */
    List<WorkerPool> pools(String name) {
        return pools.getOrDefault(name, List.of());
    }

    /** Who hears of callers that never got as far as a pool. */
    WorkerPool anyPool() {
        return pools.values().iterator().next().getFirst();
    }

    /** It has said hello, or is gone. */
    void noNewcomerAnyMore(Newcomer newcomer) {
        newcomers.remove(newcomer);
    }

    private static Map<String, List<WorkerPool>> byName(List<WorkerPool> pools) {
        return pools.stream().collect(Collectors.groupingBy(WorkerPool::name));
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
            turnAwaySlowly(channel, stranger);
            return;
        }
        if (newcomers.size() >= MOST_NEWCOMERS) {
            newcomers.iterator().next().makeRoom();
        }
        try {
            newcomers.add(new Newcomer(this, loop, channel));
        } catch (IOException failure) {
            turnAway(channel, "lost", String.valueOf(failure), anyPool());
        }
    }

    private void closeAcceptor() {
        if (acceptor == null) {
            return;
        }
        try {
            // While the socket is open, the system gives no other file the same key.
            if (fileKey != null && fileKey.equals(fileKey(path))) {
                Files.delete(path);
            }
        } catch (IOException failure) {
            // A stale file is replaced by the next server: nothing is lost but tidiness.
        }
        acceptor.close();
        acceptor = null;
        strangers.forEach(WorkerSocket::close);
        strangers.clear();
    }

    private static void requirePool(List<WorkerPool> pools) {
        if (pools.isEmpty()) {
            throw new IllegalArgumentException("a worker socket without a pool");
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
            if (somebodyAnswers(path)) {
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

    private static @Nullable Object fileKey(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    private static Path beside(Path path) {
        int number = ThreadLocalRandom.current().nextInt(1 << (4 * SUFFIX_DIGITS));
        String suffix = ("%0" + SUFFIX_DIGITS + "x").formatted(number);
        return path.resolveSibling(path.getFileName() + "." + suffix);
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
