package dev.handoff.process.protocol;

import dev.handoff.http.Body;
import dev.handoff.http.ClientCertificate;
import dev.handoff.http.Headers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one frame says. Immutable, compared by value. */
public sealed interface Message {

    /** The version of the worker protocol that the core speaks. */
    int PROTOCOL_VERSION = 1;

    /** The feature of responses in pieces. */
    String STREAMS = "streams";

    /** The feature of WebSockets as messages. */
    String WEBSOCKETS = "websockets";

    /** The feature of messages that come from a worker in fragments. */
    String FRAGMENTS = "fragments";

    /** How much credit a message of a WebSocket takes besides its bytes. */
    int MESSAGE_COST_BYTES = 64;

    /** The largest id: 2^53 - 1, so that every language's numbers hold it exactly. */
    long MAX_ID = (1L << 53) - 1;

    /** What a worker may say. */
    sealed interface FromWorker extends Message {}

    /** What a worker says about one request. */
    sealed interface OfRequest extends FromWorker {
        long id();

        /** Whether others about the same request follow. */
        default boolean more() {
            return false;
        }
    }

    /** What the core may say. */
    sealed interface FromCore extends Message {}

    /**
     * A worker's first frame.
     *
     * @param concurrency how many requests it takes at once; 0 means "not ready yet"
     * @param pool the pool that it serves
     * @param token the secret that the core gave to a worker it started, or null
     * @param name what to call it in logs, or null
     * @param pid its process id; 0 if it did not say
     * @param host the name of its machine or container, or null
     * @param language for example {@code python 3.13}, or null
     * @param sdk the library and its version, or null
     * @param protocol the version it speaks
     * @param features what else it understands, such as {@link #STREAMS}
     * @param streams how many responses in pieces it has under way besides its concurrency
     * @param bodyBytes the largest content of a request that it takes in one frame
     * @param streamBytes how much of a request in pieces may come before the worker sends credit;
     *     {@link #MAX_ID} if it sends none
     * @param uploads how many requests it can handle at once whose content is to come, as where
     *     each keeps a thread waiting; 0 for as many as it takes
     */
    record Hello(
            int concurrency,
            String pool,
            @Nullable String token,
            @Nullable String name,
            long pid,
            @Nullable String host,
            @Nullable String language,
            @Nullable String sdk,
            int protocol,
            List<String> features,
            int streams,
            int bodyBytes,
            long streamBytes,
            int uploads)
            implements FromWorker {

        public static final String DEFAULT_POOL = "default";

        public Hello {
            features = List.copyOf(features);
        }
    }

    /**
     * The core accepts the worker.
     *
     * @param protocol the version that is spoken from here on
     * @param worker the id that the core's logs and metrics use for it
     * @param jsonBytes the longest JSON that the core accepts
     * @param bodyBytes the longest body that the core accepts
     * @param streamBytes how much of a response in pieces the worker may send before the core sends
     *     credit; 0 if it may send none in pieces
     * @param server name and version of the core
     * @param features those of the worker that the core understands too
     */
    record Welcome(
            int protocol,
            String worker,
            int jsonBytes,
            int bodyBytes,
            int streamBytes,
            String server,
            List<String> features)
            implements FromCore {

        public Welcome {
            features = List.copyOf(features);
        }
    }

    /** The core does not accept the worker, and closes. */
    record Refused(String code, String message) implements FromCore {}

    /**
     * The core hands over a request.
     *
     * @param id from 1 to {@link #MAX_ID}, unique on its connection
     * @param target raw: neither decoded nor normalised
     * @param version {@code 1.0} or {@code 1.1}
     * @param headers names in lower-case, hop-by-hop fields gone
     * @param client the peer as {@code address:port}
     * @param scheme that the client has spoken
     * @param prefix the first characters of the target, below which the worker serves; empty for
     *     the root
     * @param certificate that the client has shown; null if none
     * @param timeoutMillis the time left when the frame was written
     * @param requestId what to call it in logs, or null
     * @param webSocket the subprotocols that the client offers; null unless it asks for a WebSocket
     * @param more whether the body is only its first piece, and {@link Data} follows
     */
    record Request(
            long id,
            String method,
            String target,
            String version,
            Headers headers,
            String client,
            String scheme,
            String prefix,
            @Nullable ClientCertificate certificate,
            long timeoutMillis,
            @Nullable String requestId,
            @Nullable List<String> webSocket,
            boolean more,
            Body body)
            implements FromCore {

        /** What a request without a scheme has. */
        public static final String USUAL_SCHEME = "http";

        public Request {
            webSocket = webSocket == null ? null : List.copyOf(webSocket);
        }
    }

    /**
     * A worker's response. Only the JSON types were checked; the server judges the rest.
     *
     * @param more whether the body is only its first piece, and {@link Data} follows
     */
    record Response(long id, dev.handoff.http.Response response, boolean more)
            implements OfRequest {
        /** A whole response. */
        public Response(long id, dev.handoff.http.Response response) {
            this(id, response, false);
        }
    }

    /**
     * Another piece of a response or, from the core, of a request.
     *
     * @param more whether it is not the last one
     */
    record Data(long id, boolean more, Body body) implements OfRequest, FromCore {}

    /**
     * The receiver may send this many more bytes: of a response in pieces or, if a worker gives the
     * credit, of a request. Messages of a WebSocket take credit too.
     */
    record Credit(long id, long bytes) implements FromCore, FromWorker {}

    /**
     * A message of a WebSocket, or from a worker a fragment of one.
     *
     * @param text whether the body is text, which nobody has checked to be UTF-8; otherwise it is
     *     binary. It says nothing in a fragment that is not the first
     * @param unfinished whether it is a fragment, and others of the same message follow
     */
    record WebSocketMessage(long id, boolean text, boolean unfinished, Body body)
            implements OfRequest, FromCore {
        /** A whole message. */
        public WebSocketMessage(long id, boolean text, Body body) {
            this(id, text, false, body);
        }

        /** Others follow, since a WebSocket ends with another type. */
        @Override
        public boolean more() {
            return true;
        }
    }

    /**
     * A WebSocket is over.
     *
     * @param code of RFC 6455 section 7.4; 0 for none
     * @param reason empty for none
     */
    record Close(long id, int code, String reason) implements OfRequest, FromCore {}

    /**
     * The handler failed, so there is no response.
     *
     * @param retry whether the worker promises that it has not begun, so another may get it
     */
    record Failure(long id, String message, boolean retry) implements OfRequest {}

    /** The core no longer wants the response; the worker soon sends one all the same. */
    record Cancel(long id, CancelReason reason) implements FromCore {}

    /**
     * A worker's new concurrency; 0 pauses it.
     *
     * @param memoryBytes the memory of its process; 0 if it did not say
     */
    record Capacity(int concurrency, long memoryBytes) implements FromWorker {
        public Capacity(int concurrency) {
            this(concurrency, 0);
        }
    }

    /** No new requests come; those in flight finish, then the connection closes. */
    record Drain() implements FromCore, FromWorker {}

    /** Asks an idle worker for a {@link Pong}. */
    record Ping() implements FromCore {}

    record Pong() implements FromWorker {}
}
