package dev.handoff.launcher.config;

import dev.handoff.http.Headers;
import dev.handoff.server.files.FileOptions;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the folder of a route. */
final class FilesReader {
    static final String FOLDER = "folder";
    static final String INDEX = "index";
    static final String FALLBACK = "fallback";
    static final String POOL = "pool";
    static final String NOT_FOUND = "notFound";
    static final String HEADERS = "headers";
    static final String TYPES = "types";
    static final String PRECOMPRESSED = "precompressed";
    static final List<String> KEYS =
            List.of(FOLDER, INDEX, FALLBACK, NOT_FOUND, HEADERS, TYPES, PRECOMPRESSED);

    static final String ENDING_PATTERN = "^\\.[A-Za-z0-9_+-]+$";
    static final String TYPE_PATTERN = "^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(;[ -~]*)?$";

    /** Fields about the file, which the server knows better. */
    private static final Set<String> OF_SERVER =
            Set.of(
                    "accept-ranges",
                    "content-encoding",
                    "content-length",
                    "content-range",
                    "date",
                    "etag",
                    "last-modified",
                    "location");

    private final Path base;
    private final Complaints complaints;
    private boolean good = true;
    private @Nullable Path folder;
    private String index = "index.html";
    private @Nullable String fallback;
    private @Nullable String otherwise;
    private @Nullable String notFound;
    private Headers headers = Headers.EMPTY;
    private Map<String, String> types = Map.of();
    private boolean precompressed;

    private FilesReader(Path base, Complaints complaints) {
        this.base = base;
        this.complaints = complaints;
    }

    /**
     * The folder, or null, with a complaint, if it is none.
     *
     * @param base where relative paths start
     */
    static Target.@Nullable Files read(JsonNode node, Path base, Complaints complaints) {
        if (!(node instanceof JsonNode.Members members)) {
            complaints.addUnexpected(
                    node, "an object with a folder, such as {\"folder\": \"public\"}");
            return null;
        }
        return new FilesReader(base, complaints).files(members);
    }

    private Target.@Nullable Files files(JsonNode.Members node) {
        node.members()
                .forEach((key, value) -> {
                    switch (key) {
                        case FOLDER -> folder(value);
                        case INDEX -> index = index(value);
                        case FALLBACK -> fallback(value);
                        case NOT_FOUND -> notFound = file(value);
                        case HEADERS -> headers(value);
                        case TYPES -> types = types(value);
                        case PRECOMPRESSED -> precompressed = isTrue(value);
                        default -> {
                            good = false;
                            complaints.addUnknown(value, key, KEYS);
                        }
                    }
                });
        if (!node.members().containsKey(FOLDER)) {
            good = false;
            complaints.add(node.place(), "has no folder");
        }
        JsonNode page = node.members().get(NOT_FOUND);
        if (page != null && otherwise != null) {
            good = false;
            complaints.add(page.place(), "means nothing beside a fallback to a pool: leave it out");
        }
        Path found = folder;
        return good && found != null
                ? new Target.Files(
                        new FileOptions(
                                found, index, fallback, notFound, headers, types, precompressed),
                        otherwise)
                : null;
    }

    private void fallback(JsonNode node) {
        if (node instanceof JsonNode.Members members) {
            JsonNode pool = members.members().get(POOL);
            if (pool instanceof JsonNode.Text name && members.members().size() == 1) {
                otherwise = name.value();
            } else {
                unexpected(node, "a pool alone, as in {\"pool\": \"site\"}");
            }
        } else {
            fallback = file(node);
        }
    }

    private void folder(JsonNode node) {
        String text = text(node, "a folder");
        if (text == null) {
            return;
        }
        try {
            Path found = text.isBlank() ? null : base.resolve(text).normalize();
            if (found != null && Files.isDirectory(found) && Files.isReadable(found)) {
                folder = found;
                return;
            }
        } catch (InvalidPathException impossible) {
            // The complaint below says so.
        }
        good = false;
        complaints.add(
                node.place(), "is " + node.shown() + ": there is no such folder, or none to read");
    }

    private String index(JsonNode node) {
        String text = text(node, "the name of a file");
        if (text != null && (text.indexOf('/') >= 0 || !FileOptions.isFilePath(text))) {
            unexpected(node, "the name of a file, such as index.html");
        }
        return text == null ? index : text;
    }

    private @Nullable String file(JsonNode node) {
        String text = text(node, "the path of a file in the folder");
        if (text != null && !FileOptions.isFilePath(text)) {
            unexpected(node, "the path of a file in the folder, such as errors/404.html");
        }
        return text;
    }

    private void headers(JsonNode node) {
        Map<String, List<String>> read = FieldsReader.read(node, OF_SERVER, Set.of(), complaints);
        good &= read != null;
        if (read == null) {
            return;
        }
        if (read.containsKey("content-type")) {
            good = false;
            complaints.add(node.place(), "has content-type, which types sets by endings");
        }
        Headers.Builder built = new Headers.Builder();
        new TreeMap<>(read)
                .forEach((name, values) -> values.forEach(value -> built.add(name, value)));
        headers = built.build();
    }

    private Map<String, String> types(JsonNode node) {
        Map<String, String> read = new LinkedHashMap<>();
        if (!(node instanceof JsonNode.Members members)) {
            unexpected(node, "an object with a media type for each ending");
            return read;
        }
        members.members()
                .forEach((ending, value) -> {
                    String type = text(value, "a media type such as text/plain");
                    if (!ending.matches(ENDING_PATTERN)) {
                        good = false;
                        complaints.add(value.place(), "is for no ending such as .txt");
                    } else if (type != null && !type.matches(TYPE_PATTERN)) {
                        unexpected(value, "a media type such as text/plain");
                    } else if (type != null) {
                        read.put(ending, type);
                    }
                });
        return read;
    }

    private boolean isTrue(JsonNode node) {
        String word = node instanceof JsonNode.Word given ? given.literal() : "";
        if (!word.equals("true") && !word.equals("false")) {
            unexpected(node, "true or false");
        }
        return word.equals("true");
    }

    private @Nullable String text(JsonNode node, String expected) {
        if (node instanceof JsonNode.Text text) {
            return text.value();
        }
        unexpected(node, expected);
        return null;
    }

    private void unexpected(JsonNode node, String expected) {
        good = false;
        complaints.addUnexpected(node, expected);
    }
}
