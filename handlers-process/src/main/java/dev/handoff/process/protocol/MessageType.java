package dev.handoff.process.protocol;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names of the messages, and who sends them. */
enum MessageType {
    HELLO("hello", Sender.WORKER),
    WELCOME("welcome", Sender.CORE),
    REFUSED("refused", Sender.CORE),
    REQUEST("request", Sender.CORE),
    RESPONSE("response", Sender.WORKER),
    DATA("data", Sender.EITHER),
    CREDIT("credit", Sender.EITHER),
    MESSAGE("message", Sender.EITHER),
    CLOSE("close", Sender.EITHER),
    FAILURE("failure", Sender.WORKER),
    CANCEL("cancel", Sender.CORE),
    CAPACITY("capacity", Sender.WORKER),
    DRAIN("drain", Sender.EITHER),
    PING("ping", Sender.CORE),
    PONG("pong", Sender.WORKER);

    private enum Sender {
        WORKER,
        CORE,
        EITHER
    }

    private static final Map<String, MessageType> BY_NAME = new HashMap<>();

    static {
        for (MessageType type : values()) {
            BY_NAME.put(type.wireName, type);
        }
    }

    final String wireName;
    private final Sender sender;

    MessageType(String wireName, Sender sender) {
        this.wireName = wireName;
        this.sender = sender;
    }

    static @Nullable MessageType ofWireName(String name) {
        return BY_NAME.get(name);
    }

    boolean isSentBy(Peer peer) {
        return switch (sender) {
            case EITHER -> true;
            case WORKER -> peer == Peer.WORKER;
            case CORE -> peer == Peer.CORE;
        };
    }

    boolean mayHaveBody() {
        return this == REQUEST || this == RESPONSE || this == DATA || this == MESSAGE;
    }
}
