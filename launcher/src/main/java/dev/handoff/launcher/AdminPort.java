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
 * The admin server, and its wait for the port: where one core follows another, the predecessor
 * keeps the port until it ends. Any thread.
 */
final class AdminPort {
    private static final System.Logger LOG = System.getLogger(AdminPort.class.getName());
    private static final Executor LATER =
            CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS);

    private final AdminServer server;
    private boolean bound;
    private boolean stopped;

    private AdminPort(AdminServer server) {
        this.server = server;
    }

    /** Opens the port now; if that fails, stops the server. */
    static AdminPort open(AdminServer server) throws IOException {
        AdminPort port = new AdminPort(server);
        try {
            port.bind();
        } catch (IOException | RuntimeException failure) {
            server.stop();
            throw failure;
        }
        return port;
    }

    /** Opens the port as soon as its present holder closes it, and logs that. */
    static AdminPort openWhenFree(int number, AdminServer server) throws IOException {
        AdminPort port = new AdminPort(server);
        try {
            port.bind();
        } catch (BindException taken) {
            LOG.log(
                    Level.INFO,
                    "no admin server on port %d yet: %s".formatted(number, taken.getMessage()));
            LATER.execute(port::tryAgain);
        } catch (IOException | RuntimeException failure) {
            server.stop();
            throw failure;
        }
        return port;
    }

    /** The number of the port, or null while the server waits for it. */
    synchronized @Nullable Integer number() {
        return bound ? server.port() : null;
    }

    synchronized void beginDraining() {
        server.beginDraining();
    }

    synchronized void stop() {
        stopped = true;
        server.stop();
    }

    private synchronized void bind() throws IOException {
        server.bind();
        bound = true;
    }

    private synchronized void tryAgain() {
        if (stopped) {
            return;
        }
        try {
            bind();
            LOG.log(Level.INFO, "the admin server has its port: " + server.port());
        } catch (BindException taken) {
            LATER.execute(this::tryAgain);
        } catch (IOException failure) {
            LOG.log(Level.WARNING, "no admin server: " + failure.getMessage());
        }
    }
}
