package dev.handoff.launcher.logging;

import dev.handoff.admin.AdminListener;
import dev.handoff.admin.api.CallRefusal;
import dev.handoff.http.Refusal;
import dev.handoff.http.Request;
import dev.handoff.http.RequestStart;
import dev.handoff.http.ResponseFault;
import dev.handoff.loop.LoopListener;
import dev.handoff.server.Abandonment;
import dev.handoff.server.ConnectionEnd;
import dev.handoff.server.Exchange;
import dev.handoff.server.StreamEnd;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Logs what goes wrong between a server, that of clients or the admin server, and those who call
 * it, and counts the requests that its stop cut off. Called on all event loops.
 */
public final class ServerLog implements AdminListener, LoopListener {
    private static final System.Logger LOG = System.getLogger(ServerLog.class.getName());
    private static final int PER_SECOND = 5;

    private final RepeatLimit refusals = limited(Level.DEBUG);
    private final RepeatLimit deadlines = limited(Level.WARNING);
    private final RepeatLimit badResponses = limited(Level.WARNING);
    private final RepeatLimit bugs = limited(Level.ERROR);
    private final RepeatLimit fullSpools = limited(Level.WARNING);
    private final RepeatLimit fullBuffers = limited(Level.WARNING);
    private final RepeatLimit clientLimits = limited(Level.WARNING);
    private final RepeatLimit acceptFailures = limited(Level.WARNING);
    private final RepeatLimit acceptPauses = limited(Level.WARNING);
    private final WrongTokens wrongTokens =
            new WrongTokens(message -> LOG.log(Level.WARNING, message));
    private final AtomicInteger cutOff = new AtomicInteger();
    private final AtomicInteger streamsCutOff = new AtomicInteger();

    /** How many requests had no response, or a part of one, when the server stopped. */
    public int cutOff() {
        return cutOff.get();
    }

    /** How many responses in pieces were under way then, which may have had no end at all. */
    public int streamsCutOff() {
        return streamsCutOff.get();
    }

    @Override
    public void onStreamEnded(
            Exchange exchange, int status, long bodyBytes, long nanos, StreamEnd how) {
        if (how == StreamEnd.SERVER_STOPPED) {
            streamsCutOff.incrementAndGet();
        }
    }

    @Override
    public void onRefused(Refusal refusal, String client, RequestStart start, int bodyBytes) {
        if (!LOG.isLoggable(Level.DEBUG)) {
            return;
        }
        refusals.tell(() ->
                "refused a request from %s: %d %s: %s"
                        .formatted(client, refusal.status(), refusal.code(), refusal.message()));
    }

    @Override
    public void onSpoolFull(String client, RequestStart start, boolean whole, int bodyBytes) {
        fullSpools.tell(() ->
                "large requests fill the space that they may take (--max-spooled, what is free in --spool-directory if that is there, and ulimit -n): one got 503 spool_full");
    }

    @Override
    public void onBuffersFull(String client, RequestStart start, int bodyBytes) {
        fullBuffers.tell(
                () -> "requests fill their half of --max-buffered: one got 503 buffers_full");
    }

    @Override
    public void onRequestEvicted(String client, RequestStart start, int bodyBytes) {
        fullBuffers.tell(() ->
                "a request from %s came too slowly, and others need its memory (--max-buffered) or its connection (--max-connections): 503 request_evicted"
                        .formatted(client));
    }

    @Override
    public void onClientLimit(String client) {
        clientLimits.tell(() ->
                "%s has as much open as --max-connections-per-client allows: more is refused"
                        .formatted(client));
    }

    @Override
    public void onAbandoned(Exchange exchange, Abandonment reason) {
        switch (reason) {
            case CLIENT_GONE, CONTENT_CUT -> {}
            case DEADLINE ->
                    deadlines.tell(() ->
                            about(
                                    exchange,
                                    " got no response in time: 504 deadline (--request-timeout)"));
            case STREAM_IDLE ->
                    deadlines.tell(() ->
                            about(
                                    exchange,
                                    " was cut off: no piece of its response came in time (--stream-idle-timeout)"));
            case BAD_RESPONSE, NO_CONTENT -> {}
            case SERVER_STOPPED -> cutOff.incrementAndGet();
        }
    }

    @Override
    public void onConnectionClosed(ConnectionEnd end) {
        if (end == ConnectionEnd.CUT_OFF) {
            cutOff.incrementAndGet();
        } else if (end == ConnectionEnd.BUFFERS_FULL) {
            fullBuffers.tell(() ->
                    "responses fill their half of --max-buffered: a client that reads too slowly was disconnected");
        }
    }

    @Override
    public void onHandlerFailed(Exchange exchange, Throwable failure) {
        bugs.tell(() -> about(exchange, " could not be handed over: " + withTrace(failure)));
    }

    @Override
    public void onBadResponse(Exchange exchange, ResponseFault fault) {
        badResponses.tell(() ->
                LogMessage.ofRequest(
                        exchange.requestId(),
                        "the response to %s is not valid (%s): %s"
                                .formatted(name(exchange), fault.code(), fault.message())));
    }

    @Override
    public void onAcceptFailed(IOException failure) {
        acceptFailures.tell(() -> "cannot accept a connection for the moment: " + failure);
    }

    @Override
    public void onAcceptPaused() {
        acceptPauses.tell(() ->
                "as many connections are open as --max-connections allows: others have to wait");
    }

    @Override
    public void onCallRefused(CallRefusal reason, String client) {
        if (reason == CallRefusal.WRONG_TOKEN) {
            wrongTokens.shownBy(client);
        }
    }

    @Override
    public void onInternalFailure(Throwable failure) {
        bugs.tell(
                () -> "a bug in Handoff, which cost one connection or task: " + withTrace(failure));
    }

    @Override
    public void onFailure(Throwable failure) {
        onInternalFailure(failure);
    }

    private static LogMessage about(Exchange exchange, String what) {
        return LogMessage.ofRequest(exchange.requestId(), name(exchange) + what);
    }

    private static String name(Exchange exchange) {
        Request request = exchange.request();
        String id = exchange.requestId();
        String name = request.method() + " " + TargetPath.of(request.target());
        return id == null ? name : name + " (" + id + ")";
    }

    private static String withTrace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString().stripTrailing();
    }

    private static RepeatLimit limited(Level level) {
        return new RepeatLimit(PER_SECOND, message -> LOG.log(level, message));
    }
}
