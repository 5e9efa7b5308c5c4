package dev.handoff.http.websocket;

/** What kind of frame it is (RFC 6455 section 11.8). */
final class Opcode {
    static final int CONTINUATION = 0;
    static final int TEXT = 1;
    static final int BINARY = 2;
    static final int CLOSE = 8;
    static final int PING = 9;
    static final int PONG = 10;

    static final int LONGEST_CONTROL_BYTES = 125;

    private Opcode() {}

    static boolean isControl(int opcode) {
        return opcode >= CLOSE;
    }

    static boolean isKnown(int opcode) {
        return opcode <= BINARY || (opcode >= CLOSE && opcode <= PONG);
    }
}
