package dev.handoff.launcher.logging;

import dev.handoff.launcher.config.AllSettings;
import dev.handoff.launcher.config.Limits;
import dev.handoff.launcher.config.Setting;
import dev.handoff.process.dispatch.Rejection;
import dev.handoff.process.protocol.ProtocolFault;
import dev.handoff.process.supervise.ProcessExit;
import dev.handoff.process.supervise.ReplaceCause;
import dev.handoff.process.supervise.WorkerError;
import java.time.Duration;

/** The words of the {@link PoolLog} for causes, errors and limits. */
final class PoolTexts {
    private PoolTexts() {}

    /** The option that sets the limit; the number is in the text of the fault. */
    static String option(ProtocolFault fault) {
        return fault == ProtocolFault.FRAME_BODY_TOO_LONG
                ? " (" + AllSettings.MAX_RESPONSE.flag() + ")"
                : "";
    }

    /** The option that sets the limit, and its value. */
    static String limit(Rejection reason, long limit) {
        return switch (reason) {
            case QUEUE_FULL -> ": " + Limits.told(AllSettings.QUEUE_REQUESTS, (int) limit);
            case QUEUE_BYTES -> ": " + Limits.told(AllSettings.QUEUE_BYTES, limit);
            case QUEUE_TIMEOUT -> time(AllSettings.QUEUE_TIMEOUT, limit);
            case NO_WORKER -> time(AllSettings.NO_WORKER_GRACE, limit);
            case DRAINING -> "";
        };
    }

    private static String time(Setting<Duration> setting, long millis) {
        return ": " + Limits.told(setting, Duration.ofMillis(millis));
    }

    static String workers(int count) {
        return count == 1 ? "1 worker" : count + " workers";
    }

    static String cause(ReplaceCause cause) {
        return switch (cause) {
            case RELOAD -> "reload";
            case DRAIN -> "drain of a worker";
            case REQUESTS -> "recycling (--recycle-requests)";
            case AGE -> "recycling (--recycle-age)";
            case MEMORY -> "recycling (--recycle-memory)";
        };
    }

    /** The error with the last lines of stderr below, and advice. */
    static String error(WorkerError error) {
        StringBuilder text = new StringBuilder(error.worker()).append(": ").append(error.reason());
        error.lastStderr().forEach(line -> text.append('\n').append(line));
        String advice = PortAdvice.ofSuccessor(error.lastStderr());
        return advice.isEmpty() ? text.toString() : text.append('\n').append(advice).toString();
    }

    /**
     * In brackets the last line of its stderr, which mostly says why it ended; all lines stand
     * above.
     */
    static String cause(ProcessExit exit) {
        String words = exit.lastComplaint();
        String advice = PortAdvice.ofStart(exit.lastStderr());
        return (words.isEmpty() ? "" : " (" + words + ")")
                + (advice.isEmpty() ? "" : "; " + advice);
    }

    static String restart(long millis) {
        if (millis < 0) {
            return "it is not started again";
        }
        return millis == 0 ? "starting it again" : "starting it again in " + millis + " ms";
    }
}
