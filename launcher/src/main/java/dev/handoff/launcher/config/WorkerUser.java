package dev.handoff.launcher.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.attribute.GroupPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The user that workers run as in place of the server's, so that a handler can neither read the
 * server's files nor signal it.
 *
 * @param group the number of its own group, in which the worker socket has to be
 * @param home its home folder
 * @param isOurs whether the server runs as that user already
 */
public record WorkerUser(String name, String group, String home, boolean isOurs) {
    private static final String ROOT = "0";

    /** The fields of a line of {@code /etc/passwd}. */
    private static final int USER_FIELD = 2;

    private static final int GROUP_FIELD = 3;
    private static final int HOME_FIELD = 5;
    private static final int FIELDS = 7;

    public static WorkerUser find(String name, SearchPath path) throws StartException {
        for (String program : List.of("setpriv", "getent", "id")) {
            if (!path.has(program)) {
                throw new StartException(
                        "--user needs the program '%s', which is not on the PATH"
                                .formatted(program));
            }
        }
        if (!output("setpriv", "--help").contains("--reuid")) {
            throw new StartException(
                    "--user needs the setpriv of util-linux, and the one on the PATH is BusyBox's:"
                            + " install util-linux (Alpine: apk add setpriv)");
        }
        // Behind "--", so that no name is an option.
        String[] entry = output("getent", "passwd", "--", name).split(":", -1);
        if (entry.length != FIELDS) {
            throw new StartException("there is no user '%s' (--user)".formatted(name));
        }
        String own = output("id", "-u");
        boolean isOurs = own.equals(entry[USER_FIELD]);
        if (!own.equals(ROOT) && !isOurs) {
            throw new StartException(
                    "only root can start workers as another user (--user %s), and this is user %s"
                            .formatted(name, own));
        }
        return new WorkerUser(entry[0], entry[GROUP_FIELD], entry[HOME_FIELD], isOurs);
    }

    /** The command that runs {@code arguments} as this user, to end with the server like others. */
    List<String> command(List<String> arguments) {
        if (isOurs) {
            return arguments;
        }
        // A change of user takes the death signal away, so it is asked for once more.
        List<String> command = new ArrayList<>(List.of("setpriv", "--reuid", name));
        command.addAll(List.of("--regid", group, "--init-groups", "--pdeathsig", "KILL", "--"));
        command.addAll(arguments);
        return command;
    }

    /** The variables that a login would set. */
    Map<String, String> environment() {
        return isOurs ? Map.of() : Map.of("HOME", home, "USER", name, "LOGNAME", name);
    }

    /** Its own group, as files have it. */
    public GroupPrincipal fileGroup() throws IOException {
        return FileSystems.getDefault()
                .getUserPrincipalLookupService()
                .lookupPrincipalByGroupName(group);
    }

    /** What a program prints, without the end of the line; empty if it cannot say. */
    private static String output(String... command) throws StartException {
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            process.getOutputStream().close();
            byte[] output = process.getInputStream().readAllBytes();
            return new String(output, StandardCharsets.UTF_8).strip();
        } catch (IOException failure) {
            throw new StartException(
                    "cannot run '%s' (--user): %s"
                            .formatted(String.join(" ", command), failure.getMessage()),
                    failure);
        }
    }
}
