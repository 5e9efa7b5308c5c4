package dev.handoff.http.websocket;

/** The close codes that a server uses (RFC 6455 section 7.4.1). */
public final class CloseCode {
    public static final int NORMAL = 1000;

    /** The server goes away, as for a restart. */
    public static final int GOING_AWAY = 1001;

    public static final int PROTOCOL_ERROR = 1002;

    /** Never on the wire: the peer closed without a code. */
    public static final int NONE = 1005;

    /** Never on the wire: the connection broke off. */
    public static final int ABNORMAL = 1006;

    public static final int NOT_UTF8 = 1007;
    public static final int POLICY = 1008;
    public static final int TOO_BIG = 1009;
    public static final int INTERNAL_ERROR = 1011;

    /** The process that had the WebSocket was lost; another one is there. */
    public static final int SERVICE_RESTART = 1012;

    public static final int TRY_AGAIN_LATER = 1013;

    /** A control frame has at most 125 bytes, two of which are the code. */
    public static final int LONGEST_REASON_BYTES = 123;

    private CloseCode() {}

    /** Whether a close frame may carry this code. */
    public static boolean mayBeSent(int code) {
        return (code >= NORMAL && code <= 1003)
                || (code >= NOT_UTF8 && code <= 1014)
                || (code >= 3000 && code <= 4999);
    }
}
