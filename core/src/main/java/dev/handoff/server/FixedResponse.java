package dev.handoff.server;

import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.http.ResponseFault;
import dev.handoff.server.forwarding.Origin;

/**
 * A handler that gives every request the same response, such as a redirect. It reads no content, so
 * a client with much of it is answered at once. Any loop.
 */
public final class FixedResponse implements Handler {
    private final Response response;

    /**
     * @throws IllegalArgumentException if the response breaks a rule of HTTP
     */
    public FixedResponse(Response response) {
        ResponseFault fault = ResponseFault.of(response);
        if (fault != null) {
            throw new IllegalArgumentException(fault.message());
        }
        this.response = response;
    }

    @Override
    public boolean takesContentAsItComes(Request head, Origin origin) {
        return true;
    }

    @Override
    public void handle(Exchange exchange) {
        exchange.respond(response);
    }
}
