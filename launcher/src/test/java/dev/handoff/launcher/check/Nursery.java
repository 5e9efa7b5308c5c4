package dev.handoff.launcher.check;

import dev.handoff.admin.api.JsonLibrary;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Processes of {@code faulty.py}, forked by {@code nursery.py}: to start Python for each would take
 * most of the processor time of these tests. For any thread.
 */
final class Nursery implements ProcessStart, AutoCloseable {
    private final Path folder;
    private final Process parent;
    private final OutputStream orders;
    private final Map<String, Child> children = new ConcurrentHashMap<>();
    private int started;

    /**
     * @param folder for the outputs
     */
    Nursery(Path script, Path folder) throws IOException {
        this.folder = folder;
        parent =
                new ProcessBuilder("python3", "-S", "-B", script.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        orders = parent.getOutputStream();
        Thread.ofPlatform().daemon().start(this::hear);
    }

    /**
     * @param command a name and the fault
     */
    @Override
    public Process start(List<String> command, Map<String, String> added, List<String> removed)
            throws IOException {
        Map<String, String> environment = new HashMap<>(System.getenv());
        removed.forEach(environment::remove);
        environment.putAll(added);
        JsonObjectBuilder variables = JsonLibrary.PROVIDER.createObjectBuilder();
        environment.forEach(variables::add);
        Child child;
        synchronized (orders) {
            String name = Integer.toString(++started);
            Path output = folder.resolve(name + ".out");
            child = new Child();
            children.put(name, child);
            String order =
                    JsonLibrary.PROVIDER
                            .createObjectBuilder()
                            .add("name", name)
                            .add("fault", command.getLast())
                            .add("environment", variables)
                            .add("output", output.toString())
                            .build()
                            .toString();
            orders.write((order + "\n").getBytes(StandardCharsets.UTF_8));
            orders.flush();
            child.open(output);
        }
        return child;
    }

    private void hear() {
        try (BufferedReader lines = parent.inputReader(StandardCharsets.UTF_8)) {
            String line;
            while ((line = lines.readLine()) != null) {
                try (JsonReader reader =
                        JsonLibrary.PROVIDER.createReader(new StringReader(line))) {
                    hear(reader.readObject());
                }
            }
        } catch (IOException over) {
            // So it is for the children: their tests fail by themselves.
        }
    }

    private void hear(JsonObject said) {
        Child child = children.get(said.getString("name"));
        if (child == null) {
            throw new IllegalStateException("nobody asked for " + said);
        }
        if (said.containsKey("pid")) {
            child.born.complete(said.getJsonNumber("pid").longValueExact());
        } else {
            children.remove(said.getString("name"));
            child.ended.complete(said.getInt("exit"));
        }
    }

    @Override
    public void close() throws IOException {
        orders.close();
        parent.onExit().join();
    }

    /** One process. */
    private static final class Child extends Process {
        private final CompletableFuture<Long> born = new CompletableFuture<>();
        private final CompletableFuture<Integer> ended = new CompletableFuture<>();
        private InputStream output = InputStream.nullInputStream();

        /** Waits until the nursery has forked it. */
        void open(Path fifo) throws IOException {
            pid();
            output = new FileInputStream(fifo.toFile());
        }

        @Override
        public long pid() {
            return born.join();
        }

        @Override
        public InputStream getInputStream() {
            return output;
        }

        @Override
        public InputStream getErrorStream() {
            return InputStream.nullInputStream();
        }

        @Override
        public OutputStream getOutputStream() {
            return OutputStream.nullOutputStream();
        }

        @Override
        public int waitFor() throws InterruptedException {
            try {
                return ended.get();
            } catch (ExecutionException never) {
                throw new IllegalStateException(never);
            }
        }

        @Override
        public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
            try {
                ended.get(timeout, unit);
                return true;
            } catch (TimeoutException lives) {
                return false;
            } catch (ExecutionException never) {
                throw new IllegalStateException(never);
            }
        }

        @Override
        public boolean isAlive() {
            return !ended.isDone();
        }

        @Override
        public int exitValue() {
            if (isAlive()) {
                throw new IllegalThreadStateException("it lives");
            }
            return ended.join();
        }

        @Override
        public ProcessHandle toHandle() {
            return ProcessHandle.of(pid()).orElseThrow();
        }

        @Override
        public void destroy() {
            toHandle().destroy();
        }

        @Override
        public Process destroyForcibly() {
            if (isAlive()) {
                ProcessHandle.of(pid()).ifPresent(ProcessHandle::destroyForcibly);
            }
            return this;
        }

        /** They start no processes. */
        @Override
        public Stream<ProcessHandle> descendants() {
            return Stream.empty();
        }
    }
}
