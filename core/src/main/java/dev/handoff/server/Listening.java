package dev.handoff.server;

import dev.handoff.loop.SocketFile;
import dev.handoff.server.forwarding.ClientAddress;
import dev.handoff.server.forwarding.Origin;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * A place where a server accepts connections: a TCP port or the file of a Unix domain socket, which
 * listens already. Any thread.
 */
public final class Listening {
    /** How many connections the kernel may hold for us; it cuts this to its own limit. */
    static final int ACCEPT_BACKLOG = 4096;

    private final ServerSocketChannel channel;
    private final SocketAddress address;
    private final boolean borrowed;
    private final @Nullable SocketFile file;

    private final String name;

    /** Completes when connections are to be accepted. */
    private final CompletionStage<?> opening;

    /** Null where no TLS is spoken. */
    private final @Nullable Supplier<SSLEngine> tls;

    private Listening(ServerSocketChannel channel, boolean borrowed, @Nullable SocketFile file)
            throws IOException {
        this.channel = channel;
        this.address = channel.getLocalAddress();
        this.borrowed = borrowed;
        this.file = file;
        this.name = toString();
        this.tls = null;
        this.opening = CompletableFuture.completedFuture(null);
    }

    private Listening(
            Listening other,
            String name,
            @Nullable Supplier<SSLEngine> tls,
            CompletionStage<?> opening) {
        this.channel = other.channel;
        this.address = other.address;
        this.borrowed = other.borrowed;
        this.file = other.file;
        this.name = name;
        this.tls = tls;
        this.opening = opening;
    }

    /**
     * Listens on a TCP port; 0 for any that is free.
     *
     * @throws IOException if it cannot be bound
     */
    public static Listening on(InetSocketAddress wanted) throws IOException {
        if (wanted.isUnresolved()) {
            throw new UnknownHostException(wanted.getHostString());
        }
        ServerSocketChannel channel = ServerSocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.bind(wanted, ACCEPT_BACKLOG);
            return new Listening(channel, false, null);
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw failure;
        }
    }

    /**
     * Listens at a file of mode 0666: whoever may enter its folder may connect. A dead socket file
     * is replaced. The file is removed when the server accepts no more.
     *
     * @throws IOException if it cannot be made, or another server listens there
     */
    public static Listening at(Path path) throws IOException {
        SocketFile file = SocketFile.createForEverybody(path, ACCEPT_BACKLOG);
        return new Listening(file.channel(), false, file);
    }

    /**
     * On a channel that is bound to a TCP port and listens. It stays the caller's: the server makes
     * it non-blocking, and never closes it. So a socket that several processes share outlives each
     * of them, and connections that no one has accepted yet wait for the next.
     *
     * @throws IOException if it is bound to nothing, or to no TCP port
     */
    public static Listening borrowing(ServerSocketChannel given) throws IOException {
        SocketAddress bound = given.getLocalAddress();
        if (bound instanceof InetSocketAddress address && address.getPort() > 0) {
            return new Listening(given, true, null);
        }
        throw new IOException("the channel to listen on is not bound to a TCP port: " + bound);
    }

    /**
     * The same place, where clients have to speak TLS: their requests then have the scheme https.
     *
     * @param engines makes one for each connection, on the thread of any event loop, so it must not
     *     block; what later ones are made of may change at any time
     */
    public Listening withTls(Supplier<SSLEngine> engines) {
        return new Listening(this, name, engines, opening);
    }

    /** The same place, by the name that requests from there have, see {@link Origin#place}. */
    public Listening named(String wanted) {
        return new Listening(this, wanted, tls, opening);
    }

    /**
     * The same place, where connections wait in the kernel until this completes, or are for another
     * server that accepts there too.
     */
    public Listening openingWhen(CompletionStage<?> ready) {
        return new Listening(this, name, tls, ready);
    }

    /** The address as {@link #toString} has it, unless it was {@linkplain #named given} another. */
    public String name() {
        return name;
    }

    /** Whether clients have to speak TLS. */
    public boolean hasTls() {
        return tls != null;
    }

    /** For a connection that was accepted here; null where it is plain. */
    @Nullable SSLEngine newEngine() {
        return tls == null ? null : tls.get();
    }

    /** Where it listens: the port is the one that it was given, if it asked for port 0. */
    public SocketAddress address() {
        return address;
    }

    @Override
    public String toString() {
        return address instanceof UnixDomainSocketAddress unix
                ? "unix:" + unix.getPath()
                : ClientAddress.format(address);
    }

    CompletionStage<?> opening() {
        return opening;
    }

    ServerSocketChannel channel() {
        return channel;
    }

    /** Whether the channel stays open at the end. */
    boolean isBorrowed() {
        return borrowed;
    }

    /** Nobody finds it any more who has not connected. To be called while it listens. */
    void hide() {
        if (file != null) {
            file.remove();
        }
    }

    /** Ends it, where no server accepts on it. */
    public void close() throws IOException {
        if (!borrowed) {
            hide();
            channel.close();
        }
    }
}
