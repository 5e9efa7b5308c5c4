package dev.handoff.process.supervise;

import java.util.List;

/**
 * How the processes of a pool serve that are HTTP servers.
 *
 * @param concurrency how many requests each takes at once
 * @param port at which the one process listens; 0 if each is given a port, or the path of a Unix
 *     socket where its arguments ask for one
 */
public record HttpServing(int concurrency, int port) {
    /** In the arguments of a command it stands for the port at which the process is to listen. */
    public static final String PORT_WORD = "{port}";

    /** In the arguments of a command it stands for the Unix socket that the process is to make. */
    public static final String SOCKET_WORD = "{socket}";

    /** Whether the arguments ask for a Unix socket. */
    public static boolean asksForSocket(List<String> arguments) {
        return arguments.stream().anyMatch(word -> word.contains(SOCKET_WORD));
    }
}
