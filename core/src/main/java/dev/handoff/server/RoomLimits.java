package dev.handoff.server;

/**
 * How much each part of a {@link ResponseRoom} may have.
 *
 * @param bytes of all responses together
 * @param modestPartBytes for modest responses alone
 * @param headPartBytes for heads alone
 * @param commonPartBytes for responses of every size
 * @param messagePartBytes for messages alone
 * @param modestBytes a response of so many bytes or fewer is modest
 */
record RoomLimits(
        long bytes,
        long modestPartBytes,
        long headPartBytes,
        long commonPartBytes,
        long messagePartBytes,
        int modestBytes) {
    /**
     * No larger response is modest. The part for modest ones has room for eight of this size at
     * least.
     */
    private static final int MOST_MODEST_BYTES = 256 * 1024;

    private static final int MODEST_SHARE = 8;
    private static final int HEAD_SHARE = 16;
    private static final int MESSAGE_SHARE = 8;

    static RoomLimits of(long limitBytes) {
        long bytes = Math.max(1, limitBytes);
        long modestPart = bytes / MODEST_SHARE;
        long headPart = bytes / HEAD_SHARE;
        return new RoomLimits(
                bytes,
                modestPart,
                headPart,
                bytes - modestPart - headPart,
                bytes / MESSAGE_SHARE,
                (int) Math.min(MOST_MODEST_BYTES, modestPart / MODEST_SHARE));
    }

    /** The most of the common part that messages may take. */
    long commonForMessagesBytes() {
        return commonPartBytes / 2;
    }

    /**
     * By how much the common part passes its limit; negative where it does not. It has large
     * responses, and the modest ones and the messages for which their own parts have no room.
     * Messages that pass their half do not count there.
     */
    long excessBytes(long largeBytes, long modestBytes, long messageBytes) {
        return largeBytes
                + Math.max(0, modestBytes - modestPartBytes)
                + Math.clamp(messageBytes - messagePartBytes, 0, commonForMessagesBytes())
                - commonPartBytes;
    }

    /** By how much messages pass what they may have; negative where they do not. */
    long excessOfMessagesBytes(long largeBytes, long modestBytes, long messageBytes) {
        long ofOwnPart = messageBytes - messagePartBytes;
        long ofCommonPart = excessBytes(largeBytes, modestBytes, messageBytes);
        return Math.min(ofOwnPart, Math.max(ofOwnPart - commonForMessagesBytes(), ofCommonPart));
    }
}
