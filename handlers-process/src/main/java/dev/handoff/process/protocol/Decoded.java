package dev.handoff.process.protocol;

/** What the decoder makes of the bytes so far. */
public sealed interface Decoded {

    /** All bytes were taken, and the frame is not complete. */
    enum Incomplete implements Decoded {
        INCOMPLETE
    }

    /** One frame. */
    record Complete(Message message) implements Decoded {}

    /**
     * The peer broke the protocol. Where the next frame would begin is no longer trusted: the
     * connection has to be closed.
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
