package dev.handoff.server;

import dev.handoff.http.ContentStore;
import dev.handoff.http.ErrorForm;
import dev.handoff.http.Parsed;
import dev.handoff.http.ParserLimits;
import dev.handoff.http.Refusal;
import dev.handoff.http.Request;
import dev.handoff.http.RequestParser;
import dev.handoff.http.RequestStart;

/**
 * Reads the bytes that come on one connection. It parses them where they lie while requests may be
 * read, and keeps them while they may not. Belongs to the loop's thread.
 */
final class RequestInput {
    /** This much is kept behind a request that has to wait; further bytes stay in the kernel. */
    private static final int UNREAD_BYTES = 64 * 1024;

    /** Enough for most requests without content whose head comes in pieces. */
    private static final int SMALL_HEAD_BYTES = 4 * 1024;

    /** The connection. */
    interface Owner {
        /** Whether a request may be begun now; one that has begun is always read on. */
        boolean mayBegin();

        /** Whether the rest of a request, or another, is of any use. */
        boolean takesRequests();

        /**
         * @param request whole, or with content that arrives: then {@link #onContentEnd} follows
         */
        void onRequest(Request request, boolean persistent);

        void onContentEnd();

        void refuse(Refusal refusal);
    }

    private final ParserLimits limits;
    private final boolean servesHttps;
    private final ContentStore store;
    private final Owner owner;
    private final UnreadBytes unread = new UnreadBytes();
    private RequestParser parser;

    /** Whether bytes came behind the request that was read last. */
    private boolean moreCame;

    /** Whether a request is being read, or handed over. */
    private boolean reading;

    /** Whether the client was sent the 100 (Continue) that it asked for. */
    private boolean continueGiven;

    /**
     * @param store for content that does not wait in memory until it is whole
     */
    RequestInput(ParserLimits limits, boolean servesHttps, ContentStore store, Owner owner) {
        this.limits = limits;
        this.servesHttps = servesHttps;
        this.store = store;
        this.parser = new RequestParser(limits, servesHttps, store);
        this.owner = owner;
    }

    /** Reads what came now, and keeps what has to wait. */
    void read(byte[] bytes, int from, int to) {
        int next = from;
        if (unread.isEmpty()) {
            reading = true;
            try {
                while (next < to && mayRead()) {
                    Parsed parsed = parse(bytes, next, to);
                    next = parser.consumedTo();
                    take(parsed);
                }
            } finally {
                reading = false;
            }
        }
        if (next < to && owner.takesRequests()) {
            unread.add(bytes, next, to);
        }
    }

    /**
     * Reads what was kept, as far as it may be read now. A handler that gets a request may have
     * this called again: then it is read on behind that, and not from its beginning.
     */
    void readKept() {
        if (reading) {
            return;
        }
        reading = true;
        try {
            while (!unread.isEmpty() && mayRead()) {
                Parsed parsed = parse(unread.array(), unread.from(), unread.to());
                unread.skipTo(parser.consumedTo());
                take(parsed);
            }
        } finally {
            reading = false;
        }
        if (!owner.takesRequests()) {
            unread.clear();
        }
    }

    /** Gives away what was kept: it is not HTTP. */
    UnreadBytes takeUnread() {
        UnreadBytes taken = new UnreadBytes();
        taken.add(unread.array(), unread.from(), unread.to());
        unread.clear();
        return taken;
    }

    /** The event that brought the bytes is over. */
    void endEvent() {
        if (!reading) {
            moreCame = !unread.isEmpty();
        }
    }

    /** Lets go of everything: nothing more will be read. */
    void clear() {
        unread.clear();
        parser.discard();
        parser = new RequestParser(limits, servesHttps, store);
    }

    /** The memory held for what is unfinished or has to wait. */
    int bufferedBytes() {
        return parser.bufferedBytes() + unread.heldBytes();
    }

    /** Whether the disk, or the handler, is slower than the client: more would fill memory. */
    boolean isAheadOfStore() {
        return parser.isAheadOfStore();
    }

    /** Whether the latest bytes were more work than content is. */
    boolean hasSmallChunks() {
        return parser.hasSmallChunks();
    }

    /** Whether the request that is being read has been handed over. */
    boolean isHandedOver() {
        return parser.isHandedOver();
    }

    /** Whether the request that is being read takes more than a small head does. */
    boolean isLarge() {
        return parser.phase() == RequestParser.Phase.BODY
                || parser.bufferedBytes() > SMALL_HEAD_BYTES;
    }

    /** The form of the server's own response to the request that it reads or has refused. */
    ErrorForm errorForm() {
        return parser.errorForm();
    }

    /** As much as is known of the request that is being read or was refused. */
    RequestStart requestStart() {
        return parser.requestStart();
    }

    RequestParser.Phase phase() {
        return parser.phase();
    }

    /** Whether the client sends no more until it is told 100 (Continue). */
    boolean awaitsContinue() {
        return parser.awaitsContinue() && !continueGiven;
    }

    void continueGiven() {
        continueGiven = true;
    }

    /** Whether bytes wait to be read that belong to later requests. */
    boolean hasUnread() {
        return !unread.isEmpty();
    }

    boolean isFull() {
        return unread.sizeBytes() >= UNREAD_BYTES;
    }

    /** Whether nothing has come behind the request that was read last. */
    boolean isAtEnd() {
        return parser.phase() == RequestParser.Phase.IDLE && !moreCame;
    }

    private boolean mayRead() {
        return owner.takesRequests()
                && (parser.phase() != RequestParser.Phase.IDLE || owner.mayBegin());
    }

    /** Reads up to the end of one request, or of its head where its content arrives later. */
    private Parsed parse(byte[] bytes, int from, int to) {
        Parsed parsed = parser.parse(bytes, from, to);
        // Before the request is taken: its response may be the last one, if nothing came behind it.
        moreCame = parser.consumedTo() < to;
        return parsed;
    }

    private void take(Parsed parsed) {
        switch (parsed) {
            case Parsed.Incomplete incomplete -> {}
            case Parsed.Complete(Request request, boolean persistent) -> {
                continueGiven = false;
                owner.onRequest(request, persistent);
            }
            case Parsed.ContentEnd end -> {
                continueGiven = false;
                owner.onContentEnd();
            }
            case Parsed.Refused(Refusal refused) -> owner.refuse(refused);
        }
    }
}
