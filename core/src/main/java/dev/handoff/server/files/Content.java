package dev.handoff.server.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The content of a response: parts of a file, with text before each, and behind the last. Read from
 * the beginning to the end, by one thread at a time.
 */
final class Content implements AutoCloseable {
    private final OpenFile file;
    private final List<Part> parts;
    private final long sizeBytes;

    /** The part that is read. */
    private int at;

    /** How much of it was read. */
    private long done;

    private long left;

    /**
     * @param before what comes before so many bytes of the file
     */
    private record Part(String before, long from, long length) {
        long sizeBytes() {
            return before.length() + length;
        }
    }

    private Content(OpenFile file, List<Part> parts) {
        this.file = file;
        this.parts = parts;
        this.sizeBytes = parts.stream().mapToLong(Part::sizeBytes).sum();
        this.left = sizeBytes;
    }

    static Content whole(OpenFile file) {
        return part(file, 0, file.sizeBytes());
    }

    static Content part(OpenFile file, long from, long length) {
        return new Content(file, List.of(new Part("", from, length)));
    }

    /**
     * The parts as multipart/byteranges (RFC 9110 section 14.6).
     *
     * @param type of the file
     * @param boundary from {@link #newBoundary}
     */
    static Content parts(OpenFile file, ByteRanges ranges, String type, String boundary) {
        List<Part> parts = new ArrayList<>();
        String before = "--";
        for (ByteRanges.Range range : ranges.wanted()) {
            String head =
                    before
                            + boundary
                            + "\r\nContent-Type: "
                            + type
                            + "\r\nContent-Range: "
                            + range.in(file.sizeBytes())
                            + "\r\n\r\n";
            parts.add(new Part(head, range.from(), range.length()));
            before = "\r\n--";
        }
        parts.add(new Part(before + boundary + "--\r\n", 0, 0));
        return new Content(file, parts);
    }

    /** What no file has in it, but by a chance of nothing: nobody can know it beforehand. */
    static String newBoundary() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return "%016x%016x".formatted(random.nextLong(), random.nextLong());
    }

    long sizeBytes() {
        return sizeBytes;
    }

    /** What is still to be read. */
    long leftBytes() {
        return left;
    }

    /**
     * Reads what comes next.
     *
     * @param target is filled; it has room for no more than what is left
     * @return false if the file has become shorter
     */
    boolean read(ByteBuffer target) throws IOException {
        left -= target.remaining();
        while (target.hasRemaining()) {
            Part part = parts.get(at);
            if (done == part.sizeBytes()) {
                at++;
                done = 0;
            } else if (done < part.before.length()) {
                int bytes = (int) Math.min(target.remaining(), part.before.length() - done);
                target.put(latin1(part.before), (int) done, bytes);
                done += bytes;
            } else {
                long read = done - part.before.length();
                int bytes = (int) Math.min(target.remaining(), part.length - read);
                ByteBuffer some = target.slice(target.position(), bytes);
                file.position(part.from + read);
                if (!file.read(some)) {
                    return false;
                }
                target.position(target.position() + bytes);
                done += bytes;
            }
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private static byte[] latin1(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
