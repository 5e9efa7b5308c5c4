package dev.handoff.launcher.check;

import dev.handoff.process.protocol.Message;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a case finds its worker. Cases that end well share one process and connection; a case that
 * ends the worker, or needs another start, has a process of its own. For one thread.
 */
final class Stage implements AutoCloseable {
    /** How long a case listens before it believes that nothing comes. */
    static final Duration QUIET = Duration.ofMillis(200);

    /** Workers wait longer for welcome: one may come again while cases go on that need it not. */
    private static final Duration FRESH = Duration.ofSeconds(1);

    private static final String POOL = "checked";
    private static final String CONCURRENCY = "32";
    private static final int TOKEN_BYTES = 16;

    /** Variables that this process may have inherited, and that no worker may inherit from it. */
    private static final List<String> REMOVED =
            List.of("HANDOFF_TOKEN", "HANDOFF_WORKER", "HANDOFF_CONCURRENCY", "HANDOFF_READY_FILE");

    private final CheckPlan plan;
    private final Path folder;
    private final ProcessStart start;
    private final Transcript transcript = new Transcript();
    private final List<WorkerRun> runs = new ArrayList<>();
    private final List<Conversation> conversations = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final String token;

    private @Nullable String untried;
    private int starts;
    private @Nullable WorkerRun sharedRun;
    private @Nullable Conversation shared;
    private @Nullable WorkerRun elsewhere;
    private @Nullable Boolean comesAgain;

    /**
     * @param folder for sockets
     */
    Stage(CheckPlan plan, Path folder, ProcessStart start) {
        this.plan = plan;
        this.folder = folder;
        this.start = start;
        byte[] secret = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(secret);
        this.token = HexFormat.of().formatHex(secret);
    }

    Duration timeout() {
        return plan.timeout();
    }

    Duration startTimeout() {
        return plan.startTimeout();
    }

    /** The target of a request to which any answer is good, unless the user named a route. */
    String target() {
        return plan.echo() == null ? "/" : plan.echo();
    }

    /** The target of the route that responds in pieces. */
    String stream() {
        return plan.stream() == null ? "/" : plan.stream();
    }

    /** The target of the route that takes WebSockets. */
    String webSocket() {
        return plan.webSocket() == null ? "/" : plan.webSocket();
    }

    String token() {
        return token;
    }

    String pool() {
        return POOL;
    }

    /** Tells of something that breaks no rule, and yet the worker should not do. */
    void warn(String warning) {
        if (!warnings.contains(warning)) {
            warnings.add(warning);
        }
    }

    /** Tells why the case has found nothing out, though nothing is broken. */
    void nothingTried(String why) {
        untried = why;
    }

    /** The path of a file that is not there yet. */
    Path newFile(String name) {
        return folder.resolve(name);
    }

    /** The shared worker, which is ready and holds nothing. */
    Conversation worker() throws RuleBroken, InterruptedException {
        Conversation worker = newcomer();
        if (!worker.isWelcomed()) {
            worker.awaitHello();
            worker.welcome();
        }
        worker.awaitWindow(startTimeout());
        return worker;
    }

    /** The shared worker, which has connected and may have gone on from there. */
    Conversation newcomer() throws RuleBroken, InterruptedException {
        Conversation there = shared;
        if (there == null) {
            WorkerRun run = start(ofTheCore());
            sharedRun = run;
            there = converse(run.accept(startTimeout()), Terms.USUAL);
            shared = there;
        }
        return there;
    }

    /** A worker of its own for a case, which is ready. */
    Conversation ready(WorkerRun run, Terms terms) throws RuleBroken, InterruptedException {
        return greet(run.accept(startTimeout()), terms);
    }

    /** Takes a worker in that has connected. */
    Conversation greet(SocketChannel channel, Terms terms) throws RuleBroken, InterruptedException {
        return greet(converse(channel, terms));
    }

    /** Takes a worker in that was told nothing yet. */
    Conversation greet(Conversation worker) throws RuleBroken, InterruptedException {
        worker.awaitHello();
        worker.welcome();
        worker.awaitWindow(startTimeout());
        return worker;
    }

    /** Takes a worker in that came again, and has it answer. Its pauses begin anew then. */
    void serve(SocketChannel channel) throws RuleBroken, InterruptedException {
        Conversation worker = greet(channel, Terms.USUAL);
        worker.await(worker.request(Asked.get(target())));
    }

    /** A worker that was started elsewhere, and a connection on which it was told nothing yet. */
    record Elsewhere(WorkerRun run, Conversation conversation) {}

    /** One that came again in a case before, or a new one. */
    Elsewhere elsewhere() throws RuleBroken, InterruptedException {
        WorkerRun run = elsewhere;
        elsewhere = null;
        boolean isKept = run != null && !run.hasWaited(FRESH);
        SocketChannel channel = run == null || !isKept ? null : run.tryAccept(startTimeout());
        if (run == null || channel == null) {
            run = start(ofElsewhere());
            channel = run.accept(startTimeout());
        }
        return new Elsewhere(run, converse(channel, Terms.USUAL));
    }

