package dev.handoff.server;

import dev.handoff.http.ParserLimits;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Limits what clients may use, and for how long. Each limit has the name of its option, without
 * {@code max} and with its unit. Immutable: start from {@link #DEFAULT}. Any thread.
 *
 * <p>Counts and times must be positive, unless 0 stands for no limit. Otherwise the method that
 * takes them throws an {@link IllegalArgumentException}.
 */
public final class ServerLimits {
    public static final ServerLimits DEFAULT = new ServerLimits();

    private ParserLimits request = ParserLimits.DEFAULT;
    private int connections = 10_000;
    private int connectionsPerClient = 0;
    private int pipelinedRequests = 64;
    private long bufferedBytes = Runtime.getRuntime().maxMemory() / 4;
    private Duration headerTimeout = Duration.ofSeconds(10);
    private Duration bodyTimeout = Duration.ofSeconds(30);
    private long minBodyRate = 4096;
    private Duration idleTimeout = Duration.ofSeconds(60);
    private Duration writeTimeout = Duration.ofSeconds(30);
    private Duration requestTimeout = Duration.ofSeconds(30);
    private Duration streamIdleTimeout = Duration.ofMinutes(5);
    private int messageBytes = 1024 * 1024;

    private ServerLimits() {}

    private ServerLimits(ServerLimits other, Consumer<ServerLimits> change) {
        request = other.request;
        connections = other.connections;
        connectionsPerClient = other.connectionsPerClient;
        pipelinedRequests = other.pipelinedRequests;
        bufferedBytes = other.bufferedBytes;
        headerTimeout = other.headerTimeout;
        bodyTimeout = other.bodyTimeout;
        minBodyRate = other.minBodyRate;
        idleTimeout = other.idleTimeout;
        writeTimeout = other.writeTimeout;
        requestTimeout = other.requestTimeout;
        streamIdleTimeout = other.streamIdleTimeout;
        messageBytes = other.messageBytes;
        change.accept(this);
    }

    /** The sizes of one request, and the characters of its target. */
    public ParserLimits request() {
        return request;
    }

    public ServerLimits withRequest(ParserLimits value) {
        return new ServerLimits(this, copy -> copy.request = value);
    }

    /**
     * The most open connections. When as many are open, the one that has waited longest for its
     * client makes room for the next, if it has waited for a second. Otherwise the next waits in
     * the kernel.
     */
    public int connections() {
        return connections;
    }

    public ServerLimits withConnections(int value) {
        return new ServerLimits(this, copy -> copy.connections = positive("connections", value));
    }

    /**
     * The most open connections of one client, an IPv4 address or an IPv6 network of 64 bits. A
     * further one is closed at once. If a trusted proxy names the client, the limit is for its
     * requests in hand, and a further one gets 429. 0 for no limit.
     */
    public int connectionsPerClient() {
        return connectionsPerClient;
    }

    public ServerLimits withConnectionsPerClient(int value) {
        return new ServerLimits(
                this,
                copy -> copy.connectionsPerClient = notNegative("connectionsPerClient", value));
    }

    /** The most unanswered requests of one connection. Further ones are not read. */
    public int pipelinedRequests() {
        return pipelinedRequests;
    }

    public ServerLimits withPipelinedRequests(int value) {
        return new ServerLimits(
                this, copy -> copy.pipelinedRequests = positive("pipelinedRequests", value));
    }

    /**
     * The memory of all connections together. Half of it is for requests until they are answered.
     * When that is full, clients that send more of a request get 503, and no connection is read
     * ahead. The other half is for responses that clients have not taken. When that is full, the
     * connections that hold much and make no headway are closed.
     */
    public long bufferedBytes() {
        return bufferedBytes;
    }

    public ServerLimits withBufferedBytes(long value) {
        return new ServerLimits(
                this, copy -> copy.bufferedBytes = positive("bufferedBytes", value));
    }

    /** The time from the first byte of a head to its last. Then the client gets 408. */
    public Duration headerTimeout() {
        return headerTimeout;
    }

    public ServerLimits withHeaderTimeout(Duration value) {
        return new ServerLimits(
                this, copy -> copy.headerTimeout = positive("headerTimeout", value));
    }

    /** The time for each 64 KiB of a body. Then the client gets 408. */
    public Duration bodyTimeout() {
        return bodyTimeout;
    }

    public ServerLimits withBodyTimeout(Duration value) {
        return new ServerLimits(this, copy -> copy.bodyTimeout = positive("bodyTimeout", value));
    }

    /**
     * The least bytes a second of a body after its first MiB, on average over each {@link
     * #bodyTimeout}. A slower client gets 408. 0 for no limit.
     */
    public long minBodyRate() {
        return minBodyRate;
    }

    public ServerLimits withMinBodyRate(long value) {
        return new ServerLimits(this, copy -> copy.minBodyRate = notNegative("minBodyRate", value));
    }

    /**
     * How long no byte may come between requests, and before the first. Then the connection is
     * closed.
     */
    public Duration idleTimeout() {
        return idleTimeout;
    }

    public ServerLimits withIdleTimeout(Duration value) {
        return new ServerLimits(this, copy -> copy.idleTimeout = positive("idleTimeout", value));
    }

    /**
     * The time for a client to take each 64 KiB of its responses. Then the connection is closed.
     */
    public Duration writeTimeout() {
        return writeTimeout;
    }

    public ServerLimits withWriteTimeout(Duration value) {
        return new ServerLimits(this, copy -> copy.writeTimeout = positive("writeTimeout", value));
    }

    /**
     * The time from the end of the request to the handler's response, or to its head. Then the
     * client gets 504.
     */
    public Duration requestTimeout() {
        return requestTimeout;
    }

    public ServerLimits withRequestTimeout(Duration value) {
        return new ServerLimits(
                this, copy -> copy.requestTimeout = positive("requestTimeout", value));
    }

    /**
     * The time from one piece of a response to the next, while the client has taken all that came.
     * Then the client is cut off.
     */
    public Duration streamIdleTimeout() {
        return streamIdleTimeout;
    }

    public ServerLimits withStreamIdleTimeout(Duration value) {
        return new ServerLimits(
                this, copy -> copy.streamIdleTimeout = positive("streamIdleTimeout", value));
    }

    /**
     * The longest message that a client may send by a WebSocket, in bytes, decompressed. A longer
     * one closes the WebSocket with 1009.
     */
    public int messageBytes() {
        return messageBytes;
    }

    public ServerLimits withMessageBytes(int value) {
        return new ServerLimits(this, copy -> copy.messageBytes = positive("messageBytes", value));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ServerLimits limits && values().equals(limits.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    @Override
    public String toString() {
        return "ServerLimits" + values();
    }

    private List<Object> values() {
        return List.of(
                request,
                connections,
                connectionsPerClient,
                pipelinedRequests,
                bufferedBytes,
                headerTimeout,
                bodyTimeout,
                minBodyRate,
                idleTimeout,
                writeTimeout,
                requestTimeout,
                streamIdleTimeout,
                messageBytes);
    }

    /** The room for responses, from their first byte on: half of {@link #bufferedBytes}. */
    public ResponseRoom newResponseRoom() {
        return new ResponseRoom(bufferedBytes / 2);
    }

    private static int positive(String name, int value) {
        return (int) positive(name, (long) value);
    }

    private static long positive(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, not " + value);
        }
        return value;
    }

    private static int notNegative(String name, int value) {
        return (int) notNegative(name, (long) value);
    }

    private static long notNegative(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " must be at least 0, not " + value);
        }
        return value;
    }

    private static Duration positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " must be more than 0, not " + value);
        }
        return value;
    }
}
