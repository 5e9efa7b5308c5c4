package dev.handoff.loop;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One connected stream socket, TCP or Unix, on a loop.
 *
 * <p>Reading gives the owner slices of a buffer that the whole loop shares. Writing collects, and
 * leaves in one system call at the end of the turn. With TLS, all that the owner sees and counts is
 * plaintext. Belongs to the loop's thread.
 */
public final class StreamSocket implements ChannelEvents {

    /** The most bytes that are read at once, unless the owner wants less. */
    public static final int MOST_READ_BYTES = EventLoop.READ_BYTES;

    /** Hears what happens to a socket. Called on the loop's thread; must not block. */
    public interface Owner {
        /** The most bytes that are read at once. */
        default int mostReadBytes() {
            return MOST_READ_BYTES;
        }

        /** Bytes came. The array is shared and overwritten after the call: copy what must stay. */
        void onBytes(byte[] bytes, int from, int to);

        /** The peer will send no more, but may still read. */
        void onEnd();

        /** Whether what the peer sent before it went is still wanted when writing to it fails. */
        default boolean wantsLastInput() {
            return false;
        }

        /**
         * Whether the peer may be unable to take output because it waits for us to read: then it
         * has not stalled.
         */
        default boolean holdsPeerBack() {
            return false;
        }

        /** The peer's side of the connection took this many bytes. */
        default void onSent(long bytes) {}

        /** All output has left. Comes at the end of a turn or with the socket's own event. */
        default void onFlushed() {}

        /** The socket is closed. Comes exactly once, and nothing after it. */
        void onClosed(CloseCause cause);
    }

    /** The kernel goes on sending what it has, and closing does not wait for that. */
    private static final int NO_LINGER = -1;

    /** The write timeout begins anew each time the peer has taken this much. */
    private static final long PROGRESS_BYTES = 64 * 1024;

    /** The system holds less of a peer that is gone; one that lives could go on for ever. */
    private static final int MOST_LAST_READS = 64;

    private final EventLoop loop;
    private final SocketChannel channel;
    private final Owner owner;
    private final SelectionKey key;
    private final OutputQueue output;

    /** Null for a plain socket. */
    private final @Nullable TlsLayer tls;

    private final Runnable flush = this::flushOrClose;
    private final MovingDeadline writeTimeout;
    private final long writeTimeoutNanos;

    private long givenBytes;

    /** The value of {@link #sentBytes} when the write timeout began. */
    private long stallFromBytes;

    private long stallFromNanos;

    /** Set when the socket closes. */
    private long sentBeforeCloseBytes;

    private boolean flushAtEndOfTurn;
    private boolean readingPaused;
    private boolean mayHaveMore;
    private boolean inputEnded;
    private boolean resetsUnlessEnded;
    private boolean outputEnding;
    private boolean outputEnded;
    private boolean outputWaits;
    private boolean closed;

    /**
     * Registers a connected channel and starts reading.
     *
     * @param writeTimeout how long the peer may need for each 64 KiB of output that waits
     */
    public StreamSocket(EventLoop loop, SocketChannel channel, Duration writeTimeout, Owner owner)
            throws IOException {
        this(loop, channel, writeTimeout, owner, null);
    }

    /**
     * @param engine makes it the server's side of TLS; null for a plain socket
     */
    public StreamSocket(
            EventLoop loop,
            SocketChannel channel,
            Duration writeTimeout,
            Owner owner,
            @Nullable SSLEngine engine)
            throws IOException {
        this.loop = loop;
        this.channel = channel;
        this.owner = owner;
        this.output = new OutputQueue(loop.spareBuffers());
        this.writeTimeoutNanos = writeTimeout.toNanos();
        this.writeTimeout = new MovingDeadline(loop, this::writeTimeoutPassed);
        this.key = loop.register(channel, SelectionKey.OP_READ, this);
        this.tls =
                engine == null
                        ? null
                        : new TlsLayer(
                                loop, channel, engine, HandshakeThreads.SHARED, new Handshake());
    }

