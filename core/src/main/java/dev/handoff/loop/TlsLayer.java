package dev.handoff.loop;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of TLS, between a {@link StreamSocket} and its channel: makes plaintext of the
 * records that come, and records of the output. The socket reads, says when, and closes.
 *
 * <p>As a channel it takes plaintext. What it has wrapped counts as written only once the real
 * channel has taken the records, so it is offered the same bytes again until then, and knows how
 * many of them it has wrapped.
 *
 * <p>It holds a buffer of its own only while a record is incomplete, or records wait to leave. The
 * engine holds what has come of a message of TLS that is incomplete, over several records, and much
 * for a handshake until it is over: both count as kept. Belongs to the loop's thread; the tasks of
 * the handshake run elsewhere, and meanwhile nobody touches the engine.
 */
final class TlsLayer implements WritableByteChannel, TlsBuffers.Keeper {
    /** Hears of the handshake, on the loop's thread. */
    interface Owner {
        /** The tasks are done: what has come can be unwrapped. */
        void tasksDone();

        /**
         * The handshake has taken too long, or waits behind too many others, or a record has taken
         * long while others need its room.
         */
        void tooSlow();
    }

    /** From the connection on; a client that is served over a bad line needs two or three. */
    static final long HANDSHAKE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * What the engine holds for a handshake from the first message to the last, besides messages
     * that are incomplete: 15 KB, measured with JDK 25.
     */
    static final int HANDSHAKE_BYTES = 16 * 1024;

    /** A peer that asks for new keys, and never takes the answers, is cut off. */
    static final int MOST_WAITING_BYTES = 256 * 1024;

    /** An alert is one record, and the handshake leaves few before it. */
    private static final int MOST_LAST_RECORDS = 8;

    /** What is read at once of small records: others shall not wait for all of them. */
    private static final int FEW_BYTES = 4 * 1024;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final EventLoop loop;
    private final SocketChannel channel;
    private final SSLEngine engine;
    private final HandshakeThreads threads;
    private final Owner owner;
    private final TlsBuffers buffers;
    private final Timer deadline;
    private final TlsMessage message = new TlsMessage();
    private final TlsRecords cameRecords;

    /** Null once the handshake is over. */
    private @Nullable HelloLimits hello = new HelloLimits();

    /** What came and is not unwrapped, from its position on; null for nothing. */
    private @Nullable ByteBuffer kept;

    /** How much of {@link TlsBuffers} this has. */
    private int countedBytes;

    /** The records that the channel has not taken; null for none. */
    private @Nullable ByteBuffer waiting;

    /** How much plaintext is in the records that wait, and was not told to be written. */
    private int wrappedBytes;

    /**
     * What the records that wait have besides plaintext. It counts as leaving first, so that what
     * is told to be written never is more than what has left.
     */
    private int overheadBytes;

    /** What a handshake has to compute; null before there was something. */
    private HandshakeThreads.@Nullable Task tasks;

    /** Whether the engine has had a record. */
    private boolean hadRecord;

    private boolean established;
    private boolean busy;
    private boolean inputEnded;
    private boolean outputEnded;

    /** Read by the threads of the tasks, too: then the rest of the work is in vain. */
    private volatile boolean released;

    TlsLayer(
            EventLoop loop,
            SocketChannel channel,
            SSLEngine engine,
            HandshakeThreads threads,
            Owner owner)
            throws SSLException {
        this.loop = loop;
        this.channel = channel;
        this.engine = engine;
        this.threads = threads;
        this.owner = owner;
        this.buffers = loop.tlsBuffers();
        this.cameRecords = new TlsRecords(loop.nanoTime());
        engine.setUseClientMode(false);
        engine.beginHandshake();
        this.deadline = loop.scheduleAfter(HANDSHAKE_NANOS, owner::tooSlow);
    }

    /** Whether the handshake is over, so that plaintext can be taken. */
    boolean isEstablished() {
        return established;
    }

    /** Whether the peer has begun the handshake, and it is not over. */
    boolean isHandshaking() {
        return hadRecord && !established;
    }

