package dev.handoff.launcher.operator;

import dev.handoff.admin.api.JsonLibrary;
import dev.handoff.process.protocol.SafeText;
import jakarta.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What {@code handoff drain}, {@code kill}, {@code reload} and {@code scale} make a running server
 * do, and print. For one thread.
 */
public final class Orders {
    private static final String BEGUN = "begun";
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final AdminClient server;
    private final boolean waits;
    private final boolean json;
    private final long mostWaitNanos;

    /**
     * @param waits whether to wait for the end of what is ordered, for a minute at most
     * @param json whether to print the response of the server as it is
     */
    public Orders(AdminClient server, boolean waits, boolean json) {
        this(server, waits, json, AdminClient.LONGEST_WAIT);
    }

    Orders(AdminClient server, boolean waits, boolean json, Duration longestWait) {
        this.server = server;
        this.waits = waits;
        this.json = json;
        this.mostWaitNanos = longestWait.toNanos();
    }

    /** Ends the server when it has answered what it holds. */
    public String drainServer() throws AdminException {
        String process = waits ? process() : "";
        JsonObject begun = server.order("/drain", null);
        if (!waits) {
            return printed("the server", begun);
        }
        awaitEnd(process);
        return printed(
                "the server",
                JsonLibrary.PROVIDER.createObjectBuilder(begun).add("state", "done").build());
    }

    /** Has a worker finish its requests, and leave. */
    public String drainWorker(String id) throws AdminException {
        return order("/workers/" + encoded(id) + "/drain", "worker " + id, null);
    }

    /** Ends a worker at once. */
    public String killWorker(String id) throws AdminException {
        return order("/workers/" + encoded(id) + "/kill", "worker " + id, null);
    }

    /** Has the configuration read again and all workers replaced. */
    public String reload() throws AdminException {
        return order("/reload", "the server", null);
    }

    /** Has the workers of one pool replaced. */
    public String reloadPool(String name) throws AdminException {
        return order("/pools/" + encoded(name) + "/reload", "pool " + name, null);
    }

    /** Changes how many workers a pool has. */
    public String scale(String name, int workers) throws AdminException {
        JsonObject body =
                JsonLibrary.PROVIDER.createObjectBuilder().add("workers", workers).build();
        return order("/pools/" + encoded(name) + "/scale", "pool " + name, body);
    }

    private String order(String path, String subject, @Nullable JsonObject body)
            throws AdminException {
        JsonObject response = server.order(waits ? path + AdminClient.WAITING : path, body);
        if (waits && response.getString("state", BEGUN).equals(BEGUN)) {
            throw notOver(subject);
        }
        return printed(subject, response);
    }

    /**
     * Waits for the end of a server, which cannot report it: until none answers, or another one.
     */
    private void awaitEnd(String process) throws AdminException {
        long deadline = System.nanoTime() + mostWaitNanos;
        while (isThere(process)) {
            if (System.nanoTime() - deadline > 0) {
                throw notOver("the server");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private boolean isThere(String process) {
        try {
            return process().equals(process);
        } catch (AdminException silent) {
            return server.isListening();
        }
    }

    /** Which process serves: a number alone would be the same in every container. */
    private String process() throws AdminException {
        JsonObject about = server.getJson("/stats").getJsonObject("server");
        if (about == null) {
            throw new AdminException(server.server() + "/stats does not describe a server");
        }
        return about.get("pid") + " since " + about.get("startedAt");
    }

    private AdminException notOver(String subject) {
        return new AdminException(
                "%s: not done after %d s, and it goes on"
                        .formatted(
                                SafeText.of(subject),
                                TimeUnit.NANOSECONDS.toSeconds(mostWaitNanos)));
    }

    private String printed(String subject, JsonObject response) {
        if (json) {
            return response.toString();
        }
        String text = subject + ": " + response.getString("state", BEGUN);
        int workers = response.containsKey("pool") ? response.getInt("workers", 0) : 0;
        if (workers > 0) {
            text += ", " + workers + (workers == 1 ? " worker" : " workers");
        }
        String detail = response.getString("detail", "");
        return SafeText.of(detail.isEmpty() ? text : text + "; " + detail);
    }

    private static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
