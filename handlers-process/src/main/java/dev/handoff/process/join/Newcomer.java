package dev.handoff.process.join;

import dev.handoff.loop.CloseCause;
import dev.handoff.loop.EventLoop;
import dev.handoff.loop.StreamSocket;
import dev.handoff.loop.Timer;
import dev.handoff.process.protocol.Decoded;
import dev.handoff.process.protocol.FrameDecoder;
import dev.handoff.process.protocol.FrameLimits;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.Peer;
import dev.handoff.process.protocol.ProtocolFault;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import jdk.net.UnixDomainPrincipal;

/**
 * A caller that connected to the worker socket and has not said hello yet. It has a deadline of its
 * own, and moves to its pool's loop with the hello. Belongs to the worker socket's loop.
 */
final class Newcomer implements StreamSocket.Owner {
    /** The socket that the newcomer called. */
    interface Owner {
        /** Knows who may be a worker of which pool. */
        PeerCheck peerCheck();

        /** The entrances of the pools of that name, the one to ask first in front. */
        List<WorkerEntrance> entrances(String pool);

        /** Says why and closes: the caller never gets as far as a pool. */
        void turnAway(SocketChannel channel, String code, String message);

        /** It has said hello, or is gone. */
        void left(Newcomer newcomer);
    }

    static final Duration HELLO_TIMEOUT = Duration.ofSeconds(5);

    /** Far more than a hello needs; what comes after it is read by the pool, under its limits. */
    private static final FrameLimits HELLO_LIMITS = new FrameLimits(64 * 1024, 0);

    private final Owner owner;
    private final EventLoop loop;
    private final UnixDomainPrincipal peer;
    private final StreamSocket socket;
    private final Timer timeout;
    private final FrameDecoder decoder = new FrameDecoder(HELLO_LIMITS, Peer.WORKER);

    Newcomer(Owner owner, EventLoop loop, SocketChannel channel, UnixDomainPrincipal peer)
            throws IOException {
        this.peer = peer;
        this.owner = owner;
        this.loop = loop;
        this.socket = new StreamSocket(loop, channel, HELLO_TIMEOUT, this);
        this.timeout = loop.scheduleAfter(HELLO_TIMEOUT.toNanos(), this::timedOut);
    }

    @Override
    public void onBytes(byte[] bytes, int from, int to) {
        switch (decoder.decode(bytes, from, to)) {
            case Decoded.Incomplete incomplete -> {}
            case Decoded.Complete(Message.Hello hello) ->
                    introduce(hello, Arrays.copyOfRange(bytes, decoder.consumedTo(), to));
            case Decoded.Complete(Message other) ->
                    turnAway(
                            ProtocolFault.OUT_OF_ORDER.wireName(),
                            "the first message has to be hello");
            case Decoded.Refused refused -> turnAway(refused.fault().wireName(), refused.inWords());
        }
    }

    @Override
    public void onEnd() {
        if (decoder.inFrame()) {
            turnAway("no_hello", "it closed the connection before its hello");
        } else {
            // Another process only checked that this socket is served.
            socket.close();
        }
    }

    @Override
    public void onClosed(CloseCause cause) {
        leave();
    }

    UserPrincipal user() {
        return peer.user();
    }

    /**
     * It has said nothing, and another comes.
     *
     * @param all how many there are that have said nothing
     */
    void makeRoom(int all) {
        turnAway(
                "too_many_newcomers",
                "%d connections have not said hello, and user %s has most of them"
                        .formatted(all, user().getName()));
    }

    private void leave() {
        timeout.cancel();
        owner.left(this);
    }

    private void introduce(Message.Hello hello, byte[] early) {
        if (hello.protocol() != Message.PROTOCOL_VERSION) {
            turnAway(
                    "bad_protocol",
                    "the core does not speak version "
                            + hello.protocol()
                            + ", only "
                            + Message.PROTOCOL_VERSION);
            return;
        }
        List<WorkerEntrance> entrances = owner.entrances(hello.pool());
        if (entrances.isEmpty()) {
            turnAway("unknown_pool", "there is no pool \"" + hello.pool() + "\"");
            return;
        }
        leave();
        WorkerEntrance first = entrances.getFirst();
        List<WorkerEntrance> others = entrances.subList(1, entrances.size());
        SocketChannel channel = socket.detach(first.loop());
        WorkerEntrance.Caller caller = account -> owner.peerCheck().refuses(peer, Set.of(account));
        if (!first.loop().tryRun(() -> first.admit(channel, caller, hello, early, others))) {
            first.turnAway(channel, "draining", "the core is shutting down");
        }
    }

    private void timedOut() {
        turnAway("hello_timeout", "no hello within " + HELLO_TIMEOUT.toSeconds() + " s");
    }

    private void turnAway(String code, String message) {
        leave();
        owner.turnAway(socket.detach(loop), code, message);
    }
}