    public boolean isClosed() {
        return closed;
    }

    /** Whether the peer has begun its TLS handshake, so that it can say nothing else yet. */
    public boolean isHandshaking() {
        return tls != null && tls.isHandshaking();
    }

    /** Bytes given to {@link #write} and {@link #reserve} that the peer's socket has not taken. */
    public long pendingBytes() {
        return output.pendingBytes();
    }

    /** The memory that those bytes keep, which may be much more when little of them is left. */
    public long heldBytes() {
        return tls == null ? output.heldBytes() : output.heldBytes() + tls.waitingBytes();
    }

    /** Whether TLS keeps anything but its state, for tests. */
    boolean holdsBuffers() {
        return tls != null && (tls.hasKept() || tls.hasWaiting());
    }

    /**
     * For how long the peer has taken less than 64 KiB of the output that waits; 0 if none waits.
     */
    public long stalledNanos() {
        return outputWaits ? loop.nanoTime() - stallFromNanos : 0;
    }

    /** All bytes ever given to {@link #write} and {@link #reserve}. */
    public long givenBytes() {
        return givenBytes;
    }

    /** How many of the {@link #givenBytes} left; the count stays after the socket is closed. */
    public long sentBytes() {
        return closed ? sentBeforeCloseBytes : givenBytes - output.pendingBytes();
    }

    /**
     * Gives the channel away, open, to be made a socket of {@code next}: the owner hears nothing
     * more. Nothing may be waiting to be written.
     */
    public SocketChannel detach(EventLoop next) {
        if (output.pendingBytes() > 0 || closed || tls != null) {
            throw new IllegalStateException("only an open plain socket without output can move");
        }
        closed = true;
        writeTimeout.cancel();
        if (next.equals(loop)) {
            // A cancelled key would stand in the way of a new one until the next turn.
            key.interestOps(0);
        } else {
            key.cancel();
        }
        return channel;
    }

    /**
     * Room to write {@code bytes} or fewer into, at the position of the returned heap buffer. Must
     * be followed by {@link #written} before anything else is written.
     */
    public ByteBuffer reserve(int bytes) {
        return output.reserve(bytes);
    }

    /** Tells how many bytes were put into what {@link #reserve} returned. */
    public void written(int bytes) {
        output.reserved(bytes);
        givenBytes += bytes;
        flushLater();
    }

    /** Writes the remaining bytes, which must not change any more: large ones are not copied. */
    public void write(ByteBuffer bytes) {
        givenBytes += bytes.remaining();
        output.add(bytes);
        flushLater();
    }

    /** Tells the peer, after the output that waits, that no more will come. */
    public void endOutput() {
        outputEnding = true;
        flushLater();
    }

    /** Leaves further bytes in the kernel, so that the peer has to wait. */
    public void pauseReading() {
        readingPaused = true;
        updateInterest();
    }

    /** Whether the latest read left something in the kernel, as far as it can be known. */
    public boolean mayHaveMore() {
        return mayHaveMore;
    }

    /** Undoes {@link #pauseReading}. */
    public void resumeReading() {
        if (readingPaused) {
            readingPaused = false;
            updateInterest();
            if (tls != null && (tls.hasKept() || !tls.isEstablished())) {
                // No selector knows of it, nor of a handshake whose turn is ours.
                loop.inNextTurn(() -> guarded(this::unwrapKept));
            }
        }
    }

    /** Closes at once; output that waits is lost. */
    public void close() {
        close(CloseCause.LOCAL);
    }

    /**
     * From now on the peer hears that the connection broke, however it is closed, until all output
     * has left and {@link #endOutput} has ended it. A Unix socket cannot tell its peer.
     */
    public void resetUnlessEnded() {
        if (channel.supportedOptions().contains(StandardSocketOptions.SO_LINGER)) {
            lingerFor(0);
            resetsUnlessEnded = true;
        }
    }

