package dev.handoff.launcher.check;

import dev.handoff.admin.api.JsonLibrary;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObjectBuilder;
import java.util.Collection;
import java.util.List;

/** The report for programs. */
final class JsonReport {
    private JsonReport() {}

    static String of(Report report) {
        JsonArrayBuilder cases = JsonLibrary.PROVIDER.createArrayBuilder();
        report.results().forEach(result -> cases.add(of(result)));
        JsonObjectBuilder all =
                JsonLibrary.PROVIDER
                        .createObjectBuilder()
                        .add("worker", report.title())
                        .add("passed", TextReport.count(report, "pass"))
                        .add("failed", TextReport.count(report, "fail"))
                        .add("warned", TextReport.count(report, "warning"))
                        .add("skipped", TextReport.count(report, "skipped"))
                        .add("seconds", TextReport.seconds(report.time()))
                        .add("cases", cases);
        Measurement measured = report.measured();
        if (measured != null) {
            all.add(
                    "measured",
                    JsonLibrary.PROVIDER
                            .createObjectBuilder()
                            .add("window", measured.window())
                            .add("responsesPerSecond", Math.round(measured.perSecond()))
                            .add("p99Nanos", measured.p99Nanos())
                            .add("requestBytes", Math.round(measured.toWorkerBytes()))
                            .add("responseBytes", Math.round(measured.fromWorkerBytes())));
        }
        return all.build().toString();
    }

    private static JsonObjectBuilder of(Result result) {
        Case tried = result.tried();
        JsonObjectBuilder one =
                JsonLibrary.PROVIDER
                        .createObjectBuilder()
                        .add("name", tried.name())
                        .add("rule", tried.rule())
                        .add("page", tried.page())
                        .add("verdict", result.verdict().word())
                        .add("seconds", TextReport.seconds(result.time()));
        switch (result.verdict()) {
            case Verdict.Passed _ -> {}
            case Verdict.Skipped(String why, _) -> one.add("why", why);
            case Verdict.Warned(List<String> warnings) -> one.add("warnings", array(warnings));
            case Verdict.Failed(String what, List<String> transcript) ->
                    one.add("why", what).add("transcript", array(transcript));
        }
        return one;
    }

    private static JsonArrayBuilder array(Collection<String> texts) {
        return JsonLibrary.PROVIDER.createArrayBuilder(texts);
    }
}
