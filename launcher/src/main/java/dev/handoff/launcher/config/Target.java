package dev.handoff.launcher.config;

import dev.handoff.server.files.FileOptions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a route of the top level leads to: all but a single pool, which has routes of its own. */
public sealed interface Target {
    /** As the start and {@code config check} show it. */
    String summary();

    /**
     * The files of a folder.
     *
     * @param otherwise the pool that gets what there is no file for; null for none
     */
    record Files(FileOptions options, @Nullable String otherwise) implements Target {
        @Override
        public String summary() {
            return "files of "
                    + options.folder()
                    + (otherwise == null ? "" : ", else pool " + otherwise);
        }
    }

    /**
     * Several pools, each request to one of them.
     *
     * @param names of the pools
     */
    record Pools(List<String> names) implements Target {
        public Pools {
            names = List.copyOf(names);
        }

        @Override
        public String summary() {
            return "the pools " + String.join(", ", names);
        }
    }

    /**
     * The same response for every request.
     *
     * @param location the value of the field, null for none
     * @param headers the other fields, by their names in lower-case
     * @param body the content, as text
     */
    record Respond(
            int status, @Nullable String location, Map<String, List<String>> headers, String body)
            implements Target {
        public Respond {
            headers = Map.copyOf(headers);
        }

        /** In the order in which they are sent. */
        public Map<String, List<String>> sortedHeaders() {
            return new TreeMap<>(headers);
        }

        @Override
        public String summary() {
            return location == null ? Integer.toString(status) : status + " to " + location;
        }
    }
}
