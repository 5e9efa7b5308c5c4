package dev.handoff.process.join;

import dev.handoff.loop.EventLoop;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;

/**
 * Asks the system for the user at the other end of a Unix socket. It has a thread of its own, since
 * the system may look the name up in a directory that does not answer. Belongs to the thread of its
 * loop.
 */
final class PeerNames {
    /** Beyond it the one that comes is not asked for. All workers of a pool may come at once. */
    static final int MOST_ASKED = 1024;

    private final EventLoop loop;
    private final PeerQuestion question;
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(
                    1,
                    1,
                    0,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    Thread.ofPlatform().name("handoff-worker-users").daemon().factory());

    private int asked;

    /** Hears of a connection that was asked for. */
    interface Listener {
        void known(UnixDomainPrincipal peer);

        /**
         * @param code with which it is refused
         */
        void unknown(String code, String why);
    }

    /** How a system tells; blocks. */
    interface PeerQuestion {
        UnixDomainPrincipal ask(SocketChannel channel) throws IOException;
    }

    PeerNames(EventLoop loop, PeerQuestion question) {
        this.loop = loop;
        this.question = question;
        // Later the machine may have no thread left.
        thread.prestartCoreThread();
    }

    static PeerNames ofThisMachine(EventLoop loop) {
        return new PeerNames(loop, channel -> channel.getOption(ExtendedSocketOptions.SO_PEERCRED));
    }

    /**
     * Asks for the user of a connection.
     *
     * @param then hears the answer on the loop
     */
    void ask(SocketChannel channel, Listener then) {
        if (asked >= MOST_ASKED) {
            then.unknown(
                    "too_many_newcomers",
                    MOST_ASKED + " others wait for the system to name their user");
            return;
        }
        asked++;
        thread.execute(() -> {
            UnixDomainPrincipal peer = null;
            String failure = "";
            try {
                peer = question.ask(channel);
            } catch (IOException | RuntimeException unknown) {
                failure = "the system does not say which user connects: " + unknown.getMessage();
            }
            UnixDomainPrincipal found = peer;
            String reason = failure;
            loop.tryExecute(() -> {
                asked--;
                if (found == null) {
                    then.unknown("bad_user", reason);
                } else {
                    then.known(found);
                }
            });
        });
    }

    /** Ends the thread when it has asked for all. */
    void close() {
        thread.shutdown();
    }
}
