package dev.handoff.process.protocol;

/**
 * Carries a fault from where it is found to {@link FrameDecoder}, which makes a value of it. It
 * never leaves the package and has no stack trace: a hostile peer would only make us pay for it.
 */
final class BrokenRule extends Exception {
    private static final long serialVersionUID = 1;

    private final ProtocolFault fault;

    BrokenRule(ProtocolFault fault, String detail) {
        super(detail, null, false, false);
        this.fault = fault;
    }

    /** The same, told of the message that it was found in. */
    BrokenRule in(String subject) {
        return new BrokenRule(fault, subject + ": " + getMessage());
    }

    Decoded.Refused toRefused() {
        return new Decoded.Refused(fault, String.valueOf(getMessage()));
    }
}
