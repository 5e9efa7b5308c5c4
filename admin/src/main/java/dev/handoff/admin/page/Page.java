package dev.handoff.admin.page;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.handoff.admin.api.Endpoint;
import java.util.List;

/** The files of the dashboard: {@code /} and what is below {@code /page/}. */
public final class Page {
    /** Listed here, since a jar cannot be listed as a folder can. */
    static final List<String> FILES =
            List.of(
                    "api.js",
                    "app.js",
                    "attention.js",
                    "certificates.js",
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
                    "retiring.js",
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
    private static final String DOCUMENT = "index.html";

    private Page() {}

    /**
     * An endpoint for each file, open to everybody: the page asks for the token, and shows nothing
     * without it.
     */
    public static List<Endpoint> endpoints() {
        return FILES.stream().map(Page::endpoint).toList();
    }

    private static Endpoint endpoint(String name) {
        LazyPageFile file = new LazyPageFile(name);
        String path = name.equals(DOCUMENT) ? "/" : FOLDER + name;
        return Endpoint.get(path, call -> completedFuture(file.read().answer(call.request())))
                .open();
    }
}
