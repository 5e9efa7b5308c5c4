package dev.handoff.launcher;

import java.util.List;
import picocli.CommandLine.Help.Ansi;

/** What {@code --help} prints. Headings are bold on a terminal. */
final class HelpText {
    private static final int DESCRIPTION_COLUMN = 31;

    private static final String TOP =
            """
            @|bold Handoff|@ serves HTTP and hands each request to workers in any language.

            @|bold Usage:|@
              handoff run [OPTIONS] FILE [-- ARGUMENT...]
              handoff run [OPTIONS] -- COMMAND [ARGUMENT...]
              handoff serve [OPTIONS]

              run      start workers for one handler and serve it
              serve    serve with workers that are started elsewhere

            @|bold Examples:|@
              handoff run hello.py
              handoff run hello.py --port 3000 --workers 2
              handoff run --port 3000 -- node app.mjs --verbose

            'handoff run --help' lists the options.
            """;

    private static final String RUN =
            """
            Starts workers for one handler and serves it: a Python, Node, Ruby, PHP or shell file, a
            program, or, after --, any command. Behind a file, -- begins the handler's own arguments.

            @|bold Usage:|@
              handoff run [OPTIONS] FILE [-- ARGUMENT...]
              handoff run [OPTIONS] -- COMMAND [ARGUMENT...]

            @|bold Examples:|@
              handoff run hello.py --port 3000 --workers 2
              handoff run hello.py -- --greeting hi
              handoff run -- node app.mjs --verbose
            """;

    private static final String SERVE =
            """
            Serves with workers that are started elsewhere, such as in containers of their own, and
            connect to the socket by themselves.

            @|bold Usage:|@
              handoff serve [OPTIONS]

            @|bold Examples:|@
              handoff serve --socket /tmp/handoff.sock
              HANDOFF_SOCKET=/tmp/handoff.sock python3 hello.py
            """;

    private static final String CLOSING =
            """
            Each option has an environment variable as well: HANDOFF_MAX_BODY for --max-body. The option
            wins. A listening socket as standard input, or as systemd passes one, is served on in place
            of --host and --port. Ctrl-C or SIGTERM finishes what is in hand; the second time it stops at once.

            @|bold Exit codes:|@
              0  stopped, with every request in hand answered
              1  could not start, or requests were cut off
              2  bad usage: an option, a variable or a file
            """;

    private HelpText() {}

    static String top(Ansi style) {
        return style.string(TOP);
    }

    static String run(Ansi style) {
        return style.string(RUN) + options(Settings.ofRun(), style);
    }

    static String serve(Ansi style) {
        return style.string(SERVE) + options(Settings.ofServe(), style);
    }

    private static String options(List<Setting<?>> settings, Ansi style) {
        StringBuilder text = new StringBuilder();
        heading("Options", text);
        settings.forEach(setting -> describe(setting, text));
        line("-h, --help", "This text.", text);
        line("-V, --version", "Which version this is.", text);
        heading("Limits", text);
        Limits.all().forEach(setting -> describe(setting, text));
        text.append('\n').append(CLOSING);
        return style.string(text.toString());
    }

    private static void heading(String title, StringBuilder text) {
        text.append("\n@|bold ").append(title).append(":|@\n");
    }

    private static void describe(Setting<?> setting, StringBuilder text) {
        String preset = setting.presetText() == null ? "" : " [" + setting.presetText() + "]";
        line(setting.flag() + " " + setting.syntax().label(), setting.description() + preset, text);
    }

    private static void line(String option, String description, StringBuilder text) {
        text.append("  ").append(option);
        text.append(" ".repeat(Math.max(1, DESCRIPTION_COLUMN - option.length() - 2)));
        text.append(description).append('\n');
    }
}
