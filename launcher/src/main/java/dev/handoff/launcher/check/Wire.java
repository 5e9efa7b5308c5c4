package dev.handoff.launcher.check;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Frames to and from a worker. For the thread of the case; two threads of its own read and write,
 * so that neither waits for the other.
 */
final class Wire implements AutoCloseable {
    private static final byte[] END = {};

    /** The worker is not read while frames of so much wait for the case. */
    private static final int MOST_WAITING_KIBIBYTES = 16 * 1024;

    private static final int KIBIBYTE = 1024;

    private final SocketChannel channel;
    private final HoldableInput input;
    private final BlockingQueue<FrameSource.Came> incoming = new LinkedBlockingQueue<>();
    private final Semaphore room = new Semaphore(MOST_WAITING_KIBIBYTES);
    private final BlockingQueue<byte[]> outgoing = new LinkedBlockingQueue<>();
    private final Thread reader;
    private final Thread writer;

    /**
     * @param terms with the limits of what the worker may send
     */
    Wire(SocketChannel channel, Terms terms) {
        this.channel = channel;
        this.input = new HoldableInput(Channels.newInputStream(channel));
        FrameSource source = new FrameSource(input, terms.limits());
        reader = Thread.ofVirtual().start(() -> read(source));
        writer = Thread.ofVirtual().start(this::write);
    }

    private void read(FrameSource source) {
        try {
            FrameSource.Came came;
            do {
                came = source.next();
                room.acquire(kibibytes(came));
                incoming.add(came);
            } while (came instanceof FrameSource.Whole);
        } catch (InterruptedException closed) {
            // Nobody asks for it any more.
        }
    }

    private static int kibibytes(FrameSource.Came came) {
        return came instanceof FrameSource.Whole whole
                ? Math.min(1 + whole.sizeBytes() / KIBIBYTE, MOST_WAITING_KIBIBYTES)
                : 1;
    }

    private void write() {
        try {
            while (true) {
                byte[] bytes = outgoing.take();
                if (bytes.length == 0) {
                    channel.shutdownOutput();
                    return;
                }
                ByteBuffer left = ByteBuffer.wrap(bytes);
                while (left.hasRemaining()) {
                    channel.write(left);
                }
            }
        } catch (IOException | InterruptedException over) {
            // The reader notices the end too, and tells it.
        }
    }

    /** Writes behind what waits; does not wait itself. */
    void send(byte[] bytes) {
        outgoing.add(bytes);
    }

    /** Ends the output behind what waits. */
    void endOutput() {
        outgoing.add(END);
    }

    /** What came next, or null if nothing comes in that time. */
    FrameSource.@Nullable Came next(Duration longest) throws InterruptedException {
        FrameSource.Came came = incoming.poll(longest.toNanos(), TimeUnit.NANOSECONDS);
        if (came != null) {
            room.release(kibibytes(came));
        }
        return came;
    }

    /** Where the reading can be held. */
    HoldableInput input() {
        return input;
    }

    @Override
    public void close() {
        input.goOn();
        try {
            channel.close();
        } catch (IOException alreadyBroken) {
            // It is over in any case.
        }
        reader.interrupt();
        writer.interrupt();
    }
}
