package dev.handoff.http;

import org.jspecify.annotations.Nullable;

/** Where the content of requests goes that does not wait in memory until it is whole. */
public interface ContentStore {
    /** Content of up to so many bytes waits in memory until it is whole. */
    int memoryBytes();

    /** Begins to store the content of a request. */
    Storing begin();

    /**
     * Begins to hand the content of a request to its handler as it comes; null if the handler wants
     * all of it at once.
     *
     * @param head the request without its content
     * @param expectsContinue whether its client may wait for 100 (Continue) before it sends any
     */
    @Nullable Arriving arrive(Request head, boolean expectsContinue);

    /** Takes content as it comes. It is called by one thread. */
    interface Sink {
        /**
         * Takes the next bytes.
         *
         * @param bytes belongs to the sink from here on
         * @param length how many of them, from the first
         */
        void add(byte[] bytes, int length);

        /** The memory of what it has taken, and not passed on. */
        int unstoredBytes();

        /** Whether that is so much that no more should come for now. */
        boolean isFull();

        /** The rest will not come, and nobody wants what has. */
        void discard();
    }

    /** Content on its way into the store. */
    interface Storing extends Sink {
        /** An array to be filled with what comes next, whatever is in it. */
        byte[] room();

        /** All has been added. The last of it may reach the store later. */
        StoredContent finish();
    }

    /** Content on its way to its handler. */
    interface Arriving extends Sink, ArrivingContent {
        /** All has been added. */
        void end();
    }
}
