package dev.handoff.process.dispatch;

import dev.handoff.http.Body;
import dev.handoff.loop.CloseCause;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.Timer;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Message;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way to a worker that is an HTTP server: a connection for each request that it holds, and some
 * that wait for the next one. What the worker protocol says by messages, it says by these: a cancel
 * closes the connection of its request, a ping opens one.
 *
 * <p>A server that takes no more connections gets no more requests until it does again. Those that
 * it holds go on; when there is none, it has left. Belongs to the thread of the pool's loop.
 */
final class ServerLink implements WorkerLink, ServerConnection.Owner {
    /**
     * Less than servers keep an idle connection open, from two seconds on: to send a request to one
     * that closes loses it.
     */
    private static final long MOST_IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * A server that lets so many requests pass their deadline, each of which came when the one
     * before was over, and sends nothing meanwhile, is stuck.
     */
    private static final int MOST_SILENT_DEADLINES = 3;

    /** A server may use so much longer for a request that it has had all its time for. */
    private static final long MOST_OVERTIME_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The most that connections keep whose WebSockets are over. */
    private static final long MOST_LINGERING_BYTES = 8L * 1024 * 1024;

    private static final long PROBE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final WorkerLink.Owner owner;
    private final EventLoop loop;
    private final SocketAddress server;
    private final WorkerPlace place;
    private final Supplier<PoolLimits> limits;
    private final UnfinishedResponses unfinished;

    /** The connections that have a request, by its id. */
    private final Map<Long, ServerConnection> busy = new HashMap<>();

    /** The connections that have none, the one that was used last at the end. */
    private final ArrayDeque<ServerConnection> idle = new ArrayDeque<>();

    /** Goes off when idle ones are looked at. */
    private @Nullable Timer look;

    /** What connections keep whose WebSockets are over, until the server has answered that. */
    private long lingeringBytes;

    /** While it is tried whether the server takes connections. */
    private @Nullable ServerConnection probe;

    /** Goes off when that is tried again. */
    private @Nullable Timer nextProbe;

    private int silentDeadlines;

    /** When the last of them was over. */
    private long lastDeadlineNanos;

    /** Whether it takes no more connections. */
    private boolean refuses;

    private boolean closed;

    /**
     * @param place of the worker, which knows whether its process lives
     * @param limits of the moment
     * @param unfinished of the pool
     */
    ServerLink(
            WorkerLink.Owner owner,
            EventLoop loop,
            SocketAddress server,
            WorkerPlace place,
            Supplier<PoolLimits> limits,
            UnfinishedResponses unfinished) {
        this.owner = owner;
        this.loop = loop;
        this.server = server;
        this.place = place;
        this.limits = limits;
        this.unfinished = unfinished;
    }

    @Override
    public void begin() {}

    @Override
    public boolean needsConnections() {
        return true;
    }

    /** Its connections are read apart. */
    @Override
    public boolean takesMore() {
        return !refuses && place.isThere();
    }

    @Override
    public void send(WorkerRequest request, long timeoutMillis) {
        ServerConnection free = idle.pollLast();
        ServerConnection connection = free == null ? connect() : free;
        busy.put(request.id, connection);
        connection.begin(request);
    }

    @Override
    public void sendInPieces(WorkerRequest request, long timeoutMillis, long creditBytes) {
        send(request, timeoutMillis);
    }

    private ServerConnection connect() {
        return new ServerConnection(this, loop, server, limits.get().writeTimeout(), unfinished);
    }

    @Override
    public void send(Message message) {
        switch (message) {
            case Message.Cancel(long id, CancelReason reason) -> cancel(id, reason);
            case Message.Close(long id, int code, String reason) ->
                    closeWebSocket(id, code, reason);
            case Message.Credit(long id, long bytes) -> {
                ServerConnection connection = busy.get(id);
                if (connection != null) {
                    connection.grant(bytes);
                }
            }
            case Message.Ping ping -> probe();
            // A server needs to hear nothing else.
            default -> {}
        }
    }

