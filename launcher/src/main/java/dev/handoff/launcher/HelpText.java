package dev.handoff.launcher;

import dev.handoff.launcher.config.AllSettings;
import dev.handoff.launcher.config.Setting;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Help.Ansi;

/** What {@code --help} prints. Headings are bold on a terminal. */
final class HelpText {
    private static final int DESCRIPTION_COLUMN = 31;

    private static final String TOP =
            """
            @|bold Handoff|@ serves HTTP and hands each request to workers in any language.

            @|bold Usage:|@
              handoff run [OPTIONS] FILE [-- ARGUMENT...]
              handoff run [OPTIONS] MODULE:NAME [-- OPTION...]
              handoff run [OPTIONS] -- COMMAND [ARGUMENT...]
              handoff serve [OPTIONS] [--config FILE]
              handoff config check FILE
              handoff check [OPTIONS] FILE
              handoff new LANGUAGE [FOLDER]
              handoff import unit FILE
              handoff top | stats | reset
              handoff drain | kill | reload | scale

              run      start workers for one handler and serve it
              serve    serve several pools, or workers that are started elsewhere
              config   check a configuration file, or show what is in effect
              check    try a worker: whether it keeps the rules of the worker protocol
              new      write the start of a worker in another language
              import   make a configuration file of another server's
              top      watch a running server in the terminal
              stats    print what a running server has counted
              reset    begin a new window of these counts
              drain    have a worker, or the whole server, finish what it holds and end
              kill     end a worker at once
              reload   replace the workers by new ones, of one pool or as a new configuration says
              scale    change how many workers a pool has

            @|bold Examples:|@
              handoff run hello.py
              handoff run hello.py --port 3000 --workers 2
              handoff run --port 3000 -- node app.mjs --verbose

            'handoff run --help' lists the options.
            """;

    private static final String RUN =
            """
            Starts workers for one handler and serves it: a Python, Node, Ruby, PHP, Perl or shell file,
            a Python application by its module (ASGI, WSGI or a plain function), a program, or, after --,
            any command. Behind a file, -- begins the handler's own arguments.

            @|bold Usage:|@
              handoff run [OPTIONS] FILE [-- ARGUMENT...]
              handoff run [OPTIONS] MODULE:NAME [-- --factory --threads N]
              handoff run [OPTIONS] -- COMMAND [ARGUMENT...]

            @|bold Examples:|@
              handoff run hello.py --port 3000 --workers 2
              handoff run main:app --workers 4
              handoff run hello.py -- --greeting hi
              handoff run -- node app.mjs --verbose
            """;

    private static final String SERVE =
            """
            Serves the pools of a configuration file; without one, with workers that are started
            elsewhere, such as in containers of their own, and connect to the socket by themselves.

            @|bold Usage:|@
              handoff serve [OPTIONS] [--config FILE]

            @|bold Examples:|@
              handoff serve --config handoff.json
              handoff serve --socket /tmp/handoff.sock
              HANDOFF_SOCKET=/tmp/handoff.sock python3 hello.py
            """;

    private static final String CLOSING =
            """
            Each option has an environment variable, HANDOFF_MAX_BODY for --max-body, and a key in a
            configuration file, maxBody. The option wins over the variable, and that over the file.
            A listening socket that comes as standard input, or from systemd, takes the place of --host
            and --port. Ctrl-C or SIGTERM finishes the requests in hand and stops; a second one stops at
            once. SIGHUP reads the configuration file again and replaces the workers by new ones, without
            losing a request; SIGUSR1 lists the requests in hand.

            @|bold Exit codes:|@
              0  stopped, with every request in hand answered
              1  could not start, or requests were cut off
              2  bad usage: an option, a variable or a file
              3  Java's heap was exhausted
              4  run without --watch: no worker has become ready at the first start
            """;

    private static final Map<String, String> OPERATOR =
            Map.of(
                    "top",
                    """
                    Watches a running server: its traffic, pools, workers and the oldest requests in hand.

                    @|bold Usage:|@
                      handoff top [OPTIONS]

                    Keys: q quits, s sorts the workers by something else, p pauses, r resets the window.
                    """,
                    "stats",
                    """
                    Prints what a running server has counted since its start, or since the last reset.

                    @|bold Usage:|@
                      handoff stats [OPTIONS]
                    """,
                    "reset",
                    """
                    Begins a new window of what a running server counts, and prints the one that this ends. The
                    counters for Prometheus go on.

                    @|bold Usage:|@
                      handoff reset [OPTIONS]
                    """,
                    "drain",
                    """
                    Has a worker of a running server finish its requests and leave. A process that the server
                    started is replaced by a new one first. Without a name it ends the whole server, as
                    SIGTERM does.

                    @|bold Usage:|@
                      handoff drain [OPTIONS] [WORKER]
                    """,
                    "kill",
                    """
                    Ends a worker of a running server at once. The requests that it holds get 502, and its
                    process is started again.

                    @|bold Usage:|@
                      handoff kill [OPTIONS] WORKER
                    """,
                    "reload",
                    """
                    Replaces the workers of a pool of a running server by new ones, without losing a request.
                    Without a name it reads the configuration file again and replaces all of them, as SIGHUP
                    does.

                    @|bold Usage:|@
                      handoff reload [OPTIONS] [POOL]
                    """,
                    "scale",
                    """
                    Starts or ends workers of a running server until a pool has N of them.

                    @|bold Usage:|@
                      handoff scale [OPTIONS] POOL N
                    """);

