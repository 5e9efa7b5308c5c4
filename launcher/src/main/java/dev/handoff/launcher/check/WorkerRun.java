package dev.handoff.launcher.check;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One process of the worker, and the socket at which it finds the core that is played to it. For
 * the thread of the case; other threads accept its connections and read what it prints.
 */
final class WorkerRun implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(20);

    /** Behind the end of the process; only a child of its that lives on can hold up its output. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    /** A connection, and when it was accepted. */
    private record Connected(SocketChannel channel, long nanos) {}

    private final Process process;
    private final Path socket;
    private final ServerSocketChannel listening;
    private final BlockingQueue<Connected> connections = new LinkedBlockingQueue<>();
    private final Printed printed = new Printed();
    private final Thread printing;

    /**
     * Starts the process.
     *
     * @param socket where it finds the core
     * @param removed variables that it must not inherit
     */
    WorkerRun(
            ProcessStart start,
            List<String> command,
            Map<String, String> added,
            List<String> removed,
            Path socket)
            throws IOException {
        this.socket = socket;
        listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listening.bind(UnixDomainSocketAddress.of(socket));
        try {
            process = start.start(command, added, removed);
        } catch (IOException failure) {
            listening.close();
            throw failure;
        }
        Thread.ofVirtual().start(this::accept);
        printing = Thread.ofPlatform().daemon().start(this::readPrinted);
    }

    private void accept() {
        try {
            while (true) {
                connections.add(new Connected(listening.accept(), System.nanoTime()));
            }
        } catch (IOException closed) {
            // The run is over.
        }
    }

    private void readPrinted() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            printed.read(output);
        } catch (IOException over) {
            // What was printed until then is enough.
        }
    }

    /** The next connection. Ends early where the process does. */
    SocketChannel accept(Duration longest) throws RuleBroken, InterruptedException {
        SocketChannel channel = tryAccept(longest);
        if (channel != null) {
            return channel;
        }
        throw new RuleBroken(
                process.isAlive()
                        ? "the process runs, but did not connect to HANDOFF_SOCKET within "
                                + longest.toSeconds()
                                + " s"
                                + printedInWords()
                        : "the process never connected: it " + exitInWords());
    }

    /** The same, or null. */
    @Nullable SocketChannel tryAccept(Duration longest) throws InterruptedException {
        long deadline = System.nanoTime() + longest.toNanos();
        while (System.nanoTime() < deadline) {
            boolean lives = process.isAlive();
            Connected next = connections.poll(LOOK.toNanos(), TimeUnit.NANOSECONDS);
            if (next != null) {
                return next.channel();
            }
            if (!lives) {
                return null;
            }
        }
        return null;
    }

    /** Whether a connection has waited so long that the worker may have given it up. */
    boolean hasWaited(Duration longest) {
        Connected next = connections.peek();
        return next != null && System.nanoTime() - next.nanos() > longest.toNanos();
    }

    /** Tells the process to end, by SIGTERM. */
    void terminate() {
        // The process itself would close its streams, and the worker may still print.
        process.toHandle().destroy();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Waits for the end of the process.
     *
     * @param why what it should end for
     * @return its exit code
     */
    int awaitExit(Duration longest, String why) throws RuleBroken, InterruptedException {
        if (!process.waitFor(longest.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new RuleBroken(
                    "the process still runs "
                            + longest.toSeconds()
                            + " s after "
                            + why
                            + printedInWords());
        }
        return process.exitValue();
    }

    /**
     * Whether it lives and what it printed, if there is anything to tell.
     *
     * @param over whether it has ended its connection, as a process does that ends
     */
    String afterlife(boolean over) throws InterruptedException {
        if (over) {
            process.waitFor(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS);
        }
        if (!process.isAlive()) {
            return "the process " + exitInWords();
        }
        return printed().isEmpty() ? "" : "the process goes on" + printedInWords();
    }

    /** How it ended, with what it printed. */
    String exitInWords() throws InterruptedException {
        return "ended with exit code " + process.waitFor() + printedInWords();
    }

    /** What it printed last. */
    String printed() throws InterruptedException {
        if (!process.isAlive()) {
            printing.join(LAST_WORDS);
        }
        return printed.text();
    }

    private String printedInWords() throws InterruptedException {
        String lines = printed();
        return lines.isEmpty() ? ", and printed nothing" : "; it printed:\n" + lines;
    }

    @Override
    public void close() {
        try {
            listening.close();
            Files.deleteIfExists(socket);
        } catch (IOException left) {
            // The folder is removed at the end.
        }
        if (process.isAlive()) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
