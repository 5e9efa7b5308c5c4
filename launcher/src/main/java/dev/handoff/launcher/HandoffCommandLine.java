package dev.handoff.launcher;

import static java.util.stream.Collectors.joining;

import dev.handoff.launcher.config.AdminSettings;
import dev.handoff.launcher.config.AllSettings;
import dev.handoff.launcher.config.ConfigPrinter;
import dev.handoff.launcher.config.Configuration;
import dev.handoff.launcher.config.ConfigurationException;
import dev.handoff.launcher.config.ConfigurationFile;
import dev.handoff.launcher.config.ConfigurationSource;
import dev.handoff.launcher.config.CoreOptions;
import dev.handoff.launcher.config.Debugging;
import dev.handoff.launcher.config.HandlerCommand;
import dev.handoff.launcher.config.Options;
import dev.handoff.launcher.config.PoolPlan;
import dev.handoff.launcher.config.Programs;
import dev.handoff.launcher.config.SearchPath;
import dev.handoff.launcher.config.Setting;
import dev.handoff.launcher.config.Spelling;
import dev.handoff.launcher.config.StartException;
import dev.handoff.launcher.config.UsageException;
import dev.handoff.launcher.config.WorkerUser;
import dev.handoff.launcher.config.Workers;
import dev.handoff.launcher.logging.Console;
import dev.handoff.launcher.logging.LogLines;
import dev.handoff.launcher.moving.Moved;
import dev.handoff.launcher.moving.UnitImport;
import dev.handoff.process.protocol.SafeText;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line of {@code handoff}. The options are made from the {@link Setting settings},
 * which also check the values; picocli finds them among the arguments.
 */
final class HandoffCommandLine {
    private static final String END_OF_OPTIONS = "--";

    /** Only the names: the class with the rest would slow down every start of a server. */
    static final List<String> OPERATOR_COMMANDS =
            List.of("top", "stats", "reset", "drain", "kill", "reload", "scale");

    private final Map<String, String> environment;
    private final List<String> arguments;
    private final CommandLine line;

    HandoffCommandLine(Map<String, String> environment, String... arguments) {
        this.environment = environment;
        this.arguments = List.of(arguments);
        line = command("handoff", List.of(), HelpText::top, this::noCommand);
        addIfNamed("run", this::runCommand);
        addIfNamed("serve", this::serveCommand);
        addIfNamed("config", this::configCommand);
        addIfNamed("check", this::checkCommand);
        addIfNamed("new", this::newCommand);
        addIfNamed("import", this::importCommand);
        OPERATOR_COMMANDS.forEach(name -> addIfNamed(name, () -> operatorCommand(name)));
        line.setExpandAtFiles(false);
        line.setParameterExceptionHandler((failure, _) -> badUsage(failure));
        line.setExecutionExceptionHandler((failure, command, result) -> failed(failure));
    }

    /** Does what the arguments say; returns the exit code when that is done. */
    int execute() {
        return line.execute(arguments.toArray(String[]::new));
    }

    /** What a command does, once its arguments are read. */
    private interface Action {
        int execute(ParseResult arguments)
                throws UsageException, ConfigurationException, StartException;
    }

    private interface Help {
        String text(CommandLine.Help.Ansi style);
    }

    /** Adds only commands that an argument names: to describe all takes a tenth of every start. */
    private void addIfNamed(String name, Supplier<CommandLine> command) {
        if (arguments.contains(name)) {
            line.addSubcommand(name, command.get());
        }
    }

    private static CommandLine command(
            String name, List<Setting<?>> settings, Help help, Action action) {
        CommandSpec[] self = new CommandSpec[1];
        Callable<Integer> task = () -> action.execute(self[0].commandLine().getParseResult());
        CommandSpec spec = CommandSpec.wrapWithoutInspection(task).name(name);
        self[0] = spec;
        addHelpOptions(spec);
        spec.versionProvider(() -> new String[] {Version.full()});
        settings.stream()
                .map(setting ->
                        OptionSpec.builder(setting.flag())
                                .paramLabel(setting.syntax().label())
                                .arity(setting.takesValue() ? "1" : "0")
                                .type(setting.takesValue() ? String.class : Boolean.class)
                                .build())
                .forEach(spec::addOption);
        CommandLine command = new CommandLine(spec);
        command.setHelpSectionKeys(List.of(name));
        command.setHelpSectionMap(Map.of(name, picocli -> help.text(picocli.ansi())));
        return command;
    }

