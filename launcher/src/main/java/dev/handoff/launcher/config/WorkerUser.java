package dev.handoff.launcher.config;

import dev.handoff.process.join.WorkerAccount;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The user that workers run as in place of the server's, so that a handler can neither read the
 * server's files nor signal it.
 *
 * @param group the number of the first group of its processes, by which they reach the worker
 *     socket
 * @param home its home folder
 * @param account whose its processes are for the worker socket
 * @param setpriv the program that changes the user
 */
public record WorkerUser(
        String name, String group, String home, WorkerAccount account, String setpriv) {
    private static final String ROOT = "0";

    /** The fields of a line of {@code /etc/passwd}. */
    private static final int USER_FIELD = 2;

    private static final int GROUP_FIELD = 3;
    private static final int HOME_FIELD = 5;
    private static final int FIELDS = 7;

    /** The fields of a line of {@code /etc/group}. */
    private static final int NUMBER_OF_GROUP_FIELD = 2;

    private static final int GROUP_FIELDS = 4;

    /** What the variables of a pool are called until the user has changed. */
    private static final String LATER = "HANDOFF_LATER_";

    /**
     * Goes to the folder that comes first, unless it is empty; sets the variables whose number and
     * names come next, and runs what comes behind them.
     */
    private static final String ONCE_CHANGED =
            """
            if [ -n "$1" ] && ! cd -P -- "$1"; then
                echo "user '$(id -un)' cannot go to $1, where its workers start" >&2
                exit 1
            fi
            shift
            left=$1
            shift
            while [ "$left" -gt 0 ]; do
                eval "export $1=\\"\\$%1$s$1\\"; unset %1$s$1"
                left=$((left - 1))
                shift
            done
            unset left
            exec "$@"
            """
                    .formatted(LATER);

    /** Others mean nothing to the shell, nor to what loads programs. */
    private static final Pattern NAME_OF_A_VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** Says which folder on the way to a socket lets the user put another in its place. */
    private static final String FIND_OPEN_FOLDER =
            """
            below=$1
            while :; do
                folder=${below%/*}
                folder=${folder:-/}
                if [ -O "$folder" ] || { [ -w "$folder" ] && { [ ! -k "$folder" ] || [ -O "$below" ]; }; }; then
                    printf %s "$folder"
                    exit
                fi
                [ "$folder" = / ] && exit
                below=$folder
            done
            """;

    /**
     * As the settings say; null where they name no user.
     *
     * @throws StartException if there is no such user or group, or the server cannot run as it; the
     *     message names it
     */
    public static @Nullable WorkerUser of(Options options, SearchPath path)
            throws StartException, UsageException {
        String user = options.find(AllSettings.USER);
        String group = options.find(AllSettings.GROUP);
        if (user == null) {
            if (group != null) {
                throw new StartException(
                        "--group %s needs a user for the workers (--user)".formatted(group));
            }
            return null;
        }
        return find(user, group, path);
    }

    private static WorkerUser find(String name, @Nullable String groupName, SearchPath path)
            throws StartException {
        String setpriv = require("setpriv", path);
        require("getent", path);
        require("id", path);
        if (!output(setpriv, "--help").contains("--reuid")) {
            throw new StartException(
                    "--user needs the setpriv of util-linux, and the one on the PATH is BusyBox's:"
                            + " install util-linux (Alpine: apk add setpriv)");
        }
        String[] entry = entry(name);
        if (entry.length != FIELDS) {
            throw new StartException("there is no user '%s' (--user)".formatted(name));
        }
        String number = entry[USER_FIELD];
        String group = groupName == null ? entry[GROUP_FIELD] : groupNumber(groupName);
        String own = output("id", "-u");
        if (own.equals(number)) {
            if (!output("id", "-g").equals(group)) {
                throw new StartException(
                        "--group %s needs another user than the server's own".formatted(groupName));
            }
            return new WorkerUser(
                    entry[0], group, entry[HOME_FIELD], WorkerAccount.Own.OWN, setpriv);
        }
        if (!own.equals(ROOT)) {
            throw new StartException(
                    "only root can start workers as another user (--user %s), and this is user %s"
                            .formatted(name, own));
        }
        // A number may have several names, of which the system tells the first.
        WorkerAccount account = new WorkerAccount.Other(entry(number)[0], fileGroup(group));
        return new WorkerUser(entry[0], group, entry[HOME_FIELD], account, setpriv);
    }

    /** Where a program is. */
    private static String require(String program, SearchPath path) throws StartException {
        Path found = path.find(program);
        if (found == null) {
            throw new StartException(
                    "--user needs the program '%s', which is not on the PATH".formatted(program));
        }
        return found.toString();
    }

    private static String groupNumber(String name) throws StartException {
        String[] entry = output("getent", "group", "--", name).split(":", -1);
        if (entry.length != GROUP_FIELDS) {
            throw new StartException("there is no group '%s' (--group)".formatted(name));
        }
        return entry[NUMBER_OF_GROUP_FIELD];
    }

    /** A group as files have it. */
    private static GroupPrincipal fileGroup(String number) throws StartException {
        try {
            return FileSystems.getDefault()
                    .getUserPrincipalLookupService()
                    .lookupPrincipalByGroupName(number);
        } catch (IOException failure) {
            throw new StartException(
                    "there is no group %s (--user): %s".formatted(number, failure), failure);
        }
    }

    /** The fields of a line of {@code /etc/passwd}; an empty one if there is none. */
    private static String[] entry(String nameOrNumber) throws StartException {
        // Behind "--", so that no name is an option.
        return output("getent", "passwd", "--", nameOrNumber).split(":", -1);
    }

    /**
     * The command that runs {@code arguments} as this user, to end with the server like others.
     *
     * <p>The variables of the pool are set when the user has changed. What changes it is root's,
     * and such variables as {@code LD_PRELOAD} may name files that the user may write. The folder
     * is entered then, too: the user may have put a link there, to where it cannot go itself.
     *
     * @param folder where the command starts, from the root; null for where the server was started
     * @param ofPool the names of those variables
     * @param environment of the command, where they get other names
     */
    List<String> command(
            List<String> arguments,
            @Nullable Path folder,
            Set<String> ofPool,
            Map<String, String> environment) {
        List<String> later =
                ofPool.stream()
                        .filter(each -> NAME_OF_A_VARIABLE.matcher(each).matches())
                        .sorted()
                        .toList();
        if (folder == null && later.isEmpty()) {
            return as(arguments);
        }
        List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", ONCE_CHANGED, "sh"));
        words.add(folder == null ? "" : folder.toString());
        words.add(String.valueOf(later.size()));
        for (String each : later) {
            environment.put(LATER + each, String.valueOf(environment.remove(each)));
            words.add(each);
        }
        words.addAll(arguments);
        return as(words);
    }

    private List<String> as(List<String> arguments) {
        // A change of user takes the death signal away, so it is asked for once more.
        List<String> command = new ArrayList<>(List.of(setpriv, "--reuid", name));
        command.addAll(List.of("--regid", group, "--init-groups", "--pdeathsig", "KILL", "--"));
        command.addAll(arguments);
        return command;
    }

    /** The variables that a login would set. */
    Map<String, String> environment() {
        return isOurs() ? Map.of() : Map.of("HOME", home, "USER", name, "LOGNAME", name);
    }

    /** As the system names the user of its processes; null if it is the server's own. */
    @Nullable String processUser() {
        return account instanceof WorkerAccount.Other(String user, GroupPrincipal itsGroup)
                ? user
                : null;
    }

    /** Whether the server runs as that user already. */
    public boolean isOurs() {
        return account instanceof WorkerAccount.Own;
    }

    /** Whether it may pass through a folder, and all above it. */
    public boolean reaches(Path folder) throws StartException {
        try {
            if (FolderRights.letAllPass(folder)) {
                return true;
            }
        } catch (IOException failure) {
            throw cannotLookAt(folder, failure);
        }
        return !output(as(List.of("sh", "-c", "cd -- \"$0\" && echo x", "" + folder))).isEmpty();
    }

    /** A folder that lets it put another file in the place of this one; null if none does. */
    public @Nullable String replaces(Path file) throws StartException {
        try {
            if (FolderRights.letNobodyReplace(file)) {
                return null;
            }
        } catch (IOException failure) {
            throw cannotLookAt(file, failure);
        }
        String found = output(as(List.of("sh", "-c", FIND_OPEN_FOLDER, "sh", "" + file)));
        return found.isEmpty() ? null : found;
    }

    private static StartException cannotLookAt(Path file, IOException failure) {
        return new StartException(
                "cannot find out who may go to %s (--user): %s".formatted(file, failure), failure);
    }

    private static String output(String... command) throws StartException {
        return output(List.of(command));
    }

    /** What a program prints, without the end of the line; empty if it cannot say. */
    private static String output(List<String> command) throws StartException {
        try {
            return ShortProgram.output(command);
        } catch (IOException failure) {
            throw new StartException(
                    "cannot run '%s' (--user): %s"
                            .formatted(String.join(" ", command), failure.getMessage()),
                    failure);
        }
    }
}
