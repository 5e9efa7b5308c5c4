package dev.handoff.process.dispatch;

import dev.handoff.loop.EventLoop;
import dev.handoff.process.protocol.FrameEncoder;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.Handler;
import dev.handoff.server.ResponseRoom;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of a pool that requests pass: connected workers, the queue, and the {@link Dispatcher}
 * between them. Knows nothing of processes: each worker brings its {@link WorkerPlace}.
 *
 * <p>Belongs to the thread of the pool's loop, but for {@link #handler}, whose requests come from
 * any loop.
 */
public final class PoolDispatch {
    /**
     * How many responses in pieces and WebSockets an HTTP server may have besides the requests that
     * it takes at once.
     */
    public static final int MOST_STREAMS = 1000;

    /** The part of the room for responses that those may take which servers have begun. */
    private static final int PART_FOR_UNFINISHED = 16;

    private final String pool;
    private final EventLoop loop;
    private final String server;
    private final DispatchListener listener;
    private final Dialect dialect;
    private final FrameEncoder encoder = new FrameEncoder();
    private final WorkerChoice workers = new WorkerChoice();
    private final RequestQueue queue;
    private final QueueAdmission admission;
    private final PoolLoad load = new PoolLoad();
    private final Dispatcher dispatcher;
    private final UnfinishedResponses unfinished;
    private volatile PoolLimits limits;

    /**
     * @param pool its name
     * @param dialect what its workers speak
     * @param responseRoom for what workers send
     * @param server what workers are told in {@code welcome}: name and version
     * @param workerLeft is called on the loop after a worker has left
     */
    public PoolDispatch(
            String pool,
            EventLoop loop,
            Dialect dialect,
            PoolLimits limits,
            ResponseRoom responseRoom,
            DispatchListener listener,
            String server,
            Runnable workerLeft) {
        this.pool = pool;
        this.loop = loop;
        this.dialect = dialect;
        this.limits = limits;
        this.listener = listener;
        this.server = server;
        this.unfinished = new UnfinishedResponses(responseRoom.limitBytes() / PART_FOR_UNFINISHED);
        this.queue =
                new RequestQueue(
                        limits.queueBytes(),
                        new Overload(limits.queueTimeout().toNanos(), listener::onOverload),
                        workers::areBusy,
                        loop.clock().nanoTime());
        this.admission = new QueueAdmission(loop, queue, workers, this::limits, listener);
        this.dispatcher =
                new Dispatcher(
                        loop,
                        workers,
                        queue,
                        admission,
                        this::limits,
                        responseRoom.newShare(),
                        load,
                        listener,
                        workerLeft);
    }

    /** Brings requests into the pool. */
    public Handler handler() {
        return new RequestEntrance(pool, loop, dialect, dispatcher, load, this::limits);
    }

    /** How filled the pool is. Any thread. */
    public PoolLoad load() {
        return load;
    }

    /** Sets other limits, for requests and workers that come from now on. */
    public void limits(PoolLimits newLimits) {
        limits = newLimits;
        queue.limits(newLimits);
    }

    private PoolLimits limits() {
        return limits;
    }

    /**
     * Welcomes a worker that said hello; it takes requests from now on.
     *
     * @param early what it sent behind its hello
     * @throws IOException if the connection is lost; then no listener was told
     */
    public void join(SocketChannel channel, Message.Hello hello, byte[] early, WorkerPlace place)
            throws IOException {
        PoolLimits now = limits;
        join(
                place,
                hello,
                (worker, isWanted) ->
                        new FrameSocket(
                                worker,
                                loop,
                                channel,
                                early,
                                encoder,
                                now.fromWorker(),
                                now.writeTimeout(),
                                dispatcher.responseShare(),
                                isWanted,
                                workers::size));
    }

    /**
     * Makes a worker of an HTTP server that takes connections; it takes requests from now on.
     *
     * @param host the server's address, as operators read it
     * @param concurrency how many requests it takes at once
     */
    public void join(SocketAddress server, String host, int concurrency, WorkerPlace place) {
        Message.Hello hello =
                new Message.Hello(
                        concurrency,
                        pool,
                        null,
                        null,
                        0,
                        host,
                        null,
                        null,
                        Message.PROTOCOL_VERSION,
                        List.of(Message.STREAMS, Message.WEBSOCKETS, Message.FRAGMENTS),
                        MOST_STREAMS,
                        Integer.MAX_VALUE,
                        Message.MAX_ID,
                        0);
        try {
            join(
                    place,
                    hello,
                    (worker, isWanted) ->
                            new ServerLink(worker, loop, server, place, this::limits, unfinished));
        } catch (IOException impossible) {
            throw new IllegalStateException("a link without a connection failed", impossible);
        }
    }

    private void join(WorkerPlace place, Message.Hello hello, WorkerConnection.Way way)
            throws IOException {
        WorkerConnection worker = new WorkerConnection(dispatcher, place, hello, way);
        dispatcher.joined(worker);
        worker.welcome(server);
        place.joined(worker);
        listener.onJoined(worker);
        worker.begin();
        dispatcher.dispatchQueued();
    }

    /** Calls back as soon as no request waits, at once if none does. */
    public void whenQueueIsEmpty(Runnable action) {
        if (queue.isEmpty()) {
            action.run();
        } else {
            // The last one is still on its way to a worker, and may come back.
            queue.whenEmpty(() -> loop.tryExecute(() -> whenQueueIsEmpty(action)));
        }
    }

    /** Rejects the requests that wait. The workers finish what they hold, and leave. */
    public void drain() {
        admission.close();
        workers.forEach(WorkerConnection::drain);
    }

    /** Whether a worker is connected. */
    public boolean hasWorkers() {
        return !workers.isEmpty();
    }

    /**
     * How requests and connected workers are doing at this moment.
     *
     * @param unconnected the workers that the pool has beside the connected ones
     */
    public PoolSnapshot snapshot(
            boolean draining, String lastError, List<PoolSnapshot.Worker> unconnected) {
        List<PoolSnapshot.Worker> all = new ArrayList<>();
        workers.forEach(worker -> all.add(worker.place().snapshot()));
        all.addAll(unconnected);
        return new PoolSnapshot(
                pool,
                workers.concurrency(),
                workers.inFlight(),
                workers.streams(),
                queue.size(),
                queue.bytes(),
                admission.mostRequests(),
                limits.queueBytes(),
                admission.oldestWaitNanos(),
                admission.isSaturated(),
                queue.isOverloaded(loop.nanoTime()),
                draining,
                lastError,
                all);
    }

    /**
     * The requests that wait or that workers hold at this moment.
     *
     * @param most how many are described
     */
    public OldestRequests oldestRequests(int most) {
        OldestRequests.Search search = new OldestRequests.Search(most);
        queue.forEach(search::add);
        workers.forEach(worker -> worker.requests().forEach(search::add));
        return search.end(loop.nanoTime());
    }
}
