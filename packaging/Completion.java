import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.Map;
import picocli.AutoComplete;
import picocli.CommandLine;

/**
 * Prints the completion of {@code handoff} for bash: {@code java -cp 'lib/*' Completion.java}
 *
 * <p>The command line describes only commands that an argument names, since a start has no time for
 * the others: here all are named. It is no API of the launcher, so this reaches into it.
 */
final class Completion {
    private static final String[] COMMANDS = {
        "run", "serve", "config", "check", "new", "import", "top", "stats", "reset", "drain", "kill", "reload", "scale"
    };

    private Completion() {}

    public static void main(String[] arguments) throws ReflectiveOperationException {
        Class<?> type = Class.forName("dev.handoff.launcher.HandoffCommandLine");
        Constructor<?> make = type.getDeclaredConstructor(Map.class, String[].class);
        make.setAccessible(true);
        Field line = type.getDeclaredField("line");
        line.setAccessible(true);
        Object made = make.newInstance(Map.of(), COMMANDS);
        System.out.print(AutoComplete.bash("handoff", (CommandLine) line.get(made)));
    }
}
