package dev.handoff.admin.stats;

/**
 * A number that the server counts about its clients. It is defined here alone: {@code /stats} and
 * {@code /metrics} show every constant under its names.
 */
public enum ServerCount {
    ACCEPTED(
            "connections",
            "accepted",
            "handoff_connections_accepted",
            "Connections that were opened."),
    OVER_CLIENT_LIMIT(
            "connections",
            "overClientLimit",
            "handoff_client_limit_refusals",
            "Connections, or requests of trusted proxies, beyond the limit of their client."),
    ACCEPT_PAUSES(
            "connections",
            "acceptPauses",
            "handoff_connections_accept_pauses",
            "Times that new connections had to wait because the limit was reached."),
    ACCEPT_FAILURES(
            "connections",
            "acceptFailures",
            "handoff_connections_accept_failures",
            "Times that the system gave no connection, as without free file descriptors."),
    /** Prometheus has it by loop. */
    RECEIVED("requests", "total", "", "Whole requests that clients sent."),
    BYTES_IN("requests", "bytesIn", "handoff_http_received_bytes", "Bytes received from clients."),
    BYTES_OUT("requests", "bytesOut", "handoff_http_sent_bytes", "Bytes sent to clients."),
    BODY_BYTES_IN(
            "requests",
            "bodyBytesIn",
            "handoff_http_request_body_bytes",
            "Body bytes of whole requests."),
    BODY_BYTES_OUT(
            "requests",
            "bodyBytesOut",
            "handoff_http_response_body_bytes",
            "Body bytes of responses."),
    DROPPED_RESPONSES(
            "requests",
            "droppedResponses",
            "handoff_http_responses_dropped",
            "Responses that came after another one, or after their request was abandoned."),
    BAD_RESPONSES(
            "requests",
            "badResponses",
            "handoff_bad_responses",
            "Responses of handlers that broke a rule of HTTP, and became a 502."),
    HANDLER_FAILURES(
            "requests",
            "handlerFailures",
            "handoff_http_handler_exceptions",
            "Exceptions of handlers within the server's own process."),
    LEFT_IN_REQUEST(
            "requests",
            "incomplete",
            "handoff_http_requests_incomplete",
            "Requests that are none: their clients left in the middle of them."),
    STREAMS_BEGUN(
            "streams",
            "begun",
            "handoff_streams_begun",
            "Responses in pieces whose head was sent."),
    STREAM_BYTES(
            "streams",
            "bytes",
            "handoff_stream_bytes",
            "Body bytes of responses in pieces that have ended."),
    WEBSOCKETS_OPENED(
            "webSockets",
            "opened",
            "handoff_websockets_opened",
            "Connections that became WebSockets."),
    MESSAGES_IN(
            "webSockets",
            "messagesIn",
            "handoff_websocket_messages_received",
            "Messages that came by WebSockets."),
    MESSAGES_OUT(
            "webSockets",
            "messagesOut",
            "handoff_websocket_messages_sent",
            "Messages that were given to the sockets of WebSockets."),
    MESSAGE_BYTES_IN(
            "webSockets",
            "bytesIn",
            "handoff_websocket_message_bytes_received",
            "Bytes of the messages that came, decompressed."),
    MESSAGE_BYTES_OUT(
            "webSockets",
            "bytesOut",
            "handoff_websocket_message_bytes_sent",
            "Bytes of the messages that were sent, before compression."),
    BUFFERS_FULL("buffers", "full", "handoff_buffers_full", "Requests that got 503 buffers_full."),
    SPOOL_FULL("spool", "full", "handoff_spool_full", "Requests that got 503 spool_full."),
    EVICTED(
            "buffers",
            "evicted",
            "handoff_requests_evicted",
            "Requests that got 503 request_evicted: they came slowly, and others needed their room.");

    private final String section;
    private final String key;
    private final String metric;
    private final String help;

    ServerCount(String section, String key, String metric, String help) {
        this.section = section;
        this.key = key;
        this.metric = metric;
        this.help = help;
    }

    /** The object of {@code /stats} that has it. */
    String section() {
        return section;
    }

    /** Its key in that object. */
    String key() {
        return key;
    }

    /** The name of its metric, without {@code _total}; empty for none. */
    public String metric() {
        return metric;
    }

    /** What it counts, in a sentence. */
    public String help() {
        return help;
    }
}
