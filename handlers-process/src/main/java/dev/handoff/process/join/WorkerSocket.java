package dev.handoff.process.join;

import dev.handoff.loop.Acceptor;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.SocketAccess;
import dev.handoff.loop.SocketFile;
import dev.handoff.process.protocol.FrameEncoder;
import dev.handoff.process.protocol.Message;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;

/**
 * The Unix domain socket on which the core listens and workers call.
 *
 * <p>Each caller is looked at apart from the others (see {@link Newcomer}), so one that says
 * nothing delays nobody. Belongs to the loop it was given; {@link #close} may be called from any
 * thread.
 */
public final class WorkerSocket implements Newcomer.Owner {
    /** How many may be connected without a hello. */
    static final int MOST_NEWCOMERS = 128;

    /** How many that were turned away may read why; beyond it the one that came first goes. */
    static final int MOST_STRANGERS = 16;

    private static final Duration STRANGER_CLOSES = Duration.ofSeconds(1);

    private final EventLoop loop;
    private final SocketFile file;
    private final PeerCheck peerCheck;
    private final PeerNames peerNames;
    private volatile Map<String, List<WorkerEntrance>> entrances;

    /** Whose processes some pool takes; written together with the entrances. */
    private volatile Set<WorkerAccount> accounts;

    /** Whom the file was last opened to; belongs to who calls {@link #serve}. */
    private SocketAccess access;

    private final Newcomers newcomers = new Newcomers(MOST_NEWCOMERS);

    /** The callers that were turned away and may still read why, in the order they came. */
    private final Queue<SocketChannel> strangers = new ArrayDeque<>();

    private @Nullable Acceptor acceptor;

    private WorkerSocket(
            EventLoop loop, SocketFile file, List<WorkerEntrance> entrances, PeerNames peerNames)
            throws IOException {
        this.loop = loop;
        this.file = file;
        this.entrances = byPool(entrances);
        this.access = access(entrances);
        this.accounts = accounts(entrances);
        this.peerCheck = PeerCheck.of(file);
        this.peerNames = peerNames;
    }

    /**
     * Listens at {@code path}. A dead socket file is replaced. The mode is 0660, or 0666 where the
     * pools' workers are of several groups.
     *
     * @param entrances of the pools that workers may join, at least one
     * @throws IOException if the path is too long, or taken by a living server or another file, or
     *     cannot be made; the message is for the user
     */
    public static WorkerSocket open(Path path, List<WorkerEntrance> entrances, EventLoop loop)
            throws IOException {
        requireEntrance(entrances);
        return listen(SocketFile.create(path, access(entrances)), entrances, loop);
    }

    /**
     * Like {@link #open}, but takes the place of a living server, too: new connections come here,
     * and the workers that are connected there stay. There is no moment without a socket file. It
     * stays when this closes, for by then it may be a successor's.
     */
    public static WorkerSocket takeOver(Path path, List<WorkerEntrance> entrances, EventLoop loop)
            throws IOException {
        requireEntrance(entrances);
        return listen(SocketFile.replace(path, access(entrances)), entrances, loop);
    }

    private static WorkerSocket listen(
            SocketFile file, List<WorkerEntrance> entrances, EventLoop loop) throws IOException {
        return listen(file, entrances, loop, PeerNames.ofThisMachine(loop));
    }

    /** As {@link #open}, where a test asks for the users. */
    static WorkerSocket open(
            Path path, List<WorkerEntrance> entrances, EventLoop loop, PeerNames peerNames)
            throws IOException {
        return listen(SocketFile.create(path, access(entrances)), entrances, loop, peerNames);
    }

    private static WorkerSocket listen(
            SocketFile file, List<WorkerEntrance> entrances, EventLoop loop, PeerNames peerNames)
            throws IOException {
        try {
            WorkerSocket socket = new WorkerSocket(loop, file, entrances, peerNames);
            CompletableFuture.runAsync(socket::accept, loop).join();
            return socket;
        } catch (IOException | RuntimeException failure) {
            file.channel().close();
            throw failure;
        }
    }

    /**
     * From here on workers join these pools, each found by its name. Those that are connected stay
     * where they are.
     *
     * <p>The rights of the file change only if workers of other groups than before may come: an
     * operator may have given it others.
     *
     * @param newEntrances at least one. Of several with one name, a worker that was started by one
     *     of them joins that, and others join the first
     * @throws IOException if the rights cannot be changed; then all stays as it was
     */
    public void serve(List<WorkerEntrance> newEntrances) throws IOException {
        requireEntrance(newEntrances);
        SocketAccess needed = access(newEntrances);
        if (!needed.equals(access)) {
            file.give(needed);
            access = needed;
        }
        accounts = accounts(newEntrances);
        entrances = byPool(newEntrances);
    }

