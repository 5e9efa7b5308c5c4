package dev.handoff.launcher;

import dev.handoff.admin.AdminServer;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The admin server, and the wait for its port: where one core follows another, the predecessor has
 * it until it ends. Any thread.
 */
final class AdminPort {
    private static final System.Logger LOG = System.getLogger(AdminPort.class.getName());
    private static final Executor LATER =
            CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS);

    /** How the server is started. */
    interface Opening {
        AdminServer open() throws IOException;
    }

    private final Opening opening;
    private @Nullable AdminServer server;
    private boolean draining;
    private boolean stopped;

    private AdminPort(Opening opening) {
        this.opening = opening;
    }

    /** Has it now, or never. */
    static AdminPort open(Opening opening) throws IOException {
        AdminPort port = new AdminPort(opening);
        port.server = opening.open();
        return port;
    }

    /** Has it as soon as whoever has it now leaves it, and tells the log. */
    static AdminPort openWhenFree(int number, Opening opening) throws IOException {
        try {
            return open(opening);
        } catch (BindException taken) {
            LOG.log(
                    Level.INFO,
                    "no admin server on port %d yet: %s".formatted(number, taken.getMessage()));
            AdminPort port = new AdminPort(opening);
            LATER.execute(port::tryAgain);
            return port;
        }
    }

    /** The number, or null as long as it waits. */
    synchronized @Nullable Integer number() {
        return server == null ? null : server.port();
    }

    synchronized void beginDraining() {
        draining = true;
        if (server != null) {
            server.beginDraining();
        }
    }

    synchronized void stop() {
        stopped = true;
        if (server != null) {
            server.stop();
        }
    }

    private synchronized void tryAgain() {
        if (stopped) {
            return;
        }
        try {
            server = opening.open();
            if (draining) {
                server.beginDraining();
            }
            LOG.log(Level.INFO, "the admin server has its port: " + server.port());
        } catch (BindException taken) {
            LATER.execute(this::tryAgain);
        } catch (IOException failure) {
            LOG.log(Level.WARNING, "no admin server: " + failure.getMessage());
        }
    }
}
