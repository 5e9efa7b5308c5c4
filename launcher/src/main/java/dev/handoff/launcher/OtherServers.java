package dev.handoff.launcher;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Options of gunicorn and uvicorn, and what does the same here. */
final class OtherServers {
    private static final String OF_SDK =
            "it is for Python's SDK, behind --: handoff run main:app -- ";

    private static final Map<String, String> HERE =
            Map.ofEntries(
                    Map.entry("-w", "use --workers"),
                    Map.entry("-b", "use --listen"),
                    Map.entry("--bind", "use --listen"),
                    Map.entry("-H", "use --host"),
                    Map.entry("-p", "use --port"),
                    Map.entry("--uds", "use --listen unix:PATH"),
                    Map.entry("--certfile", "use --tls-certificate, with --tls-listen"),
                    Map.entry("--ssl-certfile", "use --tls-certificate, with --tls-listen"),
                    Map.entry("--keyfile", "use --tls-key, with --tls-listen"),
                    Map.entry("--ssl-keyfile", "use --tls-key, with --tls-listen"),
                    Map.entry("--ca-certs", "use --tls-client-ca, with --tls-listen"),
                    Map.entry("--ssl-ca-certs", "use --tls-client-ca, with --tls-listen"),
                    Map.entry("--reload", "use --watch"),
                    Map.entry("-t", "use --request-timeout"),
                    Map.entry("--timeout", "use --request-timeout"),
                    Map.entry("--keep-alive", "use --idle-timeout"),
                    Map.entry("--timeout-keep-alive", "use --idle-timeout"),
                    Map.entry("--timeout-graceful-shutdown", "use --drain-timeout"),
                    Map.entry("--ws-max-size", "use --max-message"),
                    Map.entry("--limit-concurrency", "use --concurrency"),
                    Map.entry("--graceful-timeout", "use --drain-timeout"),
                    Map.entry("--max-requests", "use --recycle-requests"),
                    Map.entry("--limit-max-requests", "use --recycle-requests"),
                    Map.entry("--access-logfile", "use --access-log"),
                    Map.entry("--forwarded-allow-ips", "use --trusted-proxy"),
                    Map.entry("--threads", OF_SDK + "--threads 8"),
                    Map.entry("--factory", OF_SDK + "--factory"),
                    Map.entry("--interface", OF_SDK + "--interface wsgi"),
                    Map.entry(
                            "-k", "the kind of worker follows from the application: leave it out"),
                    Map.entry(
                            "--worker-class",
                            "the kind of worker follows from the application: leave it out"));

    private OtherServers() {}

    static Set<String> flags() {
        return HERE.keySet();
    }

    /** What to do instead of an option as somebody typed it, perhaps with its value; or null. */
    static @Nullable String hint(String word) {
        String flag = word.startsWith("--") ? word.split("=", 2)[0] : word;
        boolean shortWithValue = !flag.startsWith("--") && flag.length() > 2;
        return HERE.get(shortWithValue ? flag.substring(0, 2) : flag);
    }
}
