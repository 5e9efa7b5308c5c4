package dev.handoff.launcher.check;

import dev.handoff.process.protocol.Message;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How a worker comes: from its start until it takes requests. */
final class GreetingCases {
    static final String CONNECTS = "connects";
    static final String HELLO = "hello";
    static final String READY = "opens-its-window";

    private static final int CHOSEN_CONCURRENCY = 3;

    private GreetingCases() {}

    static List<Case> all() {
        return List.of(
                new Case(
                        CONNECTS,
                        "The worker connects to HANDOFF_SOCKET.",
                        "transport",
                        List.of(),
                        List.of(),
                        Stage::newcomer),
                new Case(
                        HELLO,
                        "hello comes first, with the token and the pool of the environment.",
                        HELLO,
                        List.of(),
                        List.of(CONNECTS),
                        GreetingCases::hello),
                new Case(
                        "waits-for-welcome",
                        "Nothing but hello comes before welcome.",
                        "welcome",
                        List.of(),
                        List.of(HELLO),
                        GreetingCases::waits),
                new Case(
                        READY,
                        "The window is, or becomes, more than 0.",
                        "window",
                        List.of(),
                        List.of(HELLO),
                        Stage::worker));
    }

    /** Those that need a start of their own, and say nothing of a worker that does not start. */
    static List<Case> ofOtherStarts() {
        return List.of(
                Case.of(
                        "welcome-has-more",
                        "Unknown keys and features in welcome are ignored.",
                        "values",
                        GreetingCases::welcomeHasMore),
                Case.of(
                        "empty-concurrency",
                        "An empty HANDOFF_CONCURRENCY is the same as none.",
                        "transport",
                        GreetingCases::emptyConcurrency),
                Case.of(
                        "chosen-concurrency",
                        "HANDOFF_CONCURRENCY asks for a window.",
                        "transport",
                        GreetingCases::chosenConcurrency));
    }

    private static void hello(Stage stage) throws RuleBroken, InterruptedException {
        Message.Hello hello = stage.newcomer().awaitHello();
        if (!stage.token().equals(hello.token())) {
            throw new RuleBroken(
                    hello.token() == null
                            ? "hello has no token: it is the value of HANDOFF_TOKEN"
                            : "the token in hello is not the value of HANDOFF_TOKEN");
        }
        if (!stage.pool().equals(hello.pool())) {
            throw new RuleBroken(
                    "the pool in hello is %s, and HANDOFF_POOL is %s"
                            .formatted(hello.pool(), stage.pool()));
        }
    }

    private static void waits(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker = stage.newcomer();
        worker.awaitHello();
        if (!worker.isWelcomed() && worker.waitForAny(Stage.QUIET)) {
            throw new RuleBroken("a second frame came before welcome was sent");
        }
    }

    private static void welcomeHasMore(Stage stage) throws RuleBroken, InterruptedException {
        Conversation worker =
                stage.converse(
                        stage.start(stage.ofTheCore()).accept(stage.startTimeout()), Terms.USUAL);
        worker.awaitHello();
        worker.welcome(
                Frame.withKeys(
                        worker.usualWelcome(), "\"unknown\":{\"a\":[1,{}]},\"another\":null"));
        worker.awaitWindow(stage.startTimeout());
        worker.await(worker.request(Asked.get(stage.target())));
    }

    private static void emptyConcurrency(Stage stage) throws RuleBroken, InterruptedException {
        Map<String, String> variables = new HashMap<>(stage.ofTheCore());
        variables.put("HANDOFF_CONCURRENCY", "");
        stage.ready(stage.start(variables), Terms.USUAL);
    }

    private static void chosenConcurrency(Stage stage) throws RuleBroken, InterruptedException {
        Map<String, String> variables = new HashMap<>(stage.ofTheCore());
        variables.put("HANDOFF_CONCURRENCY", Integer.toString(CHOSEN_CONCURRENCY));
        int window = stage.ready(stage.start(variables), Terms.USUAL).window();
        if (window != CHOSEN_CONCURRENCY) {
            stage.warn(
                    "HANDOFF_CONCURRENCY asks for %d, and the window is %d"
                            .formatted(CHOSEN_CONCURRENCY, window));
        }
    }
}
