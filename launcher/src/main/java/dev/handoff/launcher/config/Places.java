package dev.handoff.launcher.config;

import dev.handoff.server.forwarding.TrustedProxies;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How files, folders, addresses and networks are written. */
final class Places {
    private Places() {}

    static Syntax<Path> file(String label) {
        return path(label, "the path of a file");
    }

    static Syntax<Path> folder(String label) {
        return path(label, "the path of a folder");
    }

    private static Syntax<Path> path(String label, String expected) {
        return new Syntax<>(label, expected, Places::parsePath, Path::toString)
                .withPaths((path, folder) -> folder.resolve(path));
    }

    static Syntax<List<Path>> files(String label) {
        return new Syntax<>(
                        label,
                        "the path of a file, or several with commas between",
                        Places::parsePaths,
                        all -> all.stream().map(Path::toString).collect(Collectors.joining(",")))
                .withPaths((all, folder) -> all.stream().map(folder::resolve).toList());
    }

    static Syntax<List<ListenAddress>> addresses(String example) {
        return new Syntax<>(
                        "ADDRESSES",
                        "addresses such as " + example,
                        ListenAddress::parseAll,
                        all ->
                                all.stream()
                                        .map(ListenAddress::text)
                                        .collect(Collectors.joining(",")))
                .withPaths((all, folder) -> all.stream().map(each -> each.in(folder)).toList());
    }

    /** Addresses of TCP alone. */
    static Syntax<List<ListenAddress>> ports(String example) {
        Syntax<List<ListenAddress>> any = addresses(example);
        return new Syntax<>(
                any.label(),
                any.expected(),
                text -> {
                    List<ListenAddress> all = any.parser().parse(text);
                    boolean onlyPorts =
                            all != null
                                    && all.stream()
                                            .allMatch(each -> each instanceof ListenAddress.Tcp);
                    return onlyPorts ? all : null;
                },
                any.formatter());
    }

    static Syntax<List<String>> networks() {
        return new Syntax<>(
                "NETWORKS",
                "networks such as 10.0.0.0/8,2001:db8::/32,192.0.2.1,unix",
                Places::parseNetworks,
                networks -> String.join(",", networks));
    }

    private static @Nullable List<Path> parsePaths(String text) {
        List<Path> all = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            Path path = parsePath(each.strip());
            if (path == null) {
                return null;
            }
            all.add(path);
        }
        return all;
    }

    private static @Nullable List<String> parseNetworks(String text) {
        List<String> networks = Stream.of(text.split(",", -1)).map(String::strip).toList();
        try {
            var _ = TrustedProxies.of(networks);
            return networks;
        } catch (IllegalArgumentException notAll) {
            return null;
        }
    }

    private static @Nullable Path parsePath(String text) {
        try {
            return text.isBlank() ? null : Path.of(text);
        } catch (InvalidPathException notOne) {
            return null;
        }
    }
}
