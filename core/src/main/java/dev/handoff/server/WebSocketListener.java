package dev.handoff.server;

import dev.handoff.http.Body;

/** The handler's side of a {@link WebSocket}. Called on the exchange's loop; must not block. */
public interface WebSocketListener {
    /**
     * It is open: its 101 is on its way. Comes before everything else, and not at all where the
     * client was gone before.
     *
     * @param socket the same that {@link Exchange#accept} returns
     */
    default void onOpen(WebSocket socket) {}

    /**
     * A message came. It counts in the memory of its connection until {@link WebSocket#taken}, and
     * when much of that waits, the client is not read.
     *
     * @param text whether it is text, which was found to be UTF-8
     */
    void onMessage(boolean text, Body message);

    /** The client has taken messages that cost so much: there is room for as many again. */
    default void onRoom(long costBytes) {}

    /**
     * Whether the handler may still answer the messages that came before the one with which the
     * client broke a rule. Then the client is told of the fault when {@link WebSocket#close} is
     * called, or a second has passed. Otherwise it is told at once.
     */
    default boolean answersLater() {
        return false;
    }

    /**
     * It is over, whoever ended it. Comes once, also if the client was gone before it opened.
     *
     * @param code the first that was sent, by the client or to it; {@link
     *     dev.handoff.http.websocket.CloseCode#NONE} for a close without code, {@link
     *     dev.handoff.http.websocket.CloseCode#ABNORMAL} if the connection broke off
     */
    void onClosed(int code, String reason);
}