    /** Whether tasks run: until they are done, nothing can be unwrapped. */
    boolean isBusy() {
        return busy;
    }

    /** Whether the peer has said that no more will come. */
    boolean isInputEnded() {
        return inputEnded;
    }

    /** Whether the channel has yet to take records. */
    boolean hasWaiting() {
        return waiting != null;
    }

    /** Whether something has come that is not unwrapped. */
    boolean hasKept() {
        return kept != null;
    }

    /** The memory that the records keep which wait to leave. */
    int waitingBytes() {
        return waiting == null ? 0 : waiting.capacity();
    }

    /**
     * Puts what came before into an empty buffer, so that more can be read behind it.
     *
     * @param mostBytes the buffer's limit then, unless a whole record needs more. Less is read
     *     where records are small
     */
    ByteBuffer behindKept(ByteBuffer records, int mostBytes) {
        ByteBuffer before = kept == null ? NOTHING : kept;
        int most =
                cameRecords.areSmall()
                        ? before.remaining() + FEW_BYTES
                        : Math.max(
                                mostBytes, Math.max(TlsBuffers.RECORD_BYTES, before.remaining()));
        return records.limit(Math.min(records.capacity(), most)).put(before);
    }

    /**
     * Unwraps all whole records, and keeps what is behind them, or behind a message for which tasks
     * have to run.
     *
     * @param records what {@link #behindKept} returned, flipped
     * @return the plaintext, in a buffer that all connections share
     * @throws SSLException if the peer broke a rule, or says that we did; {@link #sendAlert} then
     */
    ByteBuffer unwrap(ByteBuffer records) throws SSLException {
        ByteBuffer plaintext = buffers.plaintext();
        int from = records.position();
        boolean goesOn = true;
        while (goesOn) {
            goesOn = goOn(records, plaintext);
        }
        cameRecords.portionEnds(records.position() - from);
        keep(records);
        return plaintext.flip();
    }

    /** Returns whether another step can follow. */
    private boolean goOn(ByteBuffer records, ByteBuffer plaintext) throws SSLException {
        return switch (engine.getHandshakeStatus()) {
            case NEED_TASK -> {
                beginTasks();
                yield false;
            }
            case NEED_WRAP ->
                    wrapOwn().bytesProduced() > 0
                            || engine.getHandshakeStatus() != HandshakeStatus.NEED_WRAP;
            case NEED_UNWRAP, NEED_UNWRAP_AGAIN, FINISHED, NOT_HANDSHAKING ->
                    unwrapRecord(records, plaintext);
        };
    }

    private boolean unwrapRecord(ByteBuffer records, ByteBuffer plaintext) throws SSLException {
        if (inputEnded) {
            records.position(records.limit());
        }
        if (!records.hasRemaining()) {
            return false;
        }
        checkFirst(records);
        int from = records.position();
        SSLEngineResult result = engine.unwrap(records, plaintext);
        hadRecord |= result.bytesConsumed() > 0;
        checkHello(records.slice(from, result.bytesConsumed()));
        if (result.bytesProduced() > 0) {
            message.isOver();
            cameRecords.add();
        } else {
            message.add(result.bytesConsumed());
            if (established && result.bytesConsumed() > 0) {
                cameRecords.add();
                cameRecords.withoutContent(loop.nanoTime());
            }
        }
        noteProgress(result);
        return switch (result.getStatus()) {
            case OK ->
                    result.bytesConsumed() > 0
                            || engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP;
            case BUFFER_UNDERFLOW -> false;
            case BUFFER_OVERFLOW ->
                    throw new IllegalStateException("plaintext is longer than its record");
            case CLOSED -> {
                inputEnded = true;
                // A peer that speaks TLS 1.2 is due an answer.
                yield true;
            }
        };
    }

    private void checkFirst(ByteBuffer records) throws SSLException {
        byte fault = hadRecord ? PlainRecord.FINE : PlainRecord.faultOfFirst(records);
        if (fault != PlainRecord.FINE) {
            refuse(fault, "the peer does not speak TLS: alert " + fault);
        }
    }

