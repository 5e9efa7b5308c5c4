package dev.handoff.server;

import dev.handoff.http.Body;
import dev.handoff.http.websocket.Compression;
import dev.handoff.http.websocket.FrameReader;
import dev.handoff.loop.StreamSocket;
import org.jspecify.annotations.Nullable;

/**
 * What comes by a WebSocket: reads the client's frames as fast as the handler takes their messages,
 * and knows how much waits. Belongs to the loop's thread.
 */
final class WebSocketInput implements HeldInput {
    /** The client is not read while messages that cost so much wait for the handler. */
    static final long MOST_WAITING_BYTES = 256 * 1024;

    /** The same while requests take much of the memory. */
    private static final long MOST_WHILE_TIGHT_BYTES = 64 * 1024;

    /**
     * So many frames take their connection's share of a turn like one message. Frames may be
     * without a message: a client could send nothing but pongs, or its messages byte by byte.
     */
    static final int FRAMES_LIKE_A_MESSAGE = 64;

    /** One that holds no more is not asked to go for others. */
    private static final int SMALL_BYTES = 4 * 1024;

    /** The connection's share of a turn of its loop. */
    interface Turn {
        /** Whether more may be taken in this turn; if not, a later turn asks again. */
        boolean mayGoOn();

        /**
         * A message was taken, or frames that are as much work as a small one.
         *
         * @param bytes of the message, decompressed
         */
        void wentOn(int bytes);
    }

    private enum Use {
        /** Messages are for the handler. */
        TAKEN,
        /** The client's close is awaited: messages are dropped. */
        DROPPED,
        /** Nothing is read any more. */
        NONE
    }

    private final LoopContext context;
    private final StreamSocket socket;
    private final Turn turn;
    private final FrameReader reader;
    private final UnreadBytes unread = new UnreadBytes();
    private final ReadPace pace;
    private Use use = Use.TAKEN;

    /** What the messages cost that the handler has not taken. */
    private long waitingCostBytes;

    /** Since some took the share of a message. */
    private int frames;

    /** Whether a frame is being read. */
    private boolean reading;

    private boolean fallsBehind;
    private long messages;
    private long messageBytes;

    /**
     * @param compression null where the client did not agree on it
     */
    WebSocketInput(
            LoopContext context,
            StreamSocket socket,
            @Nullable Compression compression,
            FrameReader.Sink sink,
            Turn turn) {
        this.context = context;
        this.socket = socket;
        this.turn = turn;
        this.reader = new FrameReader(context.limits().messageBytes(), compression, sink);
        this.pace = new ReadPace(context.loop()::nanoTime);
        pace.begin();
    }

    /** Reads what came now, and keeps what has to wait. */
    void read(byte[] bytes, int from, int to) {
        if (!isLarge()) {
            pace.begin();
        }
        pace.bodyCame(to - from);
        int next = from;
        while ((next < to || reader.isBehind()) && unread.isEmpty() && mayRead()) {
            next = readFrame(bytes, next, to);
        }
        fallsBehind = next < to || reader.isBehind();
        if (next < to && use != Use.NONE) {
            unread.add(bytes, next, to);
        }
        pauseOrResume();
    }

    /**
     * Reads what was kept, as far as it may be read now. Who hears of a message may have this
     * called again, as for want of memory: what is being read is not read twice.
     */
    void readKept() {
        while (!reading && hasUnread() && mayRead()) {
            unread.skipTo(readFrame(unread.array(), unread.from(), unread.to()));
        }
        pauseOrResume();
    }

    private int readFrame(byte[] bytes, int from, int to) {
        reading = true;
        try {
            return readFrameNow(bytes, from, to);
        } finally {
            reading = false;
        }
    }

    private int readFrameNow(byte[] bytes, int from, int to) {
        if (++frames == FRAMES_LIKE_A_MESSAGE) {
            frames = 0;
            turn.wentOn(0);
        }
        int next = reader.read(bytes, from, to);
        int decompressed = reader.decompressedBytes();
        if (decompressed > SMALL_BYTES) {
            turn.wentOn(decompressed);
        }
        return next;
    }

    private boolean mayRead() {
        return switch (use) {
            case TAKEN -> waitingCostBytes < mostWaitingBytes() && turn.mayGoOn();
            case DROPPED -> turn.mayGoOn();
            case NONE -> {
                unread.clear();
                yield false;
            }
        };
    }

    private long mostWaitingBytes() {
        BufferBudget budget = context.budget();
        if (budget.isFullForRequests()) {
            return 1;
        }
        return budget.isTightForRequests() ? MOST_WHILE_TIGHT_BYTES : MOST_WAITING_BYTES;
    }

    /** Leaves in the kernel what cannot be read now. */
    private void pauseOrResume() {
        if (hasUnread()) {
            socket.pauseReading();
        } else {
            socket.resumeReading();
        }
    }

    /** A message came, which the handler has to take. */
    void messageCame(Body message) {
        messages++;
        messageBytes += message.sizeBytes();
        waitingCostBytes += message.sizeBytes() + (long) WebSocket.MESSAGE_COST_BYTES;
    }

    /** The handler is done with messages that cost so much. */
    void taken(long costBytes) {
        waitingCostBytes -= costBytes;
        pace.begin();
    }

    /** Whether the handler has taken all. */
    boolean isAllTaken() {
        return waitingCostBytes == 0;
    }

    /** Whether something waits to be read: the client has not been heard to the end. */
    boolean hasUnread() {
        return !unread.isEmpty() || reader.isBehind();
    }

    /** Whether more came at once, the last time, than could be read. */
    boolean fallsBehind() {
        return fallsBehind;
    }

    /** The handler takes no more: messages that come now are read for their ends only. */
    void drop() {
        use = Use.DROPPED;
        waitingCostBytes = 0;
        reader.dropMessages();
    }

    /** Nothing more is read. What the handler has not taken still counts. */
    void stop() {
        use = Use.NONE;
        reader.close();
        unread.clear();
    }

    /** The handler takes no more, either. */
    void forget() {
        waitingCostBytes = 0;
    }

    @Override
    public long heldBytes() {
        return reader.heldBytes() + unread.heldBytes() + waitingCostBytes;
    }

    @Override
    public boolean isLarge() {
        return heldBytes() > SMALL_BYTES;
    }

    @Override
    public long slownessNanos() {
        return isLarge() && use != Use.DROPPED ? pace.slownessNanos() : 0;
    }

    long messages() {
        return messages;
    }

    /** The bytes of all messages, decompressed. */
    long messageBytes() {
        return messageBytes;
    }
}
