package dev.handoff.launcher;

import dev.handoff.process.supervise.ProcessStarter;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A real {@code handoff} process, with its workers. Closing ends all of them. */
final class HandoffProcess implements AutoCloseable {
    private static final String ARROW = "→ ";

    private static final List<String> INIT =
            List.of("unshare", "--pid", "--fork", "--kill-child", "--mount-proc");

    private final Process process;
    private final Lines stdout;
    private final Lines stderr;
    private final List<ProcessHandle> seen = new ArrayList<>();

    private HandoffProcess(Process process) {
        this.process = process;
        this.stdout = new Lines("stdout", process.getInputStream());
        this.stderr = new Lines("stderr", process.getErrorStream());
    }

    static HandoffProcess start(String... arguments) throws IOException {
        return start(Map.of(), arguments);
    }

    /** Starts it in the checkout, as a reader of its documentation would. */
    static HandoffProcess start(Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(Distribution.HANDOFF.toString()));
        command.addAll(List.of(arguments));
        return start(environment, command);
    }

    /** Starts it by way of another program, which becomes it. */
    static HandoffProcess startBy(List<String> program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(program);
        command.add(Distribution.HANDOFF.toString());
        command.addAll(List.of(arguments));
        return start(Map.of(), command);
    }

    /** Starts it with so few file descriptors, which it cannot raise. */
    static HandoffProcess startWithDescriptors(int descriptors, String... arguments)
            throws IOException {
        String script = "ulimit -n " + descriptors + "; exec \"$0\" \"$@\"";
        List<String> command =
                new ArrayList<>(List.of("sh", "-c", script, Distribution.HANDOFF.toString()));
        command.addAll(List.of(arguments));
        return start(Map.of(), command);
    }

    /** Starts it as process 1 of a process table of its own, as in a container. */
    static HandoffProcess startAsInit(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(INIT);
        command.add(Distribution.HANDOFF.toString());
        command.addAll(List.of(arguments));
        return start(Map.of(), command);
    }

    /** Whether this machine lets us do that. */
    static boolean canStartAsInit() throws InterruptedException {
        List<String> command = new ArrayList<>(INIT);
        command.add("true");
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException noProgram) {
            return false;
        }
    }

    /** The id by which the others know the process that was started as process 1. */
    long init() {
        return process.toHandle().children().findFirst().orElseThrow().pid();
    }

    private static HandoffProcess start(Map<String, String> environment, List<String> command)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(Distribution.ROOT.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("HANDOFF_"));
        // On a busy machine a first worker takes its time.
        builder.environment().put("HANDOFF_NO_WORKER_GRACE", Await.LIMIT.toSeconds() + "s");
        builder.environment().putAll(environment);
        return new HandoffProcess(builder.start());
    }

    /** Where it serves, once it does. */
    String url() {
        String line = stdout.await(candidate -> candidate.startsWith(ARROW));
        return line.substring(ARROW.length());
    }

    /** Where its admin server is. */
    String adminUrl() {
        String begin = "  dashboard ";
        String line = stdout.await(candidate -> candidate.startsWith(begin));
        return line.substring(begin.length(), line.lastIndexOf('/') + 1);
    }

    int port() {
        String url = url();
        return Integer.parseInt(url.substring(url.lastIndexOf(':') + 1, url.length() - 1));
    }

    /** What the admin server says at this path, which is an object of JSON. */
    JsonObject admin(String path) {
        try {
            String output = Curl.run(adminUrl() + path).output();
            String text = output.substring(output.indexOf("\r\n\r\n"));
            return Json.createReader(new StringReader(text)).readObject();
        } catch (IOException | InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    /**
     * The value of a metric, named as its line names it.
     *
     * @return -1 if there is none
     */
    double metric(String name) {
        try {
            return Curl.run(adminUrl() + "metrics")
                    .output()
                    .lines()
                    .filter(line -> line.startsWith(name + " "))
                    .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                    .findFirst()
                    .orElse(-1);
        } catch (IOException | InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    Lines stdout() {
        return stdout;
    }

    Lines stderr() {
        return stderr;
    }

    /** Waits for a line of its log that has these words. */
    void awaitLog(String words) {
        stderr.await(line -> line.contains(words));
    }

    /** Waits until these workers have connected, and so have read all that they start with. */
    void awaitConnected(String... workers) {
        for (String worker : workers) {
            stderr.await(line -> line.contains(worker + " is connected"));
        }
    }

    /**
     * Has the request answered that a worker {@code announces.py} took and holds.
     *
     * @param target ends with {@code ?held}
     */
    void release(String target) throws IOException, InterruptedException {
        String took = stdout.await(line -> line.endsWith(" | took " + target));
        String tellsPid = took.substring(0, took.indexOf(" | ")) + " | pid ";
        String told = stdout.await(line -> line.startsWith(tellsPid));
        signal("USR1", Long.parseLong(told.substring(tellsPid.length())));
    }

    /** Waits until there are {@code count} worker processes and returns their ids. */
    List<Long> awaitWorkers(int count) {
        Await.until(count + " workers", () -> workers().size() == count);
        return workers();
    }

    List<Long> workers() {
        List<ProcessHandle> children =
                process.toHandle()
                        .children()
                        .filter(HandoffProcess::isRunning)
                        .filter(each -> !ProcessStarter.clearsUp(each))
                        .toList();
        seen.addAll(children);
        return children.stream().map(ProcessHandle::pid).sorted().toList();
    }

    long pid() {
        return process.pid();
    }

    /** Sends it a signal. */
    void signal(String name) throws IOException, InterruptedException {
        signal(name, process.pid());
    }

    static void signal(String name, long pid) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(pid)).inheritIO().start().waitFor();
    }

    /** Waits for its end and returns its exit code. */
    int awaitExit() throws InterruptedException {
        if (!process.waitFor(Await.LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("it does not end; stderr: " + stderr);
        }
        return process.exitValue();
    }

    static void awaitGone(List<Long> pids) {
        Await.until(
                "the end of " + pids,
                () ->
                        pids.stream()
                                .flatMap(pid -> ProcessHandle.of(pid).stream())
                                .noneMatch(HandoffProcess::isRunning));
    }

    /** Asks until it stops at once, so that it clears up; a process that does not is killed. */
    @Override
    public void close() {
        process.toHandle()
                .descendants()
                .filter(each -> !ProcessStarter.clearsUp(each))
                .forEach(seen::add);
        for (int asked = 0; asked < 100 && process.isAlive(); asked++) {
            process.toHandle().destroy();
            process.onExit().completeOnTimeout(process, 50, TimeUnit.MILLISECONDS).join();
        }
        process.destroyForcibly();
        seen.forEach(ProcessHandle::destroyForcibly);
        process.onExit().join();
    }

    /** A process that has ended stays visible until its parent, or init, has asked how. */
    private static boolean isRunning(ProcessHandle handle) {
        Path stat = Path.of("/proc", Long.toString(handle.pid()), "stat");
        if (!Files.exists(stat)) {
            return handle.isAlive() && !Files.exists(Path.of("/proc/self/stat"));
        }
        try {
            String text = Files.readString(stat);
            return text.charAt(text.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException goneMeanwhile) {
            return false;
        }
    }
}
