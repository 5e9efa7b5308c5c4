package dev.handoff.server.files;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpDate;
import dev.handoff.http.Response;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A file as it is sent: what the fields of its responses say (RFC 9110 section 8).
 *
 * @param type the media type
 * @param coding null for the file as it is
 * @param modifiedSeconds as {@link Preconditions} has it
 * @param nowSeconds when it was opened
 */
record Representation(
        OpenFile file,
        String type,
        @Nullable Coding coding,
        EntityTag tag,
        long modifiedSeconds,
        long nowSeconds) {
    /**
     * A file that was written within this time may be written again without another time: clocks of
     * file systems are coarse. RFC 9110 section 8.8.2.2 wants a second.
     */
    private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(1);

    static Representation of(
            OpenFile file, String type, @Nullable Coding coding, InstantSource clock) {
        long modified = file.modifiedNanos();
        long now = TimeUnit.MILLISECONDS.toNanos(clock.millis());
        EntityTag tag =
                EntityTag.of(
                        file.sizeBytes(),
                        modified,
                        isTold(modified) && modified <= now - SETTLED_NANOS,
                        coding == null ? "" : coding.token());
        // Section 8.8.2.1: a time in the future becomes the present.
        long told = Math.min(modified, now);
        return new Representation(
                file,
                type,
                coding,
                tag,
                told >= 0 ? TimeUnit.NANOSECONDS.toSeconds(told) : Preconditions.UNKNOWN,
                TimeUnit.NANOSECONDS.toSeconds(now));
    }

    /** Whether nanoseconds can tell the time: else all such times look like one, at either end. */
    private static boolean isTold(long modifiedNanos) {
        return modifiedNanos > Long.MIN_VALUE && modifiedNanos < Long.MAX_VALUE;
    }

    Preconditions preconditions() {
        return new Preconditions(tag, modifiedSeconds, nowSeconds);
    }

    /** The head of a 200. */
    Response head(FileOptions options) {
        return head(200, type, options).with(file.sizeBytes());
    }

    /** The head of a 206 with one range. */
    Response head(FileOptions options, ByteRanges.Range range) {
        Fields fields = head(206, type, options);
        fields.headers.add("content-range", range.in(file.sizeBytes()));
        return fields.with(range.length());
    }

    /** The head of a 206 with several. */
    Response head(FileOptions options, String boundary, Content parts) {
        String multipart = "multipart/byteranges; boundary=" + boundary;
        return head(206, multipart, options).with(parts.sizeBytes());
    }

    /** The head of a 304: what a cache updates, and no more (section 15.4.5). */
    Response notModified(FileOptions options) {
        return validated(304, options).response();
    }

    /** The head of a 404 that has this file as its page, without what caches would go by. */
    Response notFound() {
        Fields fields = new Fields(404, new Headers.Builder());
        fields.headers.add("content-type", type).add("cache-control", "no-store");
        return describe(fields).with(file.sizeBytes());
    }

    private Fields head(int status, String contentType, FileOptions options) {
        Fields fields = validated(status, options);
        fields.headers.add("content-type", contentType).add("accept-ranges", "bytes");
        if (modifiedSeconds != Preconditions.UNKNOWN) {
            byte[] date = HttpDate.format(modifiedSeconds);
            fields.headers.add("last-modified", new String(date, StandardCharsets.US_ASCII));
        }
        return describe(fields);
    }

    private Fields describe(Fields fields) {
        if (coding != null) {
            fields.headers.add("content-encoding", coding.token());
        }
        return fields;
    }

    private Fields validated(int status, FileOptions options) {
        Headers.Builder headers = new Headers.Builder();
        headers.add("etag", tag.toString());
        if (options.precompressed()) {
            headers.add("vary", "Accept-Encoding");
        }
        Headers own = options.headers();
        for (int i = 0; i < own.size(); i++) {
            headers.add(own.name(i), own.value(i));
        }
        return new Fields(status, headers);
    }

    private record Fields(int status, Headers.Builder headers) {
        /** With its length, which the server would not know for HEAD and for pieces. */
        Response with(long lengthBytes) {
            headers.add("content-length", Long.toString(lengthBytes));
            return response();
        }

        Response response() {
            return Response.of(status, headers.build(), Body.EMPTY);
        }
    }
}
