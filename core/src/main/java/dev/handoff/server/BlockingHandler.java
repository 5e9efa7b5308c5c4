package dev.handoff.server;

import dev.handoff.http.Request;
import dev.handoff.http.Response;

/** Code that may block, and answers by returning; {@link Handler#blocking} makes it a handler. */
@FunctionalInterface
public interface BlockingHandler {
    /**
     * Called on a virtual thread of its own. The thread is interrupted when the client has left or
     * the request's deadline has passed.
     *
     * @throws Exception to answer 500
     */
    Response handle(Request request) throws Exception;
}