    private void probe() {
        if (probe == null && !closed && place.isThere()) {
            probe = connect();
        }
    }

    /**
     * Tells the server by the end of the input. It keeps its place until it has answered that, or
     * its time is over: many servers notice nothing, and go on.
     */
    private void cancel(long id, CancelReason reason) {
        ServerConnection connection = busy.get(id);
        if (connection == null) {
            return;
        }
        long graceNanos = Math.min(MOST_OVERTIME_NANOS, limits.get().cancelGrace().toNanos() / 2);
        boolean hasTime = reason == CancelReason.CLIENT_GONE;
        WorkerRequest request = connection.request();
        long leftNanos =
                hasTime && request != null ? Math.max(0, request.nanosLeft(loop.nanoTime())) : 0;
        if (reason == CancelReason.DEADLINE && request != null) {
            noteDeadline(request);
        }
        connection.abandon(leftNanos + graceNanos);
    }

    private void noteDeadline(WorkerRequest request) {
        boolean isNext = silentDeadlines == 0 || request.dispatchedNanos - lastDeadlineNanos >= 0;
        if (!isNext || hasLastingOnes()) {
            return;
        }
        lastDeadlineNanos = loop.nanoTime();
        if (++silentDeadlines == MOST_SILENT_DEADLINES) {
            loop.inNextTurn(() -> {
                if (!closed) {
                    owner.closeAsStuck(
                            "it let "
                                    + MOST_SILENT_DEADLINES
                                    + " requests pass their deadline, one after the other, and sent nothing meanwhile");
                }
            });
        }
    }

    /** Whether responses in pieces or WebSockets would be lost with it, which say that it lives. */
    private boolean hasLastingOnes() {
        for (ServerConnection connection : busy.values()) {
            if (connection.lasts()) {
                return true;
            }
        }
        return false;
    }

    /** The owner is in the middle of something. */
    private void sayLater(Message.OfRequest message) {
        loop.inNextTurn(() -> {
            if (!closed) {
                owner.onMessage(message);
                readEnded();
            }
        });
    }

    /** A server takes content as fast as TCP lets it. */
    @Override
    public void grant(long requestId, long bytes) {}

    @Override
    public void stopUpload(long requestId) {
        ServerConnection connection = busy.get(requestId);
        if (connection != null) {
            connection.stopUpload();
        }
    }

    @Override
    public void cancelled(long requestId) {}

    @Override
    public boolean hasReceived(WorkerRequest request) {
        ServerConnection connection = busy.get(request.id);
        return connection != null && connection.hasReceived(request);
    }

    @Override
    public void beginMessages(WorkerRequest request, WorkerWebSocket webSocket, long creditBytes) {
        ServerConnection connection = busy.get(request.id);
        if (connection != null) {
            connection.beginMessages(request, webSocket);
        }
    }

    @Override
    public void addMessage(long requestId, boolean text, Body message) {
        ServerConnection connection = busy.get(requestId);
        if (connection != null) {
            connection.addMessage(requestId, text, message);
        }
    }

    @Override
    public void endMessages(long requestId) {
        ServerConnection connection = busy.get(requestId);
        if (connection != null) {
            connection.endMessages(requestId);
        }
    }

    @Override
    public boolean isReachedBy(SocketChannel connected) {
        return place.isReachedBy(connected);
    }

    /** The server needs not agree: the WebSocket is over at once. */
    private void closeWebSocket(long id, int code, String reason) {
        ServerConnection connection = busy.remove(id);
        if (connection != null) {
            connection.closeWebSocket(code, reason);
            sayLater(new Message.Close(id, 0, ""));
        }
    }

    @Override
    public boolean isHeldBack() {
        return false;
    }

    @Override
    public long heldBackNanos() {
        return 0;
    }

    @Override
    public boolean isInFrame() {
        return false;
    }

