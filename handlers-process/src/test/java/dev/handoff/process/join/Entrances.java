package dev.handoff.process.join;

import dev.handoff.process.protocol.Message;
import java.nio.channels.SocketChannel;
import java.util.List;

/** Lets a worker in without a socket file, for tests. */
public final class Entrances {
    private Entrances() {}

    /** To be called on the pool's loop. */
    public static void admit(WorkerEntrance entrance, SocketChannel channel, Message.Hello hello) {
        entrance.admit(channel, account -> null, hello, new byte[0], List.of());
    }
}
