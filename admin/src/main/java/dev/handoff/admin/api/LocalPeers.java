package dev.handoff.admin.api;

import dev.handoff.loop.SocketTable;
import dev.handoff.server.Exchange;
import dev.handoff.server.ServerListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which user of this machine calls. On loopback everybody can connect, but Linux lists
 * the owner of each socket. Other systems do not, and there every user is let in.
 *
 * <p>The list has a row for each connection, so a thread of its own reads it, and probes do not
 * wait; it answers all who wait in one reading. Only calls wait whose connection is open.
 *
 * <p>The list tells who has an address and port <em>now</em>. Who leaves at once after a call could
 * have the server's own user get that port next. So a call is let in only if no other connection
 * has come from there since, and none waits to be accepted. Belongs to the admin server's loop.
 */
final class LocalPeers implements ServerListener {
    private static final int ROOT = 0;

    /** A client whose user is asked for. */
    private record Question(InetSocketAddress client, CompletableFuture<Boolean> ours) {}

    private final Executor reader;
    private final SocketTable sockets;
    private final @Nullable Integer own;

    /** By the client as an exchange names it, for as long as it has that address and port. */
    private final Map<String, Question> open = new HashMap<>();

    /** Those that the next reading answers; some may be withdrawn. */
    private final Queue<Question> waiting = new ConcurrentLinkedQueue<>();

    private volatile int port;

    /**
     * @param own the user who runs the server; null where the system does not tell
     * @param reader on which the sockets are read; it may wait
     */
    LocalPeers(SocketTable sockets, @Nullable Integer own, Executor reader) {
        this.reader = reader;
        this.sockets = sockets;
        this.own = own;
    }

    static LocalPeers ofThisMachine() {
        Executor reader =
                Executors.newSingleThreadExecutor(
                        Thread.ofPlatform().name("handoff-admin-peers").daemon().factory());
        try {
            Object uid = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            return new LocalPeers(SocketTable.ofThisMachine(), (Integer) uid, reader);
        } catch (IOException | UnsupportedOperationException notLinux) {
            return new LocalPeers(SocketTable.of(List.of()), null, reader);
        }
    }

    /** Sets the port that the server listens on. Comes before any call. */
    void calledOn(int adminPort) {
        port = adminPort;
    }

    /**
     * Whether a call comes from the server's own user or root; false if its client has left.
     *
     * @param exchange the only one of its connection
     */
    CompletableFuture<Boolean> isOurs(Exchange exchange) {
        CompletableFuture<Boolean> answer = isOurs(exchange.client(), exchange.loop());
        Question asked = open.get(exchange.client());
        if (asked != null) {
            // Another client may be asked for by then who has got that address and port.
            exchange.onAbandoned(reason -> asked.ours.complete(false));
        }
        return answer;
    }

    CompletableFuture<Boolean> isOurs(String client, Executor loop) {
        if (own == null || !sockets.isKnown()) {
            return CompletableFuture.completedFuture(true);
        }
        Question question = new Question(addressOf(client), new CompletableFuture<>());
        open.put(client, question);
        waiting.add(question);
        reader.execute(this::answerAll);
        return question.ours.thenApplyAsync(ours -> open.remove(client, question) && ours, loop);
    }

    /** What was asked of this address and port was asked by somebody who has left. */
    @Override
    public void onConnectionOpened(String peer) {
        Question left = open.remove(peer);
        if (left != null) {
            left.ours.complete(false);
        }
    }

    private void answerAll() {
        List<Question> asked = new ArrayList<>();
        Question next = waiting.poll();
        while (next != null) {
            if (!next.ours.isDone()) {
                asked.add(next);
            }
            next = waiting.poll();
        }
        if (asked.isEmpty()) {
            return;
        }
        try {
            Set<InetSocketAddress> ours = ours(asked);
            asked.forEach(question -> question.ours.complete(ours.contains(question.client)));
        } catch (IOException | RuntimeException failure) {
            asked.forEach(question -> question.ours.completeExceptionally(failure));
        }
    }

    /**
     * Reads twice. A socket that closes while its row is written looks like root's; and what the
     * first reading shows of a client is worth nothing unless its connection is accepted by then.
     */
    private Set<InetSocketAddress> ours(List<Question> asked) throws IOException {
        Set<InetSocketAddress> clients = new HashSet<>();
        asked.forEach(question -> clients.add(question.client));
        Set<InetSocketAddress> ours = new HashSet<>();
        Set<InetSocketAddress> accepted = new HashSet<>();
        read(clients, ours, accepted);
        if (!ours.isEmpty()) {
            Set<InetSocketAddress> still = new HashSet<>();
            accepted.clear();
            read(ours, still, accepted);
            ours.retainAll(still);
            ours.retainAll(accepted);
        }
        return ours;
    }

    /**
     * @param ours gets those clients that are the server's own user or root
     * @param accepted gets those whose connection a process on our port has
     */
    private void read(
            Set<InetSocketAddress> clients,
            Set<InetSocketAddress> ours,
            Set<InetSocketAddress> accepted)
            throws IOException {
        Set<InetSocketAddress> others = new HashSet<>();
        sockets.forEach(row -> {
            if (row.isClosed()) {
                return;
            }
            if (row.remotePort() == port) {
                InetSocketAddress client =
                        new InetSocketAddress(row.localAddress(), row.localPort());
                boolean isOurs = row.user() == ROOT || Integer.valueOf(row.user()).equals(own);
                if (clients.contains(client)) {
                    (isOurs ? ours : others).add(client);
                }
            } else if (row.localPort() == port) {
                InetSocketAddress client =
                        new InetSocketAddress(row.remoteAddress(), row.remotePort());
                if (clients.contains(client)) {
                    accepted.add(client);
                }
            }
        });
        // One port may lead to the same port of several addresses of this machine.
        ours.removeAll(others);
    }

    private static InetSocketAddress addressOf(String client) {
        int colon = client.lastIndexOf(':');
        return new InetSocketAddress(
                InetAddress.ofLiteral(client.substring(0, colon)),
                Integer.parseInt(client.substring(colon + 1)));
    }
}
