package dev.handoff.server;

import dev.handoff.loop.StreamSocket;
import java.util.function.BooleanSupplier;

/**
 * What a connection is doing, and what depends on that: the time that it has to read something, and
 * whether it waits for its client, so that it may have to go for others. Belongs to the loop's
 * thread.
 */
final class ConnectionPhase {
    private final LoopContext context;
    private final StreamSocket socket;
    private final ReadDeadline readDeadline;
    private final BooleanSupplier owesResponses;
    private final BooleanSupplier restIsDue;
    private final BooleanSupplier mayHaveLeft;
    private final SilentClients.Place silence;
    private final SilentClients.Place stall;
    private ConnectionState state = ConnectionState.IDLE;

    /**
     * @param owesResponses whether requests are not answered
     * @param restIsDue whether a handler has the only one of them, and waits for the client, which
     *     has got nothing of the response
     * @param mayHaveLeft whether nobody would see it if the client had left
     * @param client loses the connection where others need its place
     */
    ConnectionPhase(
            LoopContext context,
            StreamSocket socket,
            ReadDeadline readDeadline,
            BooleanSupplier owesResponses,
            BooleanSupplier restIsDue,
            BooleanSupplier mayHaveLeft,
            SilentClients.Client client) {
        this.context = context;
        this.socket = socket;
        this.readDeadline = readDeadline;
        this.owesResponses = owesResponses;
        this.restIsDue = restIsDue;
        this.mayHaveLeft = mayHaveLeft;
        this.silence = new SilentClients.Place(client);
        this.stall = new SilentClients.Place(client);
        readDeadline.entered(state);
        updateSilence();
    }

    ConnectionState state() {
        return state;
    }

    boolean is(ConnectionState asked) {
        return state == asked;
    }

    /** Whether requests are taken. */
    boolean takesRequests() {
        return state.takesRequests();
    }

    /** The one way to another state. */
    void enter(ConnectionState next) {
        if (next == state) {
            return;
        }
        state.requireMayBecome(next);
        if (next.isActive() != state.isActive()) {
            context.activeChanged(next.isActive() ? 1 : -1);
        }
        state = next;
        readDeadline.entered(next);
        updateSilence();
        if (next == ConnectionState.WEBSOCKET || next == ConnectionState.CLOSED) {
            context.stalledClients().leave(stall);
        }
    }

    /** Bytes came. */
    void came(int bytes) {
        if (state == ConnectionState.READING_BODY && readDeadline.bodyCame(bytes)) {
            updateSilence();
        }
    }

    /** The connection is not read from now on, so it does not wait for its client. */
    void standStill() {
        if (!readDeadline.standsStill()) {
            readDeadline.standStill();
            updateSilence();
        }
    }

    /** It is read again. */
    void goOn() {
        if (readDeadline.standsStill()) {
            readDeadline.goOn();
            updateSilence();
        }
    }

    /** Looks again whether it waits for its client, where something has changed but its state. */
    void lookForSilence() {
        if (silence.isSilent() != waitsForClient()) {
            updateSilence();
        }
    }

    /** All output has left. */
    void flushed() {
        if (state == ConnectionState.IDLE || state == ConnectionState.LINGERING) {
            readDeadline.entered(state);
        }
        updateSilence();
        context.stalledClients().leave(stall);
    }

    /** Some output has left. If more waits, its client has been still since then. */
    void someLeft() {
        boolean mayStall = state != ConnectionState.WEBSOCKET && state != ConnectionState.CLOSED;
        if (mayStall && socket.pendingBytes() > 0) {
            context.stalledClients().enter(stall, context.loop().nanoTime());
        }
    }

    /** Whether its client has yet to take what it was sent. */
    boolean hasToTake() {
        return stall.isSilent();
    }

    /** Whether its client has something to get. */
    boolean isOwed() {
        return owesResponses.getAsBoolean() || socket.pendingBytes() > 0;
    }

    /** Notes whether it waits for its client from now on. */
    private void updateSilence() {
        if (waitsForClient()) {
            context.silentClients().enter(silence, context.loop().nanoTime());
        } else {
            context.silentClients().leave(silence);
        }
    }

    /** Some output has left, so its silence begins anew. */
    void clientTook() {
        if (silence.isSilent()) {
            updateSilence();
        }
    }

    /** Whether nobody would see it if the client, which has taken all so far, had left. */
    boolean isUnseen() {
        return mayHaveLeft.getAsBoolean() && socket.pendingBytes() == 0;
    }

    /** Whether its client has to do something, or may have left without being seen. */
    private boolean waitsForClient() {
        return switch (state) {
            case IDLE -> socket.pendingBytes() == 0;
            case READING_HEAD -> !isOwed() && !readDeadline.standsStill();
            case READING_BODY ->
                    readDeadline.standsStill()
                            ? isUnseen()
                            : !isOwed() || (restIsDue.getAsBoolean() && socket.pendingBytes() == 0);
            case ANSWERING, FINISHING -> isUnseen();
            case WEBSOCKET, LINGERING, CLOSED -> false;
        };
    }
}
