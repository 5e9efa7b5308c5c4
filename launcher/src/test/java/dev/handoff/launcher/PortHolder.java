package dev.handoff.launcher;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A process that holds a listening socket, on which one server follows another. */
final class PortHolder implements AutoCloseable {
    private final Process process;
    private final Path door;
    private final int port;
    private final String inode;

    /**
     * @param folder where it can put a file
     */
    PortHolder(Path folder) throws IOException {
        door = folder.resolve("port");
        process =
                new ProcessBuilder(
                                "python3",
                                Distribution.testProgram("holds_port.py"),
                                door.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String[] said =
                new Lines("the holder's stdout", process.getInputStream())
                        .await(line -> true)
                        .split(" ", 2);
        port = Integer.parseInt(said[0]);
        inode = said[1];
    }

    int port() {
        return port;
    }

    /** What the socket is called among the descriptors of a process. */
    String link() {
        return "socket:[" + inode + "]";
    }

    /**
     * What starts a program with the socket.
     *
     * @param how as {@code takes_port.py} explains
     */
    List<String> program(String how) {
        return List.of("python3", Distribution.testProgram("takes_port.py"), door.toString(), how);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
