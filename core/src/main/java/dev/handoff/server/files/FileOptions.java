package dev.handoff.server.files;

import dev.handoff.http.Headers;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A folder and how it is served.
 *
 * @param folder whose files are served, by the path of the request behind the route's prefix
 * @param index the name of the file that stands for its folder
 * @param fallback the path of the file, below the folder, that is sent with 200 where there is none
 *     and the last name of the path has no ending; null for 404
 * @param notFound the path of the file that is sent with 404; null for a line of text
 * @param headers which all responses with a file have, and those that say that it has not changed
 * @param types media types by endings such as {@code .txt}, besides the usual ones
 * @param precompressed whether {@code a.js.br}, {@code a.js.zst} and {@code a.js.gz} are sent in
 *     place of {@code a.js} to clients that take them
 */
public record FileOptions(
        Path folder,
        String index,
        @Nullable String fallback,
        @Nullable String notFound,
        Headers headers,
        Map<String, String> types,
        boolean precompressed) {
    public FileOptions {
        types = Map.copyOf(types);
    }

    /** A folder with the usual index, and nothing else. */
    public static FileOptions of(Path folder) {
        return new FileOptions(folder, "index.html", null, null, Headers.EMPTY, Map.of(), false);
    }

    /** Whether text is the path of a file below a folder, such as {@code errors/404.html}. */
    public static boolean isFilePath(String path) {
        FilePath read = FilePath.of("/" + path.replace("%", "%25"), "");
        return read != null && !read.ofFolder() && !read.names().isEmpty() && path.indexOf('?') < 0;
    }
}
