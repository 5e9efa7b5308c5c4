package dev.handoff.launcher.check;

import dev.handoff.process.protocol.SafeText;
import java.util.List;

/** What a case has found. Its texts may hold some of the worker's, and are made safe to show. */
sealed interface Verdict {

    /** The worker keeps the rule. */
    record Passed() implements Verdict {}

    /**
     * The core repairs or survives what the worker does, and yet it should not.
     *
     * @param warnings one sentence each
     */
    record Warned(List<String> warnings) implements Verdict {
        public Warned {
            warnings = warnings.stream().map(SafeText::of).toList();
        }
    }

    /**
     * The worker breaks the rule.
     *
     * @param what what came instead
     * @param transcript what was sent and came before
     */
    record Failed(String what, List<String> transcript) implements Verdict {
        public Failed {
            what = SafeText.lines(what);
            transcript = List.copyOf(transcript);
        }
    }

    /**
     * The case says nothing about this worker.
     *
     * @param isConsequence whether it would, had the worker passed another one
     */
    record Skipped(String why, boolean isConsequence) implements Verdict {
        public Skipped {
            why = SafeText.of(why);
        }
    }

    /** In one word. */
    default String word() {
        return switch (this) {
            case Passed _ -> "pass";
            case Warned _ -> "warning";
            case Failed _ -> "fail";
            case Skipped _ -> "skipped";
        };
    }
}
