package dev.handoff.http;

/** Gives arrays for content on its way, and may keep those that come back for what comes next. */
public interface SpareArrays {
    /** The size of each. */
    int ARRAY_BYTES = 64 * 1024;

    /** Keeps none. */
    SpareArrays NONE =
            new SpareArrays() {
                @Override
                public byte[] take() {
                    return new byte[ARRAY_BYTES];
                }

                @Override
                public void giveBack(byte[] array) {}
            };

    /** An array for content, whatever is in it. */
    byte[] take();

    /** Takes back an array of any size that nobody else has any more. */
    void giveBack(byte[] array);
}
