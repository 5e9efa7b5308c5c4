package dev.handoff.admin.page;

import dev.handoff.http.Request;
import dev.handoff.http.Response;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files of the dashboard, in memory from the start: {@code /} and what is below {@code /page/}.
 * Immutable, for any thread.
 */
public final class Page {
    /** Named one by one, since a jar has no listing that is the same as that of a folder. */
    static final List<String> FILES =
            List.of(
                    "api.js",
                    "app.js",
                    "attention.js",
                    "chart.js",
                    "dialogs.js",
                    "dom.js",
                    "format.js",
                    "gauge.js",
                    "history.js",
                    "icon.svg",
                    "index.html",
                    "loops.js",
                    "notices.js",
                    "operations.js",
                    "order.js",
                    "overview.js",
                    "polling.js",
                    "pools.js",
                    "requests.js",
                    "rows.js",
                    "scale.js",
                    "status.js",
                    "summary.js",
                    "theme.js",
                    "troubles.js",
                    "urgency.js",
                    "window.js",
                    "workers.js",
                    "style/base.css",
                    "style/charts.css",
                    "style/columns.css",
                    "style/frame.css",
                    "style/narrow.css",
                    "style/tables.css",
                    "uplot/uPlot.iife.min.js",
                    "uplot/uPlot.min.css");

    private static final String FOLDER = "/page/";

    private final Map<String, PageFile> files;

    private Page(Map<String, PageFile> files) {
        this.files = files;
    }

    /**
     * Reads all files.
     *
     * @throws IllegalStateException if the application was built without one of them
     */
    public static Page load() {
        Map<String, PageFile> files = LinkedHashMap.newLinkedHashMap(FILES.size());
        FILES.forEach(name -> files.put(FOLDER + name, PageFile.read(name)));
        files.put("/", files.remove(FOLDER + "index.html"));
        return new Page(Map.copyOf(files));
    }

    public boolean has(String path) {
        return files.containsKey(path);
    }

    /**
     * @param path of the request's target, without its query
     * @param request to be a GET or HEAD
     * @return 200 or 304, or null where the page has no such file
     */
    public @Nullable Response answer(String path, Request request) {
        PageFile file = files.get(path);
        return file == null
                ? null
                : file.answer(String.join(",", request.headers().all("if-none-match")));
    }
}