    private static final String OPERATOR_CLOSING =
            """

            @|bold Exit codes:|@
              0  the server does what it was told
              1  it did not answer, refused or failed; the message says why
              2  bad usage
            """;

    private static final String CONFIG =
            """
            Reads a configuration file as 'handoff serve --config FILE' does.

            @|bold Usage:|@
              handoff config check FILE
              handoff config print [OPTIONS] [FILE]

              check    say what is wrong with the file, or which pools and routes it has
              print    print what is in effect, as JSON, with where each value comes from;
                       the values of variables are left out, since they may be secret

            @|bold Exit codes:|@
              0  the file is valid
              2  it is not: each complaint names the key and what was expected
            """;

    private static final String CHECK =
            """
            Plays the core to a worker, and says which rules of the worker protocol it breaks: case by
            case, with what was sent, what came, and the section of docs/PROTOCOL.md. Needs no server.

            @|bold Usage:|@
              handoff check [OPTIONS] FILE [-- ARGUMENT...]
              handoff check [OPTIONS] -- COMMAND [ARGUMENT...]

            @|bold Examples:|@
              handoff check hello.py
              handoff check --echo / -- ./worker --fast
              handoff check --only ping,drain-exit --json -- ./worker
            """;

    private static final String CHECK_CLOSING =
            """

            @|bold Exit codes:|@
              0  the worker keeps all rules that were tried; it may have warnings
              1  it breaks one
              2  bad usage
              4  it never connected
            """;

    private static final String NEW =
            """
            Writes the start of a worker into a new folder: a whole worker in one file, its README and a
            Dockerfile. It keeps the rules of 'handoff check' as it is. Python and Node need no start: their
            SDKs serve a function or an application.

            @|bold Usage:|@
              handoff new LANGUAGE [FOLDER]

            @|bold Examples:|@
              handoff new ruby
              handoff new go hello

            Without a language it names those that there are. docs/LANGUAGES.md compares them.

            @|bold Exit codes:|@
              0  the folder is there
              1  it could not be written
              2  bad usage: there is no such language, or the folder exists
            """;

    private static final String IMPORT =
            """
            Prints a handoff.json made of a configuration of NGINX Unit, and says on standard error what
            has no answer here, or another meaning. docs/FROM-UNIT.md has the whole of it.

            @|bold Usage:|@
              handoff import unit FILE

            @|bold Examples:|@
              curl --unix-socket /run/control.unit.sock http://unit/config > unit.json
              handoff import unit unit.json > handoff.json
              handoff config check handoff.json

            @|bold Exit codes:|@
              0  it is printed
              2  bad usage: there is no such file, or it is none of Unit's
            """;

    private HelpText() {}

    /** Of {@code handoff import}. */
    static String moving(Ansi style) {
        return style.string(IMPORT);
    }

    /** Of {@code handoff new}. */
    static String start(Ansi style) {
        return style.string(NEW);
    }

    static String check(Ansi style) {
        StringBuilder text = new StringBuilder(CHECK);
        options(CheckCommand.SETTINGS, text);
        return style.string(text.append(CHECK_CLOSING).toString());
    }

    static String config(Ansi style) {
        return style.string(CONFIG);
    }

    static String top(Ansi style) {
        return style.string(TOP);
    }

    static String run(Ansi style) {
        return style.string(RUN) + options(AllSettings.ofRun(), style);
    }

    static String serve(Ansi style) {
        return style.string(SERVE) + options(AllSettings.ofServe(), style);
    }

    /** The help of a command that asks a running server. */
    static String operator(String command, List<Setting<?>> settings, Ansi style) {
        StringBuilder text = new StringBuilder(OPERATOR.getOrDefault(command, ""));
        options(settings, text);
        return style.string(text.append(OPERATOR_CLOSING).toString());
    }

    private static void options(List<Setting<?>> settings, StringBuilder text) {
        heading("Options", text);
        settings.forEach(setting -> describe(setting, text));
        line("-h, --help", "Print this help.", text);
        line("-V, --version", "Print the version.", text);
    }

    private static String options(List<Setting<?>> settings, Ansi style) {
        StringBuilder text = new StringBuilder();
        options(settings, text);
        heading("Limits", text);
        AllSettings.limits().forEach(setting -> describe(setting, text));
        text.append('\n').append(CLOSING);
        return style.string(text.toString());
    }

    private static void heading(String title, StringBuilder text) {
        text.append("\n@|bold ").append(title).append(":|@\n");
    }

    private static void describe(Setting<?> setting, StringBuilder text) {
        String preset = setting.presetText() == null ? "" : " [" + setting.presetText() + "]";
        String value = setting.takesValue() ? " " + setting.syntax().label() : "";
        line(setting.flag() + value, setting.description() + preset, text);
    }

    private static void line(String option, String description, StringBuilder text) {
        text.append("  ").append(option);
        text.append(" ".repeat(Math.max(1, DESCRIPTION_COLUMN - option.length() - 2)));
        text.append(description).append('\n');
    }
}
