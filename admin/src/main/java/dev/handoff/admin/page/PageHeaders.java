package dev.handoff.admin.page;

import dev.handoff.http.Headers;
import java.util.Map;

/** The header fields of the page's files: the type, and what a browser must not do. */
final class PageHeaders {
    /**
     * The page loads its own files and asks its own server, nothing else. Nothing written into it
     * runs, it is not shown inside another page, and no script of it may turn text into markup.
     */
    private static final String POLICY =
            String.join(
                    "; ",
                    "default-src 'none'",
                    "script-src 'self'",
                    "style-src 'self'",
                    "img-src 'self'",
                    "connect-src 'self'",
                    "base-uri 'none'",
                    "form-action 'none'",
                    "frame-ancestors 'none'",
                    "require-trusted-types-for 'script'",
                    "trusted-types 'none'");

    private static final Map<String, String> TYPES =
            Map.of(
                    "html", "text/html; charset=utf-8",
                    "css", "text/css; charset=utf-8",
                    "js", "text/javascript; charset=utf-8",
                    "svg", "image/svg+xml");

    private PageHeaders() {}

    /**
     * A browser may keep a file but asks each time whether it has changed, so that a page never
     * mixes the files of two versions.
     */
    static Headers of(String name, String tag) {
        return Headers.of(
                "content-type",
                type(name),
                "etag",
                tag,
                "cache-control",
                "no-cache",
                "content-security-policy",
                POLICY,
                "referrer-policy",
                "no-referrer",
                "cross-origin-opener-policy",
                "same-origin");
    }

    private static String type(String name) {
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        if (type == null) {
            throw new IllegalStateException("no content type for " + name);
        }
        return type;
    }
}