    private static SocketAccess access(List<WorkerEntrance> entrances) {
        Set<GroupPrincipal> groups = new HashSet<>();
        boolean withOwnGroup = false;
        for (WorkerAccount account : accounts(entrances)) {
            if (account instanceof WorkerAccount.Other(String user, GroupPrincipal group)) {
                groups.add(group);
            }
            withOwnGroup |= account instanceof WorkerAccount.Visitors;
        }
        return SocketAccess.of(groups, withOwnGroup);
    }

    private static Set<WorkerAccount> accounts(List<WorkerEntrance> entrances) {
        return entrances.stream()
                .map(WorkerEntrance::account)
                .collect(Collectors.toUnmodifiableSet());
    }

    public Path path() {
        return file.path();
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
     * A worker that is turned away before it could say anything is just about to say hello. If its
     * connection were closed by then, it would see only an error of the system, and not the reason.
     */
    private void turnAwaySlowly(SocketChannel channel, String code, String message) {
        byte[] frame = new FrameEncoder().encode(new Message.Refused(code, message));
        try {
            channel.write(ByteBuffer.wrap(frame));
            channel.shutdownOutput();
        } catch (IOException gone) {
            // The listener hears the reason all the same.
        }
        tellTurnedAway(code, message);
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
            // It was to be closed.
        }
    }

    @Override
    public PeerCheck peerCheck() {
        return peerCheck;
    }

    @Override
    public List<WorkerEntrance> entrances(String pool) {
        return entrances.getOrDefault(pool, List.of());
    }

    @Override
    public void turnAway(SocketChannel channel, String code, String message) {
        WorkerEntrance.refuse(channel, code, message);
        tellTurnedAway(code, message);
    }

    /** One pool's listener hears of it; the caller may have been meant for any. */
    private void tellTurnedAway(String code, String message) {
        List<WorkerEntrance> all = entrances.values().stream().flatMap(List::stream).toList();
        all.getFirst().tellTurnedAway(code, message);
        all.stream().skip(1).forEach(each -> each.rememberTurnedAway(code, message));
    }

    @Override
    public void left(Newcomer newcomer) {
        newcomers.remove(newcomer);
    }

    private static Map<String, List<WorkerEntrance>> byPool(List<WorkerEntrance> entrances) {
        return entrances.stream().collect(Collectors.groupingBy(WorkerEntrance::pool));
    }

    private void accept() {
        try {
            acceptor = new Acceptor(loop, file.channel(), this::accepted);
        } catch (IOException failure) {
            throw new IllegalStateException("cannot accept on " + file.path(), failure);
        }
    }

    private void accepted(SocketChannel channel) {
        peerNames.ask(
                channel,
                new PeerNames.Listener() {
                    @Override
                    public void known(UnixDomainPrincipal peer) {
                        unlessClosed(channel, () -> named(channel, peer));
                    }

                    @Override
                    public void unknown(String code, String why) {
                        unlessClosed(channel, () -> turnAwaySlowly(channel, code, why));
                    }
                });
    }

    private void unlessClosed(SocketChannel channel, Runnable action) {
        if (acceptor == null) {
            close(channel);
        } else {
            action.run();
        }
    }

    private void named(SocketChannel channel, UnixDomainPrincipal peer) {
        String stranger = peerCheck.refuses(peer, accounts);
        if (stranger != null) {
            turnAwaySlowly(channel, "bad_user", stranger);
            return;
        }
        newcomers.makeRoom();
        try {
            newcomers.add(new Newcomer(this, loop, channel, peer));
        } catch (IOException failure) {
            turnAway(channel, "lost", String.valueOf(failure));
        }
    }

    private void closeAcceptor() {
        if (acceptor == null) {
            return;
        }
        file.remove();
        acceptor.close();
        peerNames.close();
        acceptor = null;
        strangers.forEach(WorkerSocket::close);
        strangers.clear();
    }

    private static void requireEntrance(List<WorkerEntrance> entrances) {
        if (entrances.isEmpty()) {
            throw new IllegalArgumentException("a worker socket without a pool");
        }
    }
}
