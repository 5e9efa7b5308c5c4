package dev.handoff.launcher.check;

import java.util.List;
import java.util.Locale;

/**
 * The report as JUnit XML, which systems for continuous integration show. Written by hand, since
 * the Java of a distribution comes without its modules for XML.
 */
final class JunitReport {
    private JunitReport() {}

    static String of(Report report) {
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        xml.append(
                String.format(
                        Locale.ROOT,
                        "<testsuite name=\"handoff check: %s\" tests=\"%d\" failures=\"%d\""
                                + " errors=\"0\" skipped=\"%d\" time=\"%.3f\">%n",
                        escaped(report.title()),
                        report.results().size(),
                        TextReport.count(report, "fail"),
                        TextReport.count(report, "skipped"),
                        TextReport.seconds(report.time())));
        report.results().forEach(result -> xml.append(of(result)));
        return xml.append("</testsuite>\n").toString();
    }

    private static String of(Result result) {
        Case tried = result.tried();
        String begin =
                String.format(
                        Locale.ROOT,
                        "  <testcase classname=\"%s\" name=\"%s\" time=\"%.3f\"",
                        escaped(tried.page()),
                        escaped(tried.name()),
                        TextReport.seconds(result.time()));
        String inside =
                switch (result.verdict()) {
                    case Verdict.Passed _ -> "";
                    case Verdict.Skipped(String why, _) ->
                            "<skipped message=\"" + escaped(why) + "\"/>";
                    case Verdict.Warned(List<String> warnings) ->
                            "<system-out>" + escaped(String.join("\n", warnings)) + "</system-out>";
                    case Verdict.Failed(String what, List<String> transcript) ->
                            "<failure message=\"%s\">%s</failure>"
                                    .formatted(
                                            escaped(what),
                                            escaped(
                                                    tried.rule()
                                                            + "\n"
                                                            + String.join("\n", transcript)));
                };
        return inside.isEmpty() ? begin + "/>\n" : begin + ">" + inside + "</testcase>\n";
    }

    /** Texts are safe to show already; so no character is left that XML cannot have. */
    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("\n", "&#10;");
    }
}
