package dev.handoff.server.files;

import dev.handoff.http.SpareArrays;
import dev.handoff.server.SharedArrays;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A folder that is served, and what its requests share. Any thread.
 *
 * @param fallback the path of the file that is sent in place of none; null for none
 * @param notFound the path of the page for 404; null for none
 */
record ServedFiles(
        FileOptions options,
        Folder folder,
        MediaTypes types,
        @Nullable List<String> fallback,
        @Nullable List<String> notFound,
        FileThreads threads,
        SpareArrays arrays,
        InstantSource clock) {
    /**
     * @throws IllegalArgumentException if a path in the options is not one below a folder
     */
    static ServedFiles of(FileOptions options, FileThreads threads, InstantSource clock) {
        return new ServedFiles(
                options,
                new Folder(options.folder()),
                new MediaTypes(options.types()),
                names(options.fallback()),
                names(options.notFound()),
                threads,
                new SharedArrays(),
                clock);
    }

    private static @Nullable List<String> names(@Nullable String path) {
        if (path == null) {
            return null;
        }
        if (!FileOptions.isFilePath(path)) {
            throw new IllegalArgumentException("not the path of a file below a folder: " + path);
        }
        return List.of(path.split("/", -1));
    }
}
