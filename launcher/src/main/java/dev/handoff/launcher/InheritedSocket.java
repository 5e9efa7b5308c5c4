package dev.handoff.launcher;

import dev.handoff.launcher.config.StartException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A listening socket that the parent of this process keeps open and passed on as standard input.
 * Servers can follow one another on it, while the connections that none has accepted yet wait in
 * it.
 *
 * <p>The channel is never closed: Java would send standard output and error to {@code /dev/null}
 * with it, and the end of the process closes it anyway.
 */
record InheritedSocket(ServerSocketChannel channel) {
    private static final String PASSED_TO = "LISTEN_PID";
    private static final String PASSED = "LISTEN_FDS";

    /**
     * Finds the inherited socket, if there is one.
     *
     * @throws StartException if a socket was passed on that cannot be served on
     */
    static @Nullable InheritedSocket find(Map<String, String> environment) throws StartException {
        Channel standardInput;
        try {
            standardInput = System.inheritedChannel();
            if (standardInput instanceof ServerSocketChannel channel) {
                if (channel.getLocalAddress() instanceof InetSocketAddress) {
                    return new InheritedSocket(channel);
                }
                throw new StartException("the inherited socket is not a TCP socket");
            }
        } catch (IOException failure) {
            throw new StartException(
                    "cannot use standard input as a socket: " + failure.getMessage(), failure);
        }
        // The start script makes one socket standard input, and removes these variables.
        String myself = Long.toString(ProcessHandle.current().pid());
        if (myself.equals(environment.get(PASSED_TO))) {
            throw new StartException(
                    "%s is %s, but Handoff serves on one socket only, passed as standard input or through the handoff script"
                            .formatted(PASSED, environment.get(PASSED)));
        }
        return null;
    }
}
