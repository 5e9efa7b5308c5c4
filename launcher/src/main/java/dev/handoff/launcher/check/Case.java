package dev.handoff.launcher.check;

import java.util.List;

/**
 * One rule of the protocol, and how it is tried.
 *
 * @param name what the user calls it
 * @param rule what a worker has to do
 * @param section the heading of docs/PROTOCOL.md that says so, as an anchor
 * @param needs what the worker or the user has to offer
 * @param after the cases without which this one would say nothing
 */
record Case(
        String name,
        String rule,
        String section,
        List<Need> needs,
        List<String> after,
        Steps steps) {

    /** Tries the rule. */
    @FunctionalInterface
    interface Steps {
        void run(Stage stage) throws RuleBroken, InterruptedException;
    }

    Case {
        needs = List.copyOf(needs);
        after = List.copyOf(after);
    }

    /** A case that needs nothing, and says nothing of a worker that does not answer requests. */
    static Case of(String name, String rule, String section, Steps steps) {
        return new Case(
                name, rule, section, List.of(), List.of(RequestCases.SEVERAL_FRAMES), steps);
    }

    Case needing(Need... others) {
        return new Case(name, rule, section, List.of(others), after, steps);
    }

    Case after(String... others) {
        return new Case(name, rule, section, needs, List.of(others), steps);
    }

    /** Where the rule stands. */
    String page() {
        return "docs/PROTOCOL.md#" + section;
    }
}
