package dev.handoff.http.websocket;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.Deflater;

/** Writes the frames of a client, with a mask, and those that break a rule. */
public final class ClientFrames {
    private static final byte[] MASK = {0x37, (byte) 0xfa, 0x21, 0x3d};

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    public ClientFrames text(String message) {
        return frame(0x81, message.getBytes(StandardCharsets.UTF_8));
    }

    public ClientFrames binary(byte[] message) {
        return frame(0x82, message);
    }

    public ClientFrames ping(String payload) {
        return frame(0x89, payload.getBytes(StandardCharsets.UTF_8));
    }

    public ClientFrames close() {
        return frame(0x88, new byte[0]);
    }

    public ClientFrames close(int code, String reason) {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        byte[] payload = new byte[2 + text.length];
        payload[0] = (byte) (code >> 8);
        payload[1] = (byte) code;
        System.arraycopy(text, 0, payload, 2, text.length);
        return frame(0x88, payload);
    }

    /** A compressed text in one frame. */
    public ClientFrames compressedText(byte[] message) {
        return frame(0xc1, deflated(message));
    }

    /** A frame with these first eight bits. */
    public ClientFrames frame(int firstByte, byte[] payload) {
        bytes.write(firstByte);
        if (payload.length <= 125) {
            bytes.write(0x80 | payload.length);
        } else if (payload.length <= 0xffff) {
            raw(0x80 | 126, payload.length >> 8, payload.length);
        } else {
            raw(0x80 | 127, 0, 0, 0, 0);
            raw(payload.length >> 24, payload.length >> 16, payload.length >> 8, payload.length);
        }
        bytes.writeBytes(MASK);
        for (int i = 0; i < payload.length; i++) {
            bytes.write(payload[i] ^ MASK[i % MASK.length]);
        }
        return this;
    }

    public ClientFrames raw(int... octets) {
        for (int octet : octets) {
            bytes.write(octet);
        }
        return this;
    }

    public byte[] toBytes() {
        return bytes.toByteArray();
    }

    /** As RFC 7692 section 7.2.1 has it. */
    static byte[] deflated(byte[] message) {
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
        deflater.setInput(message);
        byte[] out = new byte[message.length + 1024];
        int length = deflater.deflate(out, 0, out.length, Deflater.SYNC_FLUSH);
        deflater.end();
        return Arrays.copyOf(out, length - 4);
    }
}