    /** Replaces picocli's own, whose annotations it reads by reflection: a tenth of every start. */
    private static void addHelpOptions(CommandSpec spec) {
        spec.addOption(
                OptionSpec.builder("-h", "--help").usageHelp(true).type(Boolean.class).build());
        spec.addOption(
                OptionSpec.builder("-V", "--version")
                        .versionHelp(true)
                        .type(Boolean.class)
                        .build());
    }

    private static List<Setting<?>> withLimits(List<Setting<?>> settings) {
        return Stream.concat(settings.stream(), AllSettings.limits().stream()).toList();
    }

    private CommandLine operatorCommand(String name) {
        OperatorCommands.Command asked = OperatorCommands.named(name);
        CommandLine command =
                command(
                        name,
                        asked.settings(),
                        style -> HelpText.operator(name, asked.settings(), style),
                        arguments -> asked.action().execute(options(arguments), words(arguments)));
        if (asked.takesNames()) {
            addWords(command, "0..*");
        }
        return command;
    }

    private CommandLine runCommand() {
        CommandLine run = command("run", withLimits(AllSettings.ofRun()), HelpText::run, this::run);
        addWords(run, "0..*");
        return run;
    }

    private CommandLine serveCommand() {
        return command("serve", withLimits(AllSettings.ofServe()), HelpText::serve, this::serve);
    }

    private CommandLine checkCommand() {
        CommandLine check =
                command("check", CheckCommand.SETTINGS, HelpText::check, this::checkWorker);
        addWords(check, "0..*");
        return check;
    }

    private CommandLine newCommand() {
        CommandLine start = command("new", List.of(), HelpText::start, this::startWorker);
        addWords(start, "0..*");
        return start;
    }

    private CommandLine importCommand() {
        CommandLine all = command("import", List.of(), HelpText::moving, this::noImportCommand);
        CommandLine unit = command("unit", List.of(), HelpText::moving, this::importUnit);
        addWords(unit, "0");
        all.addSubcommand("unit", unit);
        return all;
    }

    private CommandLine configCommand() {
        CommandLine config = command("config", List.of(), HelpText::config, this::noConfigCommand);
        CommandLine check = command("check", List.of(), HelpText::config, this::checkConfig);
        CommandLine print =
                command(
                        "print",
                        withLimits(AllSettings.ofServe()),
                        HelpText::config,
                        this::printConfig);
        addWords(check, "0");
        addWords(print, "0");
        config.addSubcommand("check", check);
        config.addSubcommand("print", print);
        return config;
    }

    /** Lets the command take words that are no options. */
    private static void addWords(CommandLine command, String index) {
        command.getCommandSpec()
                .addPositional(
                        PositionalParamSpec.builder()
                                .index(index)
                                .arity(index.equals("0") ? "0..1" : index)
                                .type(String[].class)
                                .build());
    }

    private int noCommand(ParseResult arguments) throws UsageException {
        throw new UsageException("say what to do: 'handoff run FILE', for example");
    }

    private int noConfigCommand(ParseResult arguments) throws UsageException {
        throw new UsageException("say what to do: 'handoff config check FILE', for example");
    }

    private int noImportCommand(ParseResult arguments) throws UsageException {
        throw new UsageException("say of what: 'handoff import unit FILE'");
    }

    private int importUnit(ParseResult arguments) throws UsageException {
        Path file = file(arguments);
        if (file == null) {
            throw new UsageException(
                    "name the file, as 'curl --unix-socket /run/control.unit.sock http://unit/config' writes it: 'handoff import unit FILE'");
        }
        Moved moved = UnitImport.of(file);
        Console.STDOUT.print(moved.json());
        moved.left().forEach(line -> Console.STDERR.print("handoff: " + line));
        return ExitCode.CLEAN;
    }

    private int checkConfig(ParseResult arguments) throws UsageException, ConfigurationException {
        Path file = file(arguments);
        if (file == null) {
            throw new UsageException("name the file: 'handoff config check handoff.json'");
        }
        // Without flags and variables, which are no part of the file.
        Configuration configuration =
                ConfigurationFile.read(file, new Options(Map.of(), Map.of()), environment);
        StringBuilder text = new StringBuilder(file + " is valid");
        for (PoolPlan plan : configuration.pools()) {
            text.append("\n  ").append(plan.summary()).append(": ").append(plan.who());
        }
        configuration.routeSummaries().forEach(route -> text.append("\n  ").append(route));
        Console.STDOUT.print(SafeText.lines(text.toString()));
        return ExitCode.CLEAN;
    }

