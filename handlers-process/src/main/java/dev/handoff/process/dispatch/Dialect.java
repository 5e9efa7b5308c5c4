package dev.handoff.process.dispatch;

import dev.handoff.process.protocol.EncodedRequest;
import dev.handoff.process.protocol.RequestFrame;
import dev.handoff.server.Exchange;
import dev.handoff.server.forwarding.Origin;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the workers of a pool speak. */
public enum Dialect {
    /** The worker protocol: docs/PROTOCOL.md. */
    FRAMES {
        @Override
        EncodedRequest encode(Exchange exchange, @Nullable List<String> subprotocols) {
            Origin origin = exchange.origin();
            return ENCODERS.get()
                    .encode(
                            exchange.request(),
                            origin.client(),
                            origin.scheme(),
                            origin.certificate(),
                            exchange.prefix(),
                            exchange.requestId(),
                            subprotocols);
        }
    },

    /** HTTP/1.1: the workers are servers. */
    HTTP {
        @Override
        EncodedRequest encode(Exchange exchange, @Nullable List<String> subprotocols) {
            return HttpRequest.of(exchange, subprotocols != null);
        }
    };

    private static final ThreadLocal<RequestFrame.Encoder> ENCODERS =
            ThreadLocal.withInitial(RequestFrame.Encoder::new);

    /**
     * Writes all that is known of a request before a worker gets it. On the loop of its client.
     *
     * @param subprotocols that the client offers; null unless it asks for a WebSocket
     */
    abstract EncodedRequest encode(Exchange exchange, @Nullable List<String> subprotocols);
}
