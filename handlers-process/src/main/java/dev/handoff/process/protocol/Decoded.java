package dev.handoff.process.protocol;

/** What the decoder has found in the bytes so far. */
public sealed interface Decoded {

    /** The frame is incomplete, and all bytes were taken. */
    enum Incomplete implements Decoded {
        INCOMPLETE
    }

    /** One frame. */
    record Complete(Message message) implements Decoded {}

    /**
     * The peer broke the protocol. Nobody knows where the next frame would begin, so the connection
     * has to be closed.
     *
     * @param detail what was found, for the log
     */
    record Refused(ProtocolFault fault, String detail) implements Decoded {

        /** The rule, and what was found. */
        public String inWords() {
            return fault.message() + ": " + detail;
        }
    }
}
