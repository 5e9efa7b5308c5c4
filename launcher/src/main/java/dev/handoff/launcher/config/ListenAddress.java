package dev.handoff.launcher.config;

import dev.handoff.server.Listening;
import dev.handoff.server.forwarding.ClientAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Where to accept clients. */
public sealed interface ListenAddress {
    /**
     * A TCP port.
     *
     * @param host a name in lower case, or an address in its one spelling (RFC 5952 for IPv6), so
     *     that two which mean the same are equal
     */
    record Tcp(String host, int port) implements ListenAddress {
        public Tcp {
            host = inOneSpelling(host);
        }

        private static String inOneSpelling(String host) {
            try {
                return ClientAddress.format(InetAddress.ofLiteral(host));
            } catch (IllegalArgumentException none) {
                // What has a colon may name an interface of another system, in its case.
                return host.contains(":") ? host : host.toLowerCase(Locale.ROOT);
            }
        }

        @Override
        public String text() {
            return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }

        @Override
        public ListenAddress in(Path folder) {
            return this;
        }

        @Override
        public Listening listen() throws IOException {
            return Listening.on(new InetSocketAddress(host, port));
        }
    }

    /** The file of a Unix domain socket. */
    record UnixFile(Path path) implements ListenAddress {
        @Override
        public String text() {
            return UNIX + path;
        }

        @Override
        public ListenAddress in(Path folder) {
            return new UnixFile(folder.resolve(path));
        }

        @Override
        public Listening listen() throws IOException {
            return Listening.at(path);
        }
    }

    /** Before the path of a Unix socket. */
    String UNIX = "unix:";

    int MOST_PORT = 65_535;

    /** As it would be typed. */
    String text();

    /** The same, its relative path resolved in the folder. */
    ListenAddress in(Path folder);

    /**
     * Begins to listen there.
     *
     * @throws IOException if that cannot be
     */
    Listening listen() throws IOException;

    /** The addresses between commas; null if one is none, or comes twice. */
    static @Nullable List<ListenAddress> parseAll(String text) {
        List<ListenAddress> all = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            ListenAddress address = parse(each.strip());
            if (address == null || all.contains(address)) {
                return null;
            }
            all.add(address);
        }
        return all;
    }

    /** Null if it is none. */
    static @Nullable ListenAddress parse(String text) {
        if (text.startsWith(UNIX)) {
            return unixFile(text.substring(UNIX.length()));
        }
        int colon = text.lastIndexOf(':');
        Long port = colon < 0 ? null : Syntax.parseDigits(text.substring(colon + 1));
        String host = colon < 0 ? "" : text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        String bare = bracketed ? host.substring(1, host.length() - 1) : host;
        return port == null || port > MOST_PORT || bare.isBlank() || bare.contains(":") != bracketed
                ? null
                : new Tcp(bare, port.intValue());
    }

    private static @Nullable ListenAddress unixFile(String path) {
        try {
            return path.isBlank() ? null : new UnixFile(Path.of(path));
        } catch (InvalidPathException notOne) {
            return null;
        }
    }
}
