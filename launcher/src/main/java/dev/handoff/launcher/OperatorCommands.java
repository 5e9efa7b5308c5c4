package dev.handoff.launcher;

import dev.handoff.launcher.operator.AdminClient;
import dev.handoff.launcher.operator.AdminException;
import dev.handoff.launcher.operator.Reports;
import dev.handoff.launcher.operator.Top;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the commands for operators do: they ask a running server, and start none. */
final class OperatorCommands {
    static final Setting<Boolean> JSON =
            Setting.off("--json", "As the server's JSON, for programs.");

    static final Setting<Boolean> PREVIOUS =
            Setting.off("--previous", "The window that the last reset closed.");

    static final Setting<Boolean> ONCE =
            Setting.off("--once", "Print the view and end, for scripts.");

    static final Setting<Duration> INTERVAL =
            Setting.of(
                    "--interval",
                    Units.time(Duration.ofMillis(100)),
                    Duration.ofSeconds(1),
                    "Time between two looks at the server.");

    private static final Setting<Integer> PORT =
            Settings.ADMIN_PORT.presetAs(String.valueOf(Settings.ADMIN_PORT_UNASKED));

    private static final List<Setting<?>> WHERE =
            List.of(Settings.ADMIN_HOST, PORT, Settings.ADMIN_TOKEN_FILE);

    private OperatorCommands() {}

    static List<Setting<?>> ofStats() {
        return with(JSON, PREVIOUS);
    }

    static List<Setting<?>> ofReset() {
        return with(JSON);
    }

    static List<Setting<?>> ofTop() {
        return with(ONCE, INTERVAL);
    }

    static int stats(Options options) throws UsageException, StartException {
        return asking(
                options,
                server -> {
                    Reports reports = new Reports(server, options.get(JSON));
                    Console.STDOUT.print(reports.window(options.get(PREVIOUS)));
                });
    }

    static int reset(Options options) throws UsageException, StartException {
        return asking(
                options,
                server -> Console.STDOUT.print(new Reports(server, options.get(JSON)).reset()));
    }

    static int top(Options options) throws UsageException, StartException {
        return asking(
                options,
                server -> {
                    Top top = new Top(server, options.get(INTERVAL));
                    if (options.get(ONCE)) {
                        Console.STDOUT.print(top.once());
                    } else {
                        top.show();
                    }
                });
    }

    private interface Question {
        void ask(AdminClient server) throws AdminException, UsageException;
    }

    private static int asking(Options options, Question question)
            throws UsageException, StartException {
        AdminClient server = client(options);
        try {
            question.ask(server);
            return Main.CLEAN;
        } catch (AdminException failure) {
            throw new StartException(String.valueOf(failure.getMessage()), failure);
        }
    }

    private static AdminClient client(Options options) throws UsageException, StartException {
        Integer port = options.find(Settings.ADMIN_PORT);
        return new AdminClient(
                options.get(Settings.ADMIN_HOST),
                port == null ? Settings.ADMIN_PORT_UNASKED : port,
                token(options));
    }

    private static @Nullable String token(Options options) throws UsageException, StartException {
        Path file = options.find(Settings.ADMIN_TOKEN_FILE);
        return file == null ? null : AdminToken.read(file);
    }

    private static List<Setting<?>> with(Setting<?>... own) {
        return Stream.concat(Stream.of(own), WHERE.stream()).toList();
    }
}