    /** With 0 to close is to reset, also for the kernel when the process is killed. */
    private void lingerFor(int seconds) {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, seconds);
        } catch (IOException ignored) {
            // It is closed already.
        }
    }

    /** Reads what has come already, without waiting to be told that something has. */
    public void readNow() {
        onReady(SelectionKey.OP_READ);
    }

    @Override
    public void onReady(int readyOps) {
        if ((readyOps & SelectionKey.OP_WRITE) != 0) {
            flush();
        }
        if ((readyOps & SelectionKey.OP_READ) != 0 && !closed && !readingPaused && !inputEnded) {
            readSome();
        }
    }

    @Override
    public void onFailure() {
        close(CloseCause.FAILED);
    }

    @Override
    public void onLoopStopped() {
        close(CloseCause.LOOP_STOPPED);
    }

    /** Returns whether anything came. */
    private boolean readSome() {
        if (tls != null) {
            return readRecords(tls);
        }
        ByteBuffer buffer = loop.readBuffer();
        buffer.limit(Math.min(buffer.capacity(), owner.mostReadBytes()));
        int count;
        try {
            count = channel.read(buffer);
        } catch (IOException reset) {
            close(CloseCause.RESET);
            return false;
        }
        mayHaveMore = !buffer.hasRemaining();
        if (count > 0) {
            int from = buffer.arrayOffset();
            owner.onBytes(buffer.array(), from, from + count);
        } else if (count < 0) {
            endInput();
        }
        return count > 0;
    }

    private void endInput() {
        inputEnded = true;
        updateInterest();
        owner.onEnd();
        closeIfBothEnded();
    }

    /** Like {@link #readSome}, through TLS. */
    private boolean readRecords(TlsLayer layer) {
        if (layer.isBusy()) {
            return false;
        }
        ByteBuffer records = layer.behindKept(loop.readBuffer(), owner.mostReadBytes());
        int count;
        try {
            count = channel.read(records);
        } catch (IOException reset) {
            close(CloseCause.RESET);
            return false;
        }
        mayHaveMore = !records.hasRemaining();
        if (count > 0) {
            unwrap(layer, records.flip());
        } else if (count < 0) {
            // HTTP knows by itself whether something is missing, so close_notify need not come.
            endInput();
        }
        return count > 0;
    }

    /** Goes on with what was read before. */
    private void unwrapKept() {
        if (tls != null && !closed && !readingPaused && !inputEnded && !tls.isBusy()) {
            unwrap(tls, tls.behindKept(loop.readBuffer(), 0).flip());
        }
    }

    private void unwrap(TlsLayer layer, ByteBuffer records) {
        ByteBuffer plaintext;
        try {
            plaintext = layer.unwrap(records);
        } catch (SSLException broken) {
            layer.sendAlert();
            close(CloseCause.TLS_FAILED);
            return;
        }
        updateInterest();
        if (layer.hasWaiting() || (outputWaits && layer.isEstablished())) {
            // Also where output waits for the handshake, of which no selector knows.
            flushAtEndOfTurn();
        }
        if (plaintext.hasRemaining()) {
            int from = plaintext.arrayOffset();
            owner.onBytes(plaintext.array(), from, from + plaintext.remaining());
        }
        if (layer.isInputEnded() && !closed && !inputEnded) {
            endInput();
        }
    }

    private void readLastInput() {
        boolean more = true;
        for (int reads = 0; more && reads < MOST_LAST_READS; reads++) {
            more = !closed && !inputEnded && owner.wantsLastInput() && readSome();
        }
    }

    private void flushLater() {
        if (!outputWaits) {
            flushAtEndOfTurn();
        }
    }

    private void flushAtEndOfTurn() {
        if (!flushAtEndOfTurn && !closed) {
            flushAtEndOfTurn = true;
            loop.atEndOfTurn(flush);
        }
    }

    private void flushOrClose() {
        guarded(this::flush);
    }

    /** Outside of the socket's own events the loop would not close it for an exception. */
    private void guarded(Runnable action) {
        try {
            action.run();
        } catch (Throwable failure) {
            close(CloseCause.FAILED);
            throw failure;
        }
    }

    private void flush() {
        flushAtEndOfTurn = false;
        if (closed) {
            return;
        }
        try {
            writeOut();
            if (output.pendingBytes() > 0 || (tls != null && tls.hasWaiting())) {
                awaitWritable();
                return;
            }
            if (outputEnding && !outputEnded) {
                if (tls != null && !sendEnd(tls)) {
                    return;
                }
                outputEnded = true;
                if (resetsUnlessEnded) {
                    lingerFor(NO_LINGER);
                }
                channel.shutdownOutput();
            }
        } catch (IOException reset) {
            readLastInput();
            close(CloseCause.RESET);
            return;
        }
        if (outputWaits) {
            outputWaits = false;
            writeTimeout.clear();
            updateInterest();
        }
        closeIfBothEnded();
        if (!closed) {
            owner.onFlushed();
        }
    }

    /** Writes what the channel takes, and counts what left, also before an error. */
    private void writeOut() throws IOException {
        long before = output.pendingBytes();
        try {
            if (tls == null) {
                output.writeTo(channel);
            } else {
                output.writeTo(tls);
                if (output.pendingBytes() == 0) {
                    // What the layer itself has to say.
                    tls.sendWaiting();
                }
            }
        } finally {
            owner.onSent(before - output.pendingBytes());
        }
    }

    /** Returns whether the peer has been told that no more comes. */
    private boolean sendEnd(TlsLayer layer) throws IOException {
        if (!layer.isEstablished()) {
            close(CloseCause.LOCAL);
            return false;
        }
        layer.endOutput();
        layer.sendWaiting();
        if (layer.hasWaiting()) {
            awaitWritable();
            return false;
        }
        return true;
    }

    private void closeIfBothEnded() {
        if (inputEnded && outputEnded) {
            close(CloseCause.LOCAL);
        }
    }

    private void awaitWritable() {
        if (!outputWaits || sentBytes() - stallFromBytes >= PROGRESS_BYTES) {
            restartWriteTimeout();
        }
        if (!outputWaits) {
            outputWaits = true;
            updateInterest();
        }
    }

    private void restartWriteTimeout() {
        stallFromBytes = sentBytes();
        stallFromNanos = loop.nanoTime();
        writeTimeout.set(stallFromNanos + writeTimeoutNanos);
    }

    /**
     * The kernel calls a socket writable only when a good part of its buffer is free, which a slow
     * peer may need minutes for: what it has taken until now shows when writing is tried.
     */
    private void writeTimeoutPassed() {
        long from = stallFromBytes;
        flushOrClose();
        if (outputWaits && stallFromBytes == from) {
            if (owner.holdsPeerBack()) {
                restartWriteTimeout();
            } else {
                close(CloseCause.WRITE_TIMEOUT);
            }
        }
    }

    private void updateInterest() {
        if (key.isValid()) {
            boolean reads = !readingPaused && !inputEnded && (tls == null || !tls.isBusy());
            boolean writes = outputWaits && (tls == null || tls.hasWaiting());
            int read = reads ? SelectionKey.OP_READ : 0;
            key.interestOps(writes ? read | SelectionKey.OP_WRITE : read);
        }
    }

    /** What TLS does without an event of the channel. */
    private final class Handshake implements TlsLayer.Owner {
        @Override
        public void tasksDone() {
            guarded(() -> {
                updateInterest();
                unwrapKept();
            });
        }

        @Override
        public void tooSlow() {
            close(CloseCause.TLS_TIMEOUT);
        }
    }

    private void close(CloseCause cause) {
        if (closed) {
            return;
        }
        sentBeforeCloseBytes = sentBytes();
        closed = true;
        writeTimeout.cancel();
        if (tls != null) {
            if (cause == CloseCause.LOCAL && !resetsUnlessEnded && output.pendingBytes() == 0) {
                tls.sayGoodbye();
            }
            tls.release();
        }
        output.clear();
        try {
            channel.close();
        } catch (IOException ignored) {
            // The descriptor is released all the same, and there is nobody left to tell.
        }
        owner.onClosed(cause);
    }
}
