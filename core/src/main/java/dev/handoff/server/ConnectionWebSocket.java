package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.websocket.CloseCode;
import dev.handoff.http.websocket.DeflateOffer;
import dev.handoff.loop.StreamSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The WebSocket that a connection becomes when its 101 is written, as its handler has it. What the
 * handler gives before that waits here; from then on there is an {@link OpenWebSocket}.
 *
 * <p>Belongs to the loop's thread, but for what {@link WebSocket} says.
 */
final class ConnectionWebSocket implements WebSocket {
    /** Brings what a handler gives to the loop. Any thread. */
    interface Carrier {
        /**
         * @param bytes of content that it gives
         */
        void carry(int bytes, Runnable give);
    }

    private final LoopContext context;
    private final Exchange exchange;
    private final Carrier carrier;
    private final @Nullable DeflateOffer compression;
    private final WebSocketListener listener;

    /** Bounded by the room that the handler was told of. */
    private final List<Consumer<OpenWebSocket>> waiting = new ArrayList<>(0);

    private long waitingBytes;
    private @Nullable OpenWebSocket open;

    /** Whether it cannot open any more. */
    private boolean over;

    ConnectionWebSocket(
            LoopContext context,
            Exchange exchange,
            Carrier carrier,
            @Nullable DeflateOffer compression,
            WebSocketListener listener) {
        this.context = context;
        this.exchange = exchange;
        this.carrier = carrier;
        this.compression = compression;
        this.listener = listener;
    }

    /** Whether its 101 has been written. */
    boolean hasBegun() {
        return open != null;
    }

    /** The memory of what waits for the 101. */
    long waitingBytes() {
        return waitingBytes;
    }

    /** The 101 has been written to the socket: from here on it speaks frames. */
    OpenWebSocket open(OpenWebSocket.Owner owner, StreamSocket socket) {
        OpenWebSocket opened =
                new OpenWebSocket(context, exchange, compression, listener, owner, socket);
        open = opened;
        context.listener().onWebSocketOpened(exchange);
        opened.tellOpen(this);
        waiting.forEach(give -> give.accept(opened));
        drop();
        return opened;
    }

    @Override
    public void send(boolean text, Body fragment, boolean last) {
        int bytes = fragment.sizeBytes();
        carrier.carry(bytes, () -> give(bytes, opened -> opened.write(text, fragment, last)));
    }

    @Override
    public void taken(long costBytes) {
        carrier.carry(0, () -> give(0, opened -> opened.taken(costBytes)));
    }

    @Override
    public void close(int code, String reason) {
        int reasonBytes = reason.getBytes(StandardCharsets.UTF_8).length;
        if (!CloseCode.mayBeSent(code) || reasonBytes > CloseCode.LONGEST_REASON_BYTES) {
            throw new IllegalArgumentException(
                    "code %d with a reason of %d bytes cannot be sent"
                            .formatted(code, reasonBytes));
        }
        carrier.carry(0, () -> give(0, opened -> opened.closeByHandler(code, reason)));
    }

    private void give(int bytes, Consumer<OpenWebSocket> what) {
        OpenWebSocket opened = open;
        if (opened != null) {
            what.accept(opened);
        } else if (!over) {
            waiting.add(what);
            waitingBytes += bytes;
        }
    }

    /** The connection is closed, or the handler's acceptance is refused. */
    void connectionClosed() {
        OpenWebSocket opened = open;
        if (opened != null) {
            opened.connectionClosed();
        } else if (!over) {
            over = true;
            drop();
            try {
                listener.onClosed(CloseCode.ABNORMAL, "");
            } catch (Throwable failure) {
                context.listener().onHandlerFailed(exchange, failure);
            }
        }
    }

    private void drop() {
        waiting.clear();
        waitingBytes = 0;
    }
}