    private int printConfig(ParseResult arguments) throws UsageException, ConfigurationException {
        Options options = options(arguments);
        Path file = file(arguments);
        Configuration configuration =
                configuration(file == null ? options.find(AllSettings.CONFIG) : file, options);
        Console.STDOUT.print(ConfigPrinter.print(configuration));
        return ExitCode.CLEAN;
    }

    private int run(ParseResult arguments) throws UsageException, StartException {
        Options options = options(arguments);
        boolean debug = options.get(AllSettings.DEBUG);
        if (debug) {
            options = new Options(Debugging.flags(flags(arguments)), environment);
            Debugging.check(options);
        }
        CoreOptions core = checked(options);
        WorkerUser user = WorkerUser.of(options, SearchPath.of(environment));
        boolean http = options.get(AllSettings.HTTP);
        if (options.find(AllSettings.SERVERS) != null) {
            throw new UsageException(
                    "--servers is for servers that are started elsewhere: 'handoff serve --servers ADDRESSES'");
        }
        Workers workers =
                new Workers(
                        handlerCommand("run", arguments, http),
                        options.get(AllSettings.WORKERS),
                        options.find(AllSettings.CONCURRENCY),
                        options.find(AllSettings.APP_PORT),
                        http,
                        user,
                        options.get(AllSettings.STOP_FIRST),
                        Workers.recycling(options),
                        options.get(AllSettings.WATCH),
                        debug,
                        Map.of(),
                        null);
        Configuration configuration =
                Configuration.of(options, core, PoolPlan.only(workers, options));
        return service(configuration, null)
                .run(new FirstStart(!options.get(AllSettings.WATCH) && !debug));
    }

    private int checkWorker(ParseResult arguments) throws UsageException, StartException {
        Options options = options(arguments);
        return options.get(CheckCommand.LIST)
                ? CheckCommand.list()
                : CheckCommand.run(handlerCommand("check", arguments, false), options, environment);
    }

    private int startWorker(ParseResult arguments) throws UsageException, StartException {
        Console.STDOUT.print(NewCommand.run(words(arguments), environment));
        return ExitCode.CLEAN;
    }

    private int serve(ParseResult arguments)
            throws UsageException, ConfigurationException, StartException {
        Options options = options(arguments);
        Path file = options.find(AllSettings.CONFIG);
        Configuration configuration = configuration(file, options);
        chooseLog(configuration.options());
        ConfigurationSource source = file == null ? null : () -> configuration(file, options);
        return service(configuration, source).run(new FirstStart(false));
    }

    private Service service(Configuration configuration, @Nullable ConfigurationSource source)
            throws UsageException, StartException {
        AdminSettings admin = configuration.core().admin();
        Leftovers leftovers = Leftovers.removeAtExit();
        return new Service(
                configuration,
                place(configuration, leftovers),
                source,
                admin == null ? null : admin.readOrMakeToken(),
                environment);
    }

    /**
     * @param file null for none
     */
    private Configuration configuration(@Nullable Path file, Options options)
            throws UsageException, ConfigurationException {
        return file == null
                ? Configuration.of(options, CoreOptions.from(options), PoolPlan.only(null, options))
                : ConfigurationFile.read(file, options, environment);
    }

    private SocketPlace place(Configuration configuration, Leftovers leftovers)
            throws UsageException, StartException {
        Path socket = configuration.options().find(AllSettings.SOCKET);
        Set<WorkerUser> users = configuration.users();
        SocketPlace place;
        if (socket != null) {
            place = SocketPlace.chosen(socket);
        } else if (configuration.isVisited()) {
            place = SocketPlace.ofVisitingWorkers(environment, !users.isEmpty());
        } else {
            place = SocketPlace.ofOurWorkers(leftovers);
        }
        return place.openedTo(users);
    }

    /** Checks the options before anything is searched or created. */
    private static CoreOptions checked(Options options) throws UsageException {
        chooseLog(options);
        return CoreOptions.from(options);
    }

    private static void chooseLog(Options options) throws UsageException {
        LogLines.setLevel(options.get(AllSettings.LOG_LEVEL));
        LogLines.setFormat(options.get(AllSettings.LOG_FORMAT));
    }

