package dev.handoff.process.supervise;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * At which TCP ports a process listens, where the system tells it in files: on Linux. Any thread.
 */
final class ListeningPorts {
    private static final String LISTENS = "0A";
    private static final String SOCKET = "socket:[";

    /** Where the columns of {@code /proc/net/tcp} are, between blanks. */
    private static final int ADDRESS = 1;

    private static final int STATE = 3;
    private static final int INODE = 9;

    private ListeningPorts() {}

    /** Whether the system tells the ports of a process. */
    static boolean areKnown(long pid) {
        return Files.isReadable(Path.of("/proc/" + pid + "/net/tcp"))
                && Files.isReadable(Path.of("/proc/" + pid + "/fd"));
    }

    /** The ports of a process and of all that it has started; none if they are not known. */
    static SortedSet<Integer> of(long pid) {
        SortedSet<Integer> ports = new TreeSet<>();
        ProcessHandle.of(pid)
                .ifPresent(process -> {
                    List<ProcessHandle> all =
                            Stream.concat(Stream.of(process), process.descendants()).toList();
                    Map<String, Integer> byInode = new HashMap<>();
                    addAll(pid, "tcp", byInode);
                    addAll(pid, "tcp6", byInode);
                    if (!byInode.isEmpty()) {
                        all.forEach(each -> addThoseOf(each.pid(), byInode, ports));
                    }
                });
        return ports;
    }

    /** Adds every port that has a listener in the network of a process. */
    private static void addAll(long pid, String protocol, Map<String, Integer> byInode) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/net/" + protocol))) {
            lines.map(line -> line.strip().split("\\s+", -1))
                    .filter(columns -> columns.length > INODE && columns[STATE].equals(LISTENS))
                    .forEach(columns -> {
                        String address = columns[ADDRESS];
                        String port = address.substring(address.indexOf(':') + 1);
                        byInode.put(columns[INODE], Integer.parseInt(port, 16));
                    });
        } catch (IOException | RuntimeException notTold) {
            // No such process, no such file, or a file of some other form.
        }
    }

    private static void addThoseOf(long pid, Map<String, Integer> byInode, SortedSet<Integer> to) {
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
            for (Path file : files) {
                Integer port = byInode.get(inode(file));
                if (port != null) {
                    to.add(port);
                }
            }
        } catch (IOException | RuntimeException notTold) {
            // It has ended, or belongs to another user.
        }
    }

    /** Empty if it is no socket, or is closed by now. */
    private static String inode(Path file) {
        try {
            String target = Files.readSymbolicLink(file).toString();
            return target.startsWith(SOCKET)
                    ? target.substring(SOCKET.length(), target.length() - 1)
                    : "";
        } catch (IOException closed) {
            return "";
        }
    }
}
