package dev.handoff.admin.page;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** One file of the page, read once, with the headers that go with it. Immutable. */
final class PageFile {
    /** Enough of the digest to tell two versions of a file apart. */
    private static final int TAG_BYTES = 12;

    private final String tag;
    private final Response whole;
    private final Response unchanged;

    private PageFile(String tag, Headers headers, Body content) {
        this.tag = tag;
        whole = Response.of(200, headers, content);
        unchanged = Response.of(304, headers, Body.EMPTY);
    }

    /**
     * @param name of the resource, relative to this package
     * @throws IllegalStateException if the application was built without it
     */
    static PageFile read(String name) {
        byte[] content = content(name);
        String tag = '"' + HexFormat.of().formatHex(digest(content), 0, TAG_BYTES) + '"';
        return new PageFile(tag, PageHeaders.of(name, tag), Body.of(content));
    }

    /** Responds with 304 if the client has this version already (RFC 9110 section 13.1.2). */
    Response answer(Request request) {
        for (String known : request.headers().all("if-none-match")) {
            if (known.contains(tag) || known.equals("*")) {
                return unchanged;
            }
        }
        return whole;
    }

    private static byte[] content(String name) {
        try (InputStream resource = PageFile.class.getResourceAsStream(name)) {
            if (resource == null) {
                throw new IllegalStateException("no file " + name + " of the dashboard");
            }
            return resource.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] digest(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
