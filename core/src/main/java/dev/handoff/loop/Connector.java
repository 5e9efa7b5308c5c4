package dev.handoff.loop;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Connects to a server, and waits for it without a thread. Belongs to the loop's thread. */
public final class Connector implements ChannelEvents {
    /** Hears how it went: one call, in a later turn of the loop. */
    public interface Owner {
        /** The channel is connected, and the owner's from here on. */
        void connected(SocketChannel channel);

        void failed(IOException why);
    }

    /**
     * Where the backlog of a Unix socket is full, the system says so at once, and nothing when
     * there is room again. So it is tried again after this time.
     */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final EventLoop loop;
    private final Owner owner;
    private @Nullable SocketChannel channel;
    private @Nullable SelectionKey key;
    private @Nullable Timer timer;
    private @Nullable Timer retry;

    /** What the system said when it was tried last; empty if it has said nothing yet. */
    private String refusal = "";

    /** Whether the owner was told, or wants to hear nothing. */
    private boolean over;

    /**
     * Begins to connect.
     *
     * @param address of TCP, or that of a Unix socket
     */
    public Connector(EventLoop loop, SocketAddress address, Duration timeout, Owner owner) {
        this.loop = loop;
        this.owner = owner;
        timer =
                loop.scheduleAfter(
                        timeout.toNanos(),
                        () ->
                                fail(
                                        new SocketTimeoutException(
                                                "no connection within %d ms%s"
                                                        .formatted(timeout.toMillis(), refusal))));
        attempt(address);
    }

    private void attempt(SocketAddress address) {
        try {
            begin(address);
        } catch (IOException failure) {
            loop.inNextTurn(() -> fail(failure));
        }
    }

    private void begin(SocketAddress address) throws IOException {
        boolean unix = address instanceof UnixDomainSocketAddress;
        SocketChannel opened =
                unix ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open();
        channel = opened;
        opened.configureBlocking(false);
        if (unix) {
            SentDescriptors.refuse(opened);
        } else {
            opened.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        try {
            if (opened.connect(address)) {
                loop.inNextTurn(this::connected);
                return;
            }
        } catch (RuntimeException noAddress) {
            // Such as a name that has none.
            throw new IOException(String.valueOf(noAddress.getMessage()), noAddress);
        } catch (SocketException failure) {
            if (!mayBeFull(address, failure)) {
                throw failure;
            }
            refusal = ": " + failure.getMessage();
            closeChannel();
            retry = loop.scheduleAfter(RETRY_NANOS, () -> attempt(address));
            return;
        }
        key = loop.register(opened, SelectionKey.OP_CONNECT, this);
    }

    /**
     * For a full backlog Java has no type (EAGAIN), and its text is in the language of the system.
     * Who does not listen at all is a {@link java.net.ConnectException}.
     */
    private static boolean mayBeFull(SocketAddress address, SocketException failure) {
        return address instanceof UnixDomainSocketAddress unix
                && failure.getClass().equals(SocketException.class)
                && Files.exists(unix.getPath());
    }

    /** Gives up. The owner hears nothing more. */
    public void cancel() {
        over = true;
        close();
    }

    @Override
    public void onReady(int readyOps) {
        SocketChannel connecting = channel;
        try {
            if (connecting != null && connecting.finishConnect()) {
                connected();
            }
        } catch (IOException failure) {
            fail(failure);
        }
    }

    private void connected() {
        SocketChannel done = channel;
        if (over || done == null) {
            return;
        }
        over = true;
        channel = null;
        if (key != null) {
            // The socket that the owner makes of the channel goes on with the key.
            key.interestOps(0);
        }
        stopTimer();
        owner.connected(done);
    }

    private void fail(IOException why) {
        if (!over) {
            cancel();
            owner.failed(why);
        }
    }

    @Override
    public void onFailure() {
        fail(new IOException("a bug in what connects"));
    }

    @Override
    public void onLoopStopped() {
        cancel();
    }

    private void close() {
        stopTimer();
        if (retry != null) {
            retry.cancel();
        }
        closeChannel();
    }

    private void closeChannel() {
        SocketChannel open = channel;
        channel = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException ignored) {
                // The descriptor is released all the same.
            }
        }
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
