package dev.handoff.server;

import dev.handoff.http.ResponseEncoder;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.StreamSocket;
import dev.handoff.loop.Timer;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a client that ended its sending still waits for its response.
 *
 * <p>A client that has shut down one direction and one that has closed its socket both look like an
 * end of input; only a write tells them apart, since a closed socket answers it with a reset. So an
 * interim response 100 (Continue), which every HTTP/1.1 client must accept and drop (RFC 9110
 * section 15.2), is written a byte at a time: the first byte provokes the reset, a later one meets
 * it, and the socket's owner hears of it as of any reset. The rest of the interim response leaves
 * before the final one. Belongs to the loop's thread.
 */
final class DepartureProbe {
    private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_DELAY_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * Two would be enough. There are no more than this, since clients limit the digits of a size.
     */
    private static final byte[] LEADING_ZEROS = {'0', '0', '0', '0'};

    private final EventLoop loop;
    private final StreamSocket socket;
    private final ByteBuffer interim = ResponseEncoder.continueResponse();

    /** What is written a byte at a time: the interim response or, between chunks, zeros. */
    private ByteBuffer probes = interim;

    private @Nullable Timer timer;
    private long delayNanos = FIRST_DELAY_NANOS;

    DepartureProbe(EventLoop loop, StreamSocket socket) {
        this.loop = loop;
        this.socket = socket;
    }

    /**
     * Begins to look between the chunks of a response: the bytes are zeros in front of the size of
     * the next chunk, where any number of them may be (RFC 9112 section 7.1).
     */
    void startBetweenChunks() {
        probes = ByteBuffer.wrap(LEADING_ZEROS);
        delayNanos = FIRST_DELAY_NANOS;
        start();
    }

    void start() {
        timer = loop.scheduleAfter(delayNanos, this::probe);
    }

    /** Ends probing, and completes an interim response that was begun. */
    void finish() {
        cancel();
        if (interim.position() > 0 && interim.hasRemaining()) {
            socket.write(interim);
        }
    }

    void cancel() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private void probe() {
        ByteBuffer oneByte = probes.slice(probes.position(), 1);
        probes.position(probes.position() + 1);
        socket.write(oneByte);
        delayNanos = Math.min(2 * delayNanos, LONGEST_DELAY_NANOS);
        timer = probes.hasRemaining() ? loop.scheduleAfter(delayNanos, this::probe) : null;
    }
}
