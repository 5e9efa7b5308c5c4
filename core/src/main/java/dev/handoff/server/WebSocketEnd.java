package dev.handoff.server;

/**
 * How a WebSocket ended, and what it carried.
 *
 * @param code as {@link WebSocketListener#onClosed} tells it
 * @param nanos how long it was open
 * @param receivedMessages messages from the client, and {@code receivedBytes} their size,
 *     decompressed
 * @param sentMessages messages to the client, and {@code sentBytes} their size, before they were
 *     compressed
 */
public record WebSocketEnd(
        int code,
        long nanos,
        long receivedMessages,
        long receivedBytes,
        long sentMessages,
        long sentBytes) {}
