package dev.handoff.server;

/**
 * What a WebSocket was.
 *
 * @param code as {@link WebSocketListener#onClosed} tells it
 * @param nanos how long it was open
 * @param receivedMessages from the client, with so many bytes, decompressed
 * @param sentMessages to the client, with so many bytes, before they were compressed
 */
public record WebSocketEnd(
        int code,
        long nanos,
        long receivedMessages,
        long receivedBytes,
        long sentMessages,
        long sentBytes) {}
