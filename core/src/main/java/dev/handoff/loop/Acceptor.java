package dev.handoff.loop;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * Accepts on one listening channel, TCP or Unix, and gives the new sockets away.
 *
 * <p>A failing accept, as when no file descriptor is left, pauses it for a moment and is told to
 * the loop's listener; it never stops the server. A borrowed channel stays open, so that another
 * process that accepts on the same socket goes on. Belongs to the loop's thread.
 */
public final class Acceptor implements ChannelEvents {
    /** Receives the accepted sockets. */
    @FunctionalInterface
    public interface Receiver {
        /** Whether the receiver takes one more socket. Asked before each accept. */
        default boolean hasRoom() {
            return true;
        }

        /** A client waits, but there is no room: {@link #pause} the acceptor, or make room. */
        default void onWaiting() {}

        /** Owns the socket from now on. */
        void accepted(SocketChannel channel);
    }

    private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Limits the accepts of one turn, so that a flood leaves time for open connections. */
    private static final int ACCEPTS_PER_EVENT = 64;

    private final EventLoop loop;
    private final ServerSocketChannel channel;
    private final Receiver receiver;
    private final boolean borrowed;
    private final SelectionKey key;
    private boolean paused;
    private boolean recovering;
    private boolean ended;

    /**
     * @param channel bound already; closed by {@link #close} and when the loop stops
     * @param receiver owns each socket it is given
     */
    public Acceptor(EventLoop loop, ServerSocketChannel channel, Receiver receiver)
            throws IOException {
        this(loop, channel, receiver, false);
    }

    private Acceptor(
            EventLoop loop, ServerSocketChannel channel, Receiver receiver, boolean borrowed)
            throws IOException {
        this.loop = loop;
        this.channel = channel;
        this.receiver = receiver;
        this.borrowed = borrowed;
        this.key = loop.register(channel, SelectionKey.OP_ACCEPT, this);
    }

    /** Like the constructor, but the channel stays the caller's, and is never closed here. */
    public static Acceptor borrowing(EventLoop loop, ServerSocketChannel channel, Receiver receiver)
            throws IOException {
        if (channel.getLocalAddress() instanceof UnixDomainSocketAddress) {
            SentDescriptors.refuse(channel);
        }
        return new Acceptor(loop, channel, receiver, true);
    }

    /** Leaves new connections in the kernel's backlog until {@link #resume}. */
    public void pause() {
        paused = true;
        updateInterest();
    }

    public void resume() {
        paused = false;
        updateInterest();
    }

    /** Accepts one that waits, if there is one and room for it, before the selector tells. */
    public void acceptOne() {
        if (!recovering) {
            accept(1);
        }
    }

    /**
     * Gives away those that wait in the backlog already, as far as there is room, then {@linkplain
     * #close closes}. Who waits for a borrowed channel waits on instead.
     *
     * @param most bounds the accepts, as clients may come as fast as they are accepted
     * @param closed runs on the loop afterwards, unless it stops before
     */
    public void closeBehindBacklog(int most, Runnable closed) {
        if (borrowed) {
            close();
            closed.run();
            return;
        }
        // A channel is closed at once if no selector has it, and a selector lets it go in its next
        // turn. A client that connects between the last accept and the close is lost.
        key.cancel();
        loop.inNextTurn(() -> {
            accept(most);
            close();
            closed.run();
        });
    }

    /** Accepts no more. Resets clients in the backlog, unless the channel is borrowed. */
    public void close() {
        ended = true;
        key.cancel();
        if (!borrowed) {
            close(channel);
        }
    }

    private void close(Channel closing) {
        try {
            closing.close();
        } catch (IOException failure) {
            loop.tellAcceptFailed(failure);
        }
    }

    @Override
    public void onReady(int readyOps) {
        if (!receiver.hasRoom()) {
            receiver.onWaiting();
            return;
        }
        accept(ACCEPTS_PER_EVENT);
    }

    private void accept(int most) {
        for (int i = 0; i < most && mayAccept(); i++) {
            SocketChannel accepted;
            try {
                accepted = channel.accept();
            } catch (IOException failure) {
                recover(failure);
                return;
            }
            if (accepted == null) {
                return;
            }
            give(accepted);
        }
    }

    private boolean mayAccept() {
        return !paused && !ended && receiver.hasRoom();
    }

    private void give(SocketChannel accepted) {
        try {
            receiver.accepted(accepted);
        } catch (Throwable failure) {
            close(accepted);
            throw failure;
        }
    }

    /** A receiver that throws loses this one socket; the listening channel is unharmed. */
    @Override
    public void onFailure() {}

    @Override
    public void onLoopStopped() {
        close();
    }

    private void recover(IOException failure) {
        recovering = true;
        updateInterest();
        loop.scheduleAfter(
                PAUSE_AFTER_FAILURE_NANOS,
                () -> {
                    recovering = false;
                    updateInterest();
                });
        loop.tellAcceptFailed(failure);
    }

    private void updateInterest() {
        if (key.isValid()) {
            key.interestOps(paused || recovering ? 0 : SelectionKey.OP_ACCEPT);
        }
    }
}
