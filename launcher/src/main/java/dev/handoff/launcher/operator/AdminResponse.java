package dev.handoff.launcher.operator;

import dev.handoff.http.ResponseParser;
import dev.handoff.http.ResponsePart;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * What the admin server answers.
 *
 * @param text its content
 */
record AdminResponse(int status, String text) {
    /** Far more than any response here has. */
    private static final int MOST_BYTES = 16 << 20;

    private static final int READ_BYTES = 16 * 1024;

    /**
     * Reads the response to one request that was not HEAD. Blocks.
     *
     * @param most how long it may take, however little of it comes at a time
     * @throws IOException if it breaks a rule of HTTP, is too long, or does not come
     */
    static AdminResponse read(InputStream in, Duration most) throws IOException {
        long deadlineNanos = System.nanoTime() + most.toNanos();
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        ResponseParser parser =
                new ResponseParser((bytes, from, to) -> content.write(bytes, from, to - from));
        parser.expect(false, false);
        int status = 0;
        byte[] buffer = new byte[READ_BYTES];
        int from = 0;
        int to = 0;
        while (true) {
            ResponsePart part = to < 0 ? parser.inputEnded() : parser.parse(buffer, from, to);
            from = parser.consumedTo();
            if (content.size() > MOST_BYTES) {
                throw new IOException("it answers with more than " + MOST_BYTES + " bytes");
            }
            switch (part) {
                case ResponsePart.Head head -> status = head.response().status();
                case ResponsePart.Incomplete _ -> {
                    if (System.nanoTime() - deadlineNanos > 0) {
                        throw new IOException(
                                "its response is not complete after %d s"
                                        .formatted(most.toSeconds()));
                    }
                    to = in.read(buffer);
                    from = 0;
                }
                case ResponsePart.End _ -> {
                    return new AdminResponse(status, content.toString(StandardCharsets.UTF_8));
                }
                case ResponsePart.Refused refused -> throw new IOException(refused.why());
            }
        }
    }
}
