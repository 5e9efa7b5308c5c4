package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.websocket.CloseCode;

/**
 * A WebSocket that {@link Exchange#accept} opened, as its handler sees it: whole messages. The
 * server joins fragments, answers pings and sends its own, compresses, and closes it when its
 * client is gone.
 *
 * <p>Any thread may call. What comes after the end is dropped.
 */
public interface WebSocket {
    /** What a handler may send before it is told that there is room for more. */
    int FIRST_ROOM_BYTES = ResponseStream.FIRST_ROOM_BYTES;

    /** How much room a message takes besides its bytes. */
    int MESSAGE_COST_BYTES = 64;

    /**
     * Sends a whole message. The server holds what the client has not taken, so a handler gives no
     * more than {@link #FIRST_ROOM_BYTES} and what {@link WebSocketListener#onRoom} has said since;
     * a message may be larger than that.
     *
     * @param text whether it is text, which must be UTF-8: nobody checks that here
     */
    default void send(boolean text, Body message) {
        send(text, message, true);
    }

    /**
     * Sends a fragment of a message (RFC 6455 section 5.4). Each takes room as a message does, and
     * other messages of the same WebSocket wait until the last one.
     *
     * @param text as above; it says nothing in a fragment that is not the first
     * @param last whether the message is complete with it
     */
    void send(boolean text, Body fragment, boolean last);

    /**
     * The handler is done with messages that cost this much, their bytes included. So the client
     * may send more.
     */
    void taken(long costBytes);

    /**
     * Closes it. The client gets what was sent before, then code and reason; what it still sends is
     * dropped.
     *
     * @param code one that {@link CloseCode#mayBeSent}
     * @param reason of at most {@link CloseCode#LONGEST_REASON_BYTES} in UTF-8
     * @throws IllegalArgumentException if the code or the reason may not be sent
     */
    void close(int code, String reason);
}