    /**
     * A worker whose connection the case ends. It was started elsewhere: so most come again, and
     * need no new start.
     */
    Conversation expendable() throws RuleBroken, InterruptedException {
        Elsewhere there = elsewhere();
        keepElsewhere(there.run());
        return greet(there.conversation());
    }

    /** Whether a worker that was started elsewhere connects again when its connection ends. */
    boolean comesAgain() throws RuleBroken, InterruptedException {
        if (comesAgain == null) {
            Elsewhere there = elsewhere();
            Conversation first = greet(there.conversation());
            first.await(first.request(Asked.get(target())));
            first.close();
            SocketChannel again = there.run().tryAccept(timeout());
            comesAgain = again != null;
            if (again != null) {
                serve(again);
                keepElsewhere(there.run());
            }
        }
        return comesAgain;
    }

    /** Tells what {@link #comesAgain} would find out. */
    void noteComesAgain(boolean whether) {
        comesAgain = whether;
    }

    /** Lets the next case have this worker, which comes again when the connection ends. */
    void keepElsewhere(WorkerRun run) {
        elsewhere = run;
    }

    /** The variables that the core sets for a worker that it starts. */
    Map<String, String> ofTheCore() {
        Map<String, String> environment = new HashMap<>();
        environment.put("HANDOFF_TOKEN", token);
        environment.put("HANDOFF_WORKER", POOL + "-1");
        environment.put("HANDOFF_CONCURRENCY", CONCURRENCY);
        return environment;
    }

    /** The variables of a worker that is started elsewhere. */
    Map<String, String> ofElsewhere() {
        Map<String, String> environment = ofTheCore();
        environment.remove("HANDOFF_TOKEN");
        return environment;
    }

    /** Starts a process that ends with the case. */
    WorkerRun start(Map<String, String> variables) throws RuleBroken {
        starts++;
        Path socket = folder.resolve(starts + ".sock");
        Map<String, String> environment = new HashMap<>(plan.environment());
        environment.put("HANDOFF_SOCKET", socket.toString());
        environment.put("HANDOFF_POOL", POOL);
        environment.putAll(variables);
        try {
            WorkerRun run = new WorkerRun(start, plan.arguments(), environment, REMOVED, socket);
            runs.add(run);
            return run;
        } catch (IOException failure) {
            throw new RuleBroken("the process could not be started: " + failure.getMessage());
        }
    }

    /** Talks to a worker that has connected. */
    Conversation converse(SocketChannel channel, Terms terms) {
        Conversation conversation = new Conversation(channel, terms, plan.timeout(), transcript);
        conversations.add(conversation);
        return conversation;
    }

    /** Whether the shared worker names a feature. */
    boolean names(String feature) {
        return shared != null && shared.heard().has(feature);
    }

    /** A case begins. */
    void begin() {
        transcript.clear();
        warnings.clear();
        untried = null;
    }

    /** Why the case has found nothing out; null if it has. */
    @Nullable String untried() {
        return untried;
    }

    /** What the case has warned of so far. */
    List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** What was sent and came in the case so far. */
    List<String> transcript() {
        return transcript.lines();
    }

    /** What became of the last process that the case dealt with, and what it printed. */
    String afterlife() throws InterruptedException {
        if (conversations.isEmpty() || runs.isEmpty()) {
            return "";
        }
        Heard heard = conversations.getLast().heard();
        String last = lastUsed().afterlife(heard.isOver() && heard.fault() == null);
        return last.isEmpty() ? "" : "\n" + last;
    }

    private WorkerRun lastUsed() {
        boolean isShared = sharedRun != null && conversations.getLast() == shared;
        return isShared && sharedRun != null ? sharedRun : runs.getLast();
    }

    /** Ends what the case has left, but for a shared worker that may go on. */
    void end(boolean passed) {
        Conversation there = shared;
        boolean goesOn = passed && there != null && (!there.isWelcomed() || there.isIdle());
        if (there != null && goesOn) {
            there.heard().forgetAnswered();
        } else {
            shared = null;
            sharedRun = null;
        }
        if (!passed) {
            elsewhere = null;
        }
        conversations.removeIf(each -> {
            boolean ends = each != shared;
            if (ends) {
                each.close();
            }
            return ends;
        });
        runs.removeIf(each -> {
            boolean ends = each != sharedRun && each != elsewhere;
            if (ends) {
                each.close();
            }
            return ends;
        });
    }

    /** Whether the shared worker names what a case needs. */
    boolean offers(Need need) throws RuleBroken, InterruptedException {
        return switch (need) {
            case ECHO -> plan.echo() != null;
            case STREAM -> plan.stream() != null;
            case WEBSOCKET -> plan.webSocket() != null;
            case STREAMS -> names(Message.STREAMS);
            case WEBSOCKETS -> names(Message.WEBSOCKETS);
            case FRAGMENTS -> names(Message.FRAGMENTS);
            case COMES_AGAIN -> comesAgain();
        };
    }

    @Override
    public void close() {
        end(false);
    }
}
