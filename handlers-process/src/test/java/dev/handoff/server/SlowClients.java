package dev.handoff.server;

/** Clients that have not taken their responses, as the room for these sees them. */
public final class SlowClients {
    private SlowClients() {}

    /** From now on they hold so much more, or less, of large responses. */
    public static void hold(ResponseRoom room, long bytes) {
        room.add(bytes, 0, 0);
    }

    /** From now on they hold so much more, or less, of messages of WebSockets. */
    public static void holdMessages(ResponseRoom room, long bytes) {
        room.add(0, 0, bytes);
    }
}
