package dev.handoff.process.protocol;

/**
 * Carries a fault from where it is found to {@link FrameDecoder}, which makes a value of it. It
 * never leaves the package. It has no stack trace, which hostile peers would make us pay for.
 */
final class BrokenRule extends Exception {
    private static final long serialVersionUID = 1;

    private final ProtocolFault fault;

    BrokenRule(ProtocolFault fault, String detail) {
        super(detail, null, false, false);
        this.fault = fault;
    }

    /** The same fault, with the message in which it was found. */
    BrokenRule in(String subject) {
        return new BrokenRule(fault, subject + ": " + getMessage());
    }

    Decoded.Refused toRefused() {
        return new Decoded.Refused(fault, String.valueOf(getMessage()));
    }
}
