package dev.handoff.process.supervise;

import dev.handoff.loop.EventLoop;
import dev.handoff.process.dispatch.Departure;
import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.PoolSnapshot;
import dev.handoff.process.dispatch.WorkerPlace;
import dev.handoff.process.dispatch.WorkerTally;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a pool that are HTTP servers and were started elsewhere. Each is tried until it
 * takes connections, and again when it has taken none. One that an operator drained is left alone
 * until a reload. Belongs to the pool's loop.
 */
public final class ExternalServers implements Workforce {
    /**
     * Where a server is.
     *
     * @param text as operators read it
     */
    public record Place(SocketAddress address, String text) {}

    private static final Duration MOST_DIAL_PAUSE = Duration.ofSeconds(1);

    private final EventLoop loop;
    private final ProcessListener listener;
    private final int concurrency;
    private final Supervisor.ServerEntrance entrance;
    private final List<Server> servers = new ArrayList<>();
    private boolean stopped;

    /**
     * @param pool its name
     * @param concurrency how many requests each takes at once
     */
    public ExternalServers(
            String pool,
            EventLoop loop,
            ProcessListener listener,
            List<Place> places,
            int concurrency,
            Supervisor.ServerEntrance entrance) {
        this.loop = loop;
        this.listener = listener;
        this.concurrency = concurrency;
        this.entrance = entrance;
        for (Place place : places) {
            servers.add(new Server(pool + "-" + (servers.size() + 1), place));
        }
    }

    /** Begins to look for them. */
    public void start() {
        servers.forEach(Server::dial);
    }

    /** Nobody joins by itself. */
    @Override
    public @Nullable WorkerPlace claim(@Nullable String token, boolean isLast) {
        return null;
    }

    @Override
    public int fullAt() {
        return 0;
    }

    /** Lets those in again that were drained. */
    @Override
    public CompletableFuture<PoolChange> reload() {
        int again = 0;
        for (Server server : servers) {
            again += server.dialAgain() ? 1 : 0;
        }
        return CompletableFuture.completedFuture(new PoolChange.Done(again));
    }

    @Override
    public CompletableFuture<PoolChange> scale(int count) {
        return CompletableFuture.completedFuture(
                new PoolChange.Refused("the servers of this pool are started elsewhere"));
    }

    @Override
    public CompletableFuture<PoolChange> drain(String id) {
        Server server = find(id);
        return server == null
                ? CompletableFuture.completedFuture(new PoolChange.Unknown())
                : server.drain();
    }

    @Override
    public PoolChange kill(String id) {
        Server server = find(id);
        return server == null ? new PoolChange.Unknown() : server.kill();
    }

    private @Nullable Server find(String id) {
        for (Server server : servers) {
            if (server.id.equals(id)) {
                return server;
            }
        }
        return null;
    }

    @Override
    public void stop() {
        stopped = true;
        servers.forEach(Server::stopDialing);
    }

    @Override
    public boolean isStopped() {
        return stopped;
    }

    @Override
    public List<PoolSnapshot.Worker> unconnected() {
        return servers.stream()
                .filter(server -> server.connection == null)
                .map(Server::snapshot)
                .toList();
    }

    @Override
    public @Nullable WorkerError lastError() {
        for (Server server : servers) {
            if (server.lastError != null) {
                return server.lastError;
            }
        }
        return null;
    }

    /** One of them. Its place stays while it comes and goes. */
    private final class Server implements WorkerPlace, Dialer.Owner {
        private final String id;
        private final Place place;
        private final WorkerTally tally = new WorkerTally();
        private @Nullable Dialer dialer;
        private @Nullable Connection connection;

        /** Whether it was told that it takes no connection. */
        private boolean missing;

        private @Nullable WorkerError lastError;
        private @Nullable CompletableFuture<PoolChange> drained;

        Server(String id, Place place) {
            this.id = id;
            this.place = place;
        }

        void dial() {
            dialer = new Dialer(loop, List.of(place.address()), MOST_DIAL_PAUSE, this);
        }

        boolean dialAgain() {
            boolean isLeftAlone = connection == null && dialer == null && !stopped;
            if (isLeftAlone) {
                dial();
            }
            return isLeftAlone;
        }

        void stopDialing() {
            if (dialer != null) {
                dialer.cancel();
                dialer = null;
            }
        }

        @Override
        public void reached(SocketAddress server) {
            dialer = null;
            lastError = null;
            missing = false;
            entrance.join(server, place.text(), concurrency, this);
        }

        @Override
        public void missed(IOException why) {
            if (!missing) {
                missing = true;
                listener.onUnreachable(id, place.text(), String.valueOf(why.getMessage()));
            }
            lastError =
                    new WorkerError(id, "it takes no connection: " + why.getMessage(), List.of());
        }

        CompletableFuture<PoolChange> drain() {
            Connection open = connection;
            if (open == null) {
                stopDialing();
                return CompletableFuture.completedFuture(new PoolChange.Done(1));
            }
            if (drained != null) {
                return CompletableFuture.completedFuture(
                        new PoolChange.Refused(id + " is draining already"));
            }
            CompletableFuture<PoolChange> left = new CompletableFuture<>();
            drained = left;
            open.drain();
            return left;
        }

        PoolChange kill() {
            if (connection == null) {
                return new PoolChange.Refused(id + " is not connected at the moment");
            }
            connection.close(LeaveReason.KILLED);
            return new PoolChange.Done(1);
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public long pid() {
            return 0;
        }

        @Override
        public WorkerTally tally() {
            return tally;
        }

        @Override
        public boolean isAttended() {
            return false;
        }

        @Override
        public void joined(Connection worker) {
            connection = worker;
        }

        @Override
        public void opened() {}

        @Override
        public void answered() {}

        @Override
        public void left(Departure departure) {
            connection = null;
            if (departure.isDiagnosed()) {
                lastError = new WorkerError(id, departure.why(), List.of());
            }
            CompletableFuture<PoolChange> asked = drained;
            if (asked != null) {
                drained = null;
                asked.complete(new PoolChange.Done(1));
            } else if (!stopped) {
                dial();
            }
        }

        @Override
        public PoolSnapshot.Worker snapshot() {
            Connection open = connection;
            // One that was drained stays out.
            String unconnected = dialer == null ? "leaving" : "waiting";
            return new PoolSnapshot.Worker(
                    id,
                    open == null ? id : open.name(),
                    tally.serial(),
                    0,
                    place.text(),
                    open == null ? unconnected : open.stateName(),
                    open == null ? 0 : open.concurrency(),
                    open == null ? 0 : open.inFlight(),
                    open == null ? 0 : open.streams(),
                    open == null ? 0 : open.oldestNanos(),
                    tally.counts(),
                    open == null ? null : open.joinedAt(),
                    0,
                    0,
                    lastError == null ? "" : lastError.summary());
        }
    }
}
