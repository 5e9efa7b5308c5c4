package dev.handoff.process.dispatch;

import dev.handoff.http.Body;
import dev.handoff.loop.CloseCause;
import dev.handoff.process.protocol.Decoded;
import dev.handoff.process.protocol.Message;
import java.io.IOException;

/**
 * The way to one worker: requests and messages go out, what the worker says comes to the {@link
 * Owner}. A {@link FrameSocket} leads to a worker that speaks the worker protocol, a {@link
 * ServerLink} to an HTTP server. Belongs to the thread of the pool's loop.
 */
interface WorkerLink {
    /** Hears what comes, and answers for the worker. */
    interface Owner {
        /** Whether messages of the worker still count. */
        boolean isHeard();

        /** The worker sent something: a sign of life. */
        void onLife();

        void onMessage(Message.FromWorker message);

        /** The worker broke the protocol. */
        void onFault(Decoded.Refused fault);

        /** All that one read brought has been dealt with. */
        void onReadEnd();

        /**
         * The worker lost one request, and goes on with the others.
         *
         * @param reason as of a worker that left with it
         * @param why what happened, in words
         */
        void onLost(long requestId, LeaveReason reason, String why);

        /** The content of a request cannot be read for the worker. */
        void onUploadFailed(WorkerRequest request, IOException why);

        /** The worker can take requests again, or more of them. */
        void onRoom();

        /** Whether requests wait for the worker besides the one whose response has no room. */
        boolean keepsOthersWaiting();

        /** How many requests the worker holds, those that were cancelled included. */
        int heldCount();

        /**
         * The response that comes is dropped for want of room.
         *
         * @param slow whether it had room, and lost it because it came too slowly while others
         *     waited
         */
        void onDropped(Message response, int bodyBytes, boolean slow);

        /** The worker will send no more. */
        void onEnd();

        /** It is left undone what the worker had to do. */
        void closeAsStuck(String why);

        /** The link is closed. Comes exactly once, and nothing after it. */
        void onClosed(CloseCause cause);
    }

    /** All who are to know the worker do: what it sent before that is dealt with now. */
    void begin();

    /** Whether it takes requests now, as far as its reading goes. */
    boolean takesMore();

    /** Whether each request that it holds needs a connection of its own. */
    boolean needsConnections();

    /** Sends a whole request. */
    void send(WorkerRequest request, long timeoutMillis);

    /**
     * Sends the head of a request; its content follows in pieces.
     *
     * @param creditBytes how much of it the worker takes at first
     */
    void sendInPieces(WorkerRequest request, long timeoutMillis, long creditBytes);

    void send(Message message);

    /** The worker takes this many more bytes of a request in pieces. */
    void grant(long requestId, long bytes);

    /** Sends no more of a request in pieces. */
    void stopUpload(long requestId);

    /** No client waits any more for the response with that id. */
    void cancelled(long requestId);

    /** Whether so much of a request that it holds has left that the worker may have begun. */
    boolean hasReceived(WorkerRequest request);

    /** The worker has accepted a WebSocket. */
    void beginMessages(WorkerRequest request, WorkerWebSocket webSocket, long creditBytes);

    /** A message of a WebSocket came for the worker. */
    void addMessage(long requestId, boolean text, Body message);

    /** Sends the messages that there is credit for now, and none after them. */
    void endMessages(long requestId);

    /** Whether the core does not read the worker now, so that nothing can be expected of it. */
    boolean isHeldBack();

    /** For how long the core has not read the worker, all in all. */
    long heldBackNanos();

    /** Whether a frame of the worker has begun to come, and is not whole. */
    boolean isInFrame();

    /** How many bytes have come of the worker. */
    long heardBytes();

    /**
     * What may explain why the worker is stuck, to stand behind a reason; empty if nothing is
     * known.
     */
    String symptoms();

    /** Ends the output. The worker gets nothing more, and sees that. */
    void endOutput();

    /** Closes at once; what has not left is lost. */
    void close();

    /**
     * Closes at the end of the turn. The worker gets the output of this turn if its socket takes
     * it; otherwise that is lost.
     */
    void closeAtEndOfTurn();
}
