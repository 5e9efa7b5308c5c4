package dev.handoff.server.files;

import dev.handoff.loop.EventLoop;
import dev.handoff.server.ResponseStream;

/** A request that one of the {@link FileThreads} answers. It gives its response to its loop. */
interface DiskCall extends Runnable {
    /** It gives its loop no more content than this at once. */
    int MOST_BYTES = ResponseStream.FIRST_ROOM_BYTES;

    /** The loop of its client. Any thread. */
    EventLoop loop();

    /** Whether nobody wants the response any more. Any thread. */
    boolean isAbandoned();

    /** Gives the response that there are no threads for it. Any thread. */
    void refuse();
}
