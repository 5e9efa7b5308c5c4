package dev.handoff.launcher.check;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** What people read: a line for each case, and more where something is wrong. */
final class TextReport {
    private static final String INDENT = "          ";

    private TextReport() {}

    /** One case, when it is over. */
    static String of(Result result) {
        Case tried = result.tried();
        StringBuilder text = new StringBuilder();
        text.append("%-8s  %s".formatted(word(result.verdict()), tried.name()));
        switch (result.verdict()) {
            case Verdict.Passed _ -> {}
            case Verdict.Skipped(String why, _) -> text.append(": ").append(why);
            case Verdict.Warned(List<String> warnings) -> {
                more(tried.rule() + " " + tried.page(), text);
                warnings.forEach(warning -> more(warning, text));
            }
            case Verdict.Failed(String what, List<String> transcript) -> {
                more(tried.rule() + " " + tried.page(), text);
                what.lines().forEach(line -> more(line, text));
                transcript.forEach(line -> more(line, text));
            }
        }
        return text.toString();
    }

    private static String word(Verdict verdict) {
        return verdict instanceof Verdict.Failed
                ? verdict.word().toUpperCase(Locale.ROOT)
                : verdict.word();
    }

    private static void more(String line, StringBuilder text) {
        text.append('\n').append(INDENT).append(line);
    }

    /** What follows behind all cases. */
    static String end(Report report) {
        StringBuilder text = new StringBuilder();
        Measurement measured = report.measured();
        if (measured != null) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%nMeasured with a window of %d: %,.0f responses a second, p99 %.2f ms;"
                                    + " a request has %.0f bytes, a response %.0f%n",
                            measured.window(),
                            measured.perSecond(),
                            measured.p99Nanos() / 1e6,
                            measured.toWorkerBytes(),
                            measured.fromWorkerBytes()));
        }
        long consequences = report.results().stream().filter(TextReport::isConsequence).count();
        if (consequences > 0) {
            text.append("%nskipped  %d cases that build on those above%n".formatted(consequences));
        }
        text.append(
                String.format(
                        Locale.ROOT,
                        "%n%d passed, %d failed, %d with warnings, %d skipped, in %.1f s",
                        count(report, "pass"),
                        count(report, "fail"),
                        count(report, "warning"),
                        count(report, "skipped"),
                        seconds(report.time())));
        return text.toString();
    }

    /** Whether a case was skipped for what another has found: of these a number will do. */
    static boolean isConsequence(Result result) {
        return result.verdict() instanceof Verdict.Skipped skipped && skipped.isConsequence();
    }

    static long count(Report report, String word) {
        return report.results().stream()
                .filter(result -> result.verdict().word().equals(word))
                .count();
    }

    static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}
