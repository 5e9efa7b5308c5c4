package dev.handoff.http;

/** Where the content of requests goes that is too large for memory. */
public interface ContentStore {
    /** Content of up to so many bytes stays in memory. */
    int memoryBytes();

    /** Begins to store the content of a request. */
    Storing begin();

    /** Content on its way into the store. It is called by one thread. */
    interface Storing {
        /**
         * Takes the next bytes.
         *
         * @param bytes belongs to the store from here on
         * @param length how many of them, from the first
         */
        void add(byte[] bytes, int length);

        /** The memory of what it has taken and not yet stored. */
        int unstoredBytes();

        /** All has been added. What is stored may follow. */
        StoredContent finish();

        /** The rest will not come, and nobody wants what has. */
        void discard();
    }
}
