package dev.handoff.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes requests the way a plain client does, framed as their own fields say. */
final class RequestWriter {
    private RequestWriter() {}

    static byte[] bytes(Request request) {
        StringBuilder head = new StringBuilder();
        head.append(request.method()).append(' ').append(request.target());
        head.append(" HTTP/").append(request.version().number()).append("\r\n");
        Headers headers = request.headers();
        for (int i = 0; i < headers.size(); i++) {
            head.append(headers.name(i)).append(": ").append(headers.value(i)).append("\r\n");
        }
        head.append("\r\n");

        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        put(head.toString(), bytes);
        if (headers.contains("transfer-encoding")) {
            putChunks(request.body().toArray(), bytes);
        } else {
            bytes.writeBytes(request.body().toArray());
        }
        return bytes.toByteArray();
    }

    /** The first byte in a chunk of its own, so that there may be two. */
    private static void putChunks(byte[] body, ByteArrayOutputStream bytes) {
        int at = 0;
        while (at < body.length) {
            int size = at == 0 ? 1 : body.length - at;
            put(Integer.toHexString(size) + "\r\n", bytes);
            bytes.write(body, at, size);
            put("\r\n", bytes);
            at += size;
        }
        put("0\r\n\r\n", bytes);
    }

    private static void put(String text, ByteArrayOutputStream bytes) {
        bytes.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
