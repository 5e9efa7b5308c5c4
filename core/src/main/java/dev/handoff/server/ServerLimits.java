package dev.handoff.server;

import dev.handoff.http.ParserLimits;
import java.time.Duration;

/**
 * What clients may use, and for how long. Made with {@link #builder()}, which knows the defaults.
 *
 * @param request sizes of one request
 * @param connections open at a time; beyond it the one that has been idle longest makes room, and
 *     while none is idle, accepting pauses
 * @param connectionsPerClient open at a time from one IPv4 address or one IPv6 network of 64 bits;
 *     beyond it they are closed at once. Of a client whom a trusted proxy names, so many requests
 *     may be in hand; then 429. 0 for no such limit
 * @param pipelinedRequests unanswered on one connection; beyond it reading waits
 * @param bufferedBytes held for all connections together: half of it for requests, until they are
 *     answered; then 503 to those who send more of one, and no connection is read ahead. Half for
 *     answers that their clients have not taken; then connections that hold much and make no
 *     headway are closed
 * @param headerRead from the first byte of a head to its last; then 408
 * @param bodyRead for each 64 KiB of a body; then 408
 * @param bodyBytesPerSecond with which a body comes once more than 1 MiB of it has, on average over
 *     each {@code bodyRead}; else 408. 0 for no such limit
 * @param idle without a byte between requests, and before the first; then the connection is closed
 * @param writeStall for each 64 KiB of its answers that a client takes; then it is reset
 * @param requestTimeout from the whole request to the handler's answer; then 504
 */
public record ServerLimits(
        ParserLimits request,
        int connections,
        int connectionsPerClient,
        int pipelinedRequests,
        long bufferedBytes,
        Duration headerRead,
        Duration bodyRead,
        long bodyBytesPerSecond,
        Duration idle,
        Duration writeStall,
        Duration requestTimeout) {

    public ServerLimits {
        requirePositive("connections", connections);
        requireNotNegative("connectionsPerClient", connectionsPerClient);
        requirePositive("pipelinedRequests", pipelinedRequests);
        requirePositive("bufferedBytes", bufferedBytes);
        requirePositive("headerRead", headerRead);
        requirePositive("bodyRead", bodyRead);
        requireNotNegative("bodyBytesPerSecond", bodyBytesPerSecond);
        requirePositive("idle", idle);
        requirePositive("writeStall", writeStall);
        requirePositive("requestTimeout", requestTimeout);
    }

    /** The same, but for the number of connections. */
    public ServerLimits withConnections(int value) {
        return new ServerLimits(
                request,
                value,
                connectionsPerClient,
                pipelinedRequests,
                bufferedBytes,
                headerRead,
                bodyRead,
                bodyBytesPerSecond,
                idle,
                writeStall,
                requestTimeout);
    }

    /** What answers have of {@link #bufferedBytes}, from their first byte on: the other half. */
    public ResponseRoom newResponseRoom() {
        return new ResponseRoom(bufferedBytes / 2);
    }

    public static Builder builder() {
        return new Builder();
    }

    private static void requirePositive(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, not " + value);
        }
    }

    private static void requireNotNegative(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " must be at least 0, not " + value);
        }
    }

    private static void requirePositive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " must be more than 0, not " + value);
        }
    }

    /** Starts from the defaults. */
    public static final class Builder {
        private ParserLimits request = ParserLimits.DEFAULT;
        private int connections = 10_000;
        private int connectionsPerClient = 0;
        private int pipelinedRequests = 64;
        private long bufferedBytes = Runtime.getRuntime().maxMemory() / 4;
        private Duration headerRead = Duration.ofSeconds(10);
        private Duration bodyRead = Duration.ofSeconds(30);
        private long bodyBytesPerSecond = 4096;
        private Duration idle = Duration.ofSeconds(60);
        private Duration writeStall = Duration.ofSeconds(30);
        private Duration requestTimeout = Duration.ofSeconds(30);

        private Builder() {}

        public Builder request(ParserLimits value) {
            request = value;
            return this;
        }

        public Builder connections(int value) {
            connections = value;
            return this;
        }

        public Builder connectionsPerClient(int value) {
            connectionsPerClient = value;
            return this;
        }

        public Builder pipelinedRequests(int value) {
            pipelinedRequests = value;
            return this;
        }

        public Builder bufferedBytes(long value) {
            bufferedBytes = value;
            return this;
        }

        public Builder headerRead(Duration value) {
            headerRead = value;
            return this;
        }

        public Builder bodyRead(Duration value) {
            bodyRead = value;
            return this;
        }

        public Builder bodyBytesPerSecond(long value) {
            bodyBytesPerSecond = value;
            return this;
        }

        public Builder idle(Duration value) {
            idle = value;
            return this;
        }

        public Builder writeStall(Duration value) {
            writeStall = value;
            return this;
        }

        public Builder requestTimeout(Duration value) {
            requestTimeout = value;
            return this;
        }

        /**
         * @throws IllegalArgumentException if a count or a length is not positive, or one that may
         *     be 0 is negative
         */
        public ServerLimits build() {
            return new ServerLimits(
                    request,
                    connections,
                    connectionsPerClient,
                    pipelinedRequests,
                    bufferedBytes,
                    headerRead,
                    bodyRead,
                    bodyBytesPerSecond,
                    idle,
                    writeStall,
                    requestTimeout);
        }
    }
}
