package dev.handoff.process.protocol;

import dev.handoff.http.Body;

/** A request as its pool's workers read it, ready to be written. It may cross threads. */
public interface EncodedRequest {
    /** The memory that it takes in a queue, where the fields of the request wait beside it. */
    int sizeBytes();

    /** The content, which is written behind it. */
    Body body();
}