    /** The engine has copied it, and makes nothing of it before the tasks run. */
    private void checkHello(ByteBuffer record) throws SSLException {
        if (hello != null && record.hasRemaining() && hello.exceeds(PlainRecord.messages(record))) {
            refuse(PlainRecord.ILLEGAL_PARAMETER, "a list in the peer's hello is too long");
        }
    }

    /** Sends an alert that is not encrypted. */
    private void refuse(byte fault, String why) throws SSLException {
        ByteBuffer alert = PlainRecord.fatal(fault);
        overheadBytes += alert.remaining();
        addWaiting(alert);
        throw new SSLException(why);
    }

    private void noteProgress(SSLEngineResult result) throws SSLException {
        if (!established && result.getHandshakeStatus() == HandshakeStatus.FINISHED) {
            requireValidCertificates();
            established = true;
            hello = null;
            message.isOver();
            tasks = null;
            deadline.cancel();
        }
    }

    /** The engine looks at the dates in a full handshake, and not when a session is resumed. */
    private void requireValidCertificates() throws SSLException {
        if (!engine.getNeedClientAuth()) {
            return;
        }
        for (Certificate each : engine.getSession().getPeerCertificates()) {
            try {
                if (each instanceof X509Certificate shown) {
                    shown.checkValidity();
                }
            } catch (CertificateException outOfDate) {
                throw new SSLException("the peer's certificate is out of date", outOfDate);
            }
        }
    }

    private void beginTasks() throws SSLException {
        if (established) {
            // Only a client of TLS 1.2 can begin another handshake, and it has no need to.
            throw new SSLException("the peer wants to renegotiate");
        }
        busy = true;
        tasks = threads.execute(this::runTasks, () -> loop.tryExecute(this::tasksDropped));
    }

    private void tasksDropped() {
        if (!released) {
            owner.tooSlow();
        }
    }

    /** On a thread of the tasks. What a task throws, the engine throws on the loop. */
    private void runTasks() {
        try {
            Runnable task = released ? null : engine.getDelegatedTask();
            while (task != null) {
                task.run();
                task = released ? null : engine.getDelegatedTask();
            }
        } finally {
            // A loop that has stopped has closed the connection.
            loop.tryExecute(this::tasksRan);
        }
    }

    private void tasksRan() {
        if (!released) {
            busy = false;
            owner.tasksDone();
        }
    }

    private void keep(ByteBuffer records) {
        boolean begun = records.position() > 0 && message.bytes() == 0;
        int bytes = records.remaining();
        if (bytes == 0) {
            releaseKept();
        } else {
            if (kept == null || kept.capacity() < bytes) {
                releaseKept();
                kept =
                        bytes <= SpareBuffers.SMALL_BYTES
                                ? loop.spareBuffers().take(bytes)
                                : ByteBuffer.allocate(Math.max(bytes, TlsBuffers.RECORD_BYTES));
            }
            kept.clear().put(records).flip();
        }
        int handshake = isHandshaking() ? HANDSHAKE_BYTES : 0;
        count(handshake + message.bytes() + (kept == null ? 0 : kept.capacity()), begun);
    }

    /**
     * @param begun whether it is another message or record than before, so that this counts as new
     */
    private void count(int bytes, boolean begun) {
        if (bytes > 0) {
            buffers.keep(this, bytes, begun);
        } else if (countedBytes > 0) {
            buffers.release(this);
        }
        countedBytes = bytes;
    }

    /** Another connection has its turn, so this one is closed behind that. */
    @Override
    public void crowdedOut() {
        loop.atEndOfTurn(owner::tooSlow);
    }

    private void releaseKept() {
        if (kept != null) {
            loop.spareBuffers().giveBack(kept);
            kept = null;
        }
    }

    /** Wraps what the engine itself has to say. */
    private SSLEngineResult wrapOwn() throws SSLException {
        ByteBuffer records = buffers.records();
        SSLEngineResult result = engine.wrap(NOTHING, records);
        noteProgress(result);
        PlainRecord.blamePeer(records.flip());
        overheadBytes += records.remaining();
        addWaiting(records);
        return result;
    }