    /** The file that the arguments name, or null. */
    private static @Nullable Path file(ParseResult arguments) throws UsageException {
        String[] words = arguments.matchedPositionalValue(0, new String[0]);
        try {
            return words.length == 0 ? null : Path.of(words[0]);
        } catch (InvalidPathException impossible) {
            throw new UsageException("there is no file " + words[0]);
        }
    }

    /** FILE or MODULE:NAME before the "--", with arguments behind it, or a COMMAND behind it. */
    private HandlerCommand handlerCommand(String name, ParseResult arguments, boolean http)
            throws UsageException, StartException {
        List<String> words = words(arguments);
        List<String> behind = behindEndOfOptions(arguments.originalArgs());
        List<String> before = words.subList(0, words.size() - behind.size());
        if (words.isEmpty()) {
            throw new UsageException(
                    "name what to %s: 'handoff %s FILE' or 'handoff %s -- COMMAND'"
                            .formatted(name, name, name));
        }
        if (before.size() > 1) {
            throw new UsageException(
                    "unexpected argument %s; the handler's own come after --: 'handoff %s %s -- %s'"
                            .formatted(before.get(1), name, before.get(0), before.get(1)));
        }
        Programs programs = Programs.of(environment);
        if (http) {
            programs = programs.withoutSdks();
        }
        Path here = Path.of("");
        if (before.isEmpty()) {
            return HandlerCommand.ofCommand(behind, programs);
        }
        String first = words.getFirst();
        boolean isApplication =
                HandlerCommand.namesApplication(first) && !Files.exists(here.resolve(first));
        if (isApplication && http) {
            throw new UsageException(HandlerCommand.needsNoServer(first));
        }
        return isApplication
                ? HandlerCommand.ofApplication(words, programs, here)
                : HandlerCommand.ofFile(words, programs, here);
    }

    /** The arguments that are no options. */
    private static List<String> words(ParseResult arguments) {
        return List.of(arguments.matchedPositionalValue(0, new String[0]));
    }

    private static List<String> behindEndOfOptions(List<String> arguments) {
        int end = arguments.indexOf(END_OF_OPTIONS);
        return end < 0 ? List.of() : arguments.subList(end + 1, arguments.size());
    }

    private Options options(ParseResult arguments) {
        return new Options(flags(arguments), environment);
    }

    private static Map<String, String> flags(ParseResult arguments) {
        Map<String, String> flags = new HashMap<>();
        for (OptionSpec option : arguments.matchedOptions()) {
            Object value = option.getValue();
            flags.put(option.longestName(), String.valueOf(value));
        }
        return flags;
    }

    private static int badUsage(ParameterException failure) {
        CommandSpec command = failure.getCommandLine().getCommandSpec();
        String message =
                failure instanceof UnmatchedArgumentException unmatched
                        ? unmatched(unmatched.getUnmatched().getFirst(), command)
                        : String.valueOf(failure.getMessage());
        Console.STDERR.print(
                "handoff: %s%s; see '%s --help'"
                        .formatted(
                                Character.toLowerCase(message.charAt(0)),
                                message.substring(1),
                                command.qualifiedName()));
        return ExitCode.BAD_USAGE;
    }

    private static String unmatched(String word, CommandSpec command) {
        String hint = OtherServers.hint(word);
        if (hint != null && command.name().equals("run")) {
            return "there is no option " + word + ": " + hint;
        }
        String nearest = Spelling.nearest(word, command.optionsMap().keySet());
        String what = word.startsWith("-") ? "there is no option " : "unexpected argument ";
        return what + word + (nearest == null ? "" : " (did you mean " + nearest + "?)");
    }

    private static int failed(Exception failure) throws Exception {
        return switch (failure) {
            case UsageException usage -> say(usage, ExitCode.BAD_USAGE);
            case ConfigurationException wrong -> say(wrong, ExitCode.BAD_USAGE);
            case StartException start -> say(start, ExitCode.FAILED);
            default -> throw failure;
        };
    }

    private static int say(Exception failure, int exitCode) {
        // It may have text of a file that somebody else has written.
        String message = SafeText.lines(String.valueOf(failure.getMessage()));
        Console.STDERR.print(message.lines().map("handoff: "::concat).collect(joining("\n")));
        return exitCode;
    }
}
