package dev.handoff.process.supervise;

import dev.handoff.loop.SocketTable;
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
    private static final String SOCKET = "socket:[";

    private ListeningPorts() {}

    /** Whether the system tells the ports of a process. */
    static boolean areKnown(long pid) {
        return Files.isReadable(Path.of("/proc/" + pid + "/net/tcp"))
                && Files.isReadable(Path.of("/proc/" + pid + "/fd"));
    }

    /** The ports of a process and of all that it has started; none if they are not known. */
    static SortedSet<Integer> of(long pid) {
        SortedSet<Integer> ports = new TreeSet<>();
        Map<String, Integer> byInode = listeners(pid);
        if (!byInode.isEmpty()) {
            withDescendants(pid).forEach(each -> addThoseOf(each, byInode, ports));
        }
        return ports;
    }

    private static List<Long> withDescendants(long pid) {
        try {
            return ProcessHandle.of(pid).stream()
                    .flatMap(each -> Stream.concat(Stream.of(each), each.descendants()))
                    .map(ProcessHandle::pid)
                    .toList();
        } catch (RuntimeException noDescriptor) {
            // So the JDK says that it cannot open /proc.
            return List.of();
        }
    }

    /** The port of each listener in the network of a process. */
    private static Map<String, Integer> listeners(long pid) {
        Map<String, Integer> byInode = new HashMap<>();
        try {
            SocketTable.ofProcess(String.valueOf(pid))
                    .forEach(row -> {
                        if (row.listens()) {
                            byInode.put(row.inode(), row.localPort());
                        }
                    });
        } catch (IOException notTold) {
            // The process has ended.
        }
        return byInode;
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