    private void addWaiting(ByteBuffer records) throws SSLException {
        if (!records.hasRemaining()) {
            return;
        }
        ByteBuffer before = waiting == null ? NOTHING : waiting;
        int bytes = before.remaining() + records.remaining();
        if (bytes > MOST_WAITING_BYTES) {
            throw new SSLException("the peer does not take what it asks for");
        }
        ByteBuffer both = loop.spareBuffers().take(bytes).put(before).put(records).flip();
        releaseWaiting();
        waiting = both;
    }

    private void releaseWaiting() {
        if (waiting != null) {
            loop.spareBuffers().giveBack(waiting);
            waiting = null;
        }
    }

    /**
     * Sends the records that wait, then as much more as the channel takes.
     *
     * @param plaintext begins with what was not told to be written; the position stays unspecified
     * @return how much of it has left
     */
    @Override
    public int write(ByteBuffer plaintext) throws IOException {
        plaintext.position(plaintext.position() + wrappedBytes);
        int written = sendWaiting();
        while (waiting == null && established && plaintext.hasRemaining()) {
            written += sendWrapped(plaintext);
        }
        return written;
    }

    /**
     * Sends records that wait.
     *
     * @return how much plaintext has left with them
     */
    int sendWaiting() throws IOException {
        if (waiting == null) {
            return 0;
        }
        int sent = channel.write(waiting);
        if (!waiting.hasRemaining()) {
            releaseWaiting();
        }
        return countSent(sent);
    }

    private int sendWrapped(ByteBuffer plaintext) throws IOException {
        ByteBuffer records = buffers.records();
        int from = plaintext.position();
        while (plaintext.hasRemaining() && records.remaining() >= TlsBuffers.RECORD_BYTES) {
            SSLEngineResult result = engine.wrap(plaintext, records);
            if (result.getStatus() != Status.OK || result.bytesProduced() == 0) {
                // As when a peer of TLS 1.2 has closed: it takes no more (RFC 5246 section 7.2.1).
                throw new SSLException("no output can be sent: " + result.getStatus());
            }
        }
        int wrapped = plaintext.position() - from;
        records.flip();
        wrappedBytes += wrapped;
        overheadBytes += records.remaining() - wrapped;
        int sent = channel.write(records);
        addWaiting(records);
        return countSent(sent);
    }

    private int countSent(int sent) {
        int overhead = Math.min(sent, overheadBytes);
        overheadBytes -= overhead;
        wrappedBytes -= sent - overhead;
        return sent - overhead;
    }

    /** Wraps the word that no more will come, once; then {@link #sendWaiting} sends it. */
    void endOutput() throws SSLException {
        if (!outputEnded) {
            outputEnded = true;
            engine.closeOutbound();
            wrapLast();
        }
    }

    /**
     * Says that no more will come, to a peer that takes it at once: without this it could not tell
     * the end from a broken connection.
     */
    void sayGoodbye() {
        if (established && !outputEnded && waiting == null) {
            try {
                endOutput();
                sendWaiting();
            } catch (IOException ignored) {
                // It is closed now in any case.
            }
        }
    }

    /** Tells the peer what it did wrong, if there are words for it, and the channel has room. */
    void sendAlert() {
        if (busy) {
            return;
        }
        try {
            wrapLast();
            sendWaiting();
        } catch (IOException ignored) {
            // It is closed now in any case.
        }
    }

    private void wrapLast() throws SSLException {
        for (int i = 0; i < MOST_LAST_RECORDS && !engine.isOutboundDone(); i++) {
            if (wrapOwn().bytesProduced() == 0) {
                return;
            }
        }
    }

    /** Lets go of everything; the channel stays as it is. */
    void release() {
        released = true;
        deadline.cancel();
        if (tasks != null) {
            tasks.cancel();
        }
        releaseKept();
        count(0, false);
        releaseWaiting();
    }

    @Override
    public boolean isOpen() {
        return !released;
    }

    @Override
    public void close() {
        release();
    }
}