    @Override
    public long heardBytes() {
        return 0;
    }

    @Override
    public String symptoms() {
        return "";
    }

    /** There is nothing to wait for: what it holds has ended. */
    @Override
    public void endOutput() {
        loop.inNextTurn(() -> {
            if (!closed) {
                owner.onEnd();
            }
        });
    }

    @Override
    public void close() {
        close(CloseCause.LOCAL);
    }

    @Override
    public void closeAtEndOfTurn() {
        loop.atEndOfTurn(this::close);
    }

    private void close(CloseCause cause) {
        if (closed) {
            return;
        }
        closed = true;
        if (look != null) {
            look.cancel();
        }
        if (nextProbe != null) {
            nextProbe.cancel();
        }
        if (probe != null) {
            probe.close();
        }
        idle.forEach(ServerConnection::close);
        idle.clear();
        // The owner asks whether requests were received before it forgets them.
        List<ServerConnection> ending = List.copyOf(busy.values());
        owner.onClosed(cause);
        ending.forEach(ServerConnection::close);
        busy.clear();
    }

    @Override
    public void onLife() {
        silentDeadlines = 0;
        owner.onLife();
    }

    @Override
    public void said(ServerConnection connection, Message.OfRequest message) {
        if (closed) {
            return;
        }
        owner.onMessage(message);
        if (!message.more()) {
            busy.remove(message.id());
        }
    }

    @Override
    public void readEnded() {
        if (refuses && busy.isEmpty()) {
            close();
        } else if (!closed) {
            owner.onReadEnd();
        }
    }

    @Override
    public void lost(
            ServerConnection connection, WorkerRequest request, LeaveReason reason, String why) {
        if (closed) {
            return;
        }
        long id = request.id;
        owner.onLost(id, reason, why);
        // By now another connection may have it, under another id.
        busy.remove(id);
    }

    @Override
    public void unreachable(ServerConnection connection, WorkerRequest request, IOException why) {
        if (closed) {
            return;
        }
        refuse();
        lost(
                connection,
                request,
                LeaveReason.CLOSED,
                "it takes no connection: " + why.getMessage());
        readEnded();
    }

    /** Its responses in pieces may go on for hours, and it may be back in a moment. */
    private void refuse() {
        refuses = true;
        if (nextProbe == null) {
            nextProbe =
                    loop.scheduleAfter(
                            PROBE_PAUSE_NANOS,
                            () -> {
                                nextProbe = null;
                                probe();
                            });
        }
    }

    @Override
    public void uploadFailed(WorkerRequest request, IOException why) {
        owner.onUploadFailed(request, why);
    }

    @Override
    public void idle(ServerConnection connection) {
        if (connection == probe) {
            probe = null;
            refuses = false;
            owner.onLife();
        }
        if (closed) {
            connection.close();
            return;
        }
        idle.addLast(connection);
        if (look == null) {
            look = loop.scheduleAfter(MOST_IDLE_NANOS, this::closeIdleOnes);
        }
        owner.onRoom();
    }

    private void closeIdleOnes() {
        look = null;
        ServerConnection oldest = idle.peekFirst();
        while (oldest != null && loop.nanoTime() - oldest.idleSinceNanos() >= MOST_IDLE_NANOS) {
            idle.removeFirst();
            oldest.close();
            oldest = idle.peekFirst();
        }
        if (oldest != null) {
            look = loop.scheduleAt(oldest.idleSinceNanos() + MOST_IDLE_NANOS, this::closeIdleOnes);
        }
    }

    @Override
    public boolean mayLinger(long bytes) {
        return lingeringBytes + bytes <= MOST_LINGERING_BYTES;
    }

    @Override
    public void lingers(long moreBytes) {
        lingeringBytes += moreBytes;
    }

    @Override
    public void gone(ServerConnection connection) {
        idle.remove(connection);
        if (connection == probe && !closed) {
            probe = null;
            refuse();
            readEnded();
        }
    }
}
