package dev.handoff.process.protocol;

import java.nio.ByteBuffer;

/** Guesses what a worker's author did wrong when the lengths before a frame are impossible. */
final class PrefixHint {
    static final String LAYOUT =
            "a frame begins with the lengths of its JSON and of its body, four bytes each,"
                    + " big-endian";

    private PrefixHint() {}

    /**
     * @param found what is wrong with a length
     * @return {@code found}, or a text that explains it
     */
    static String explain(String found, int jsonBytes, int bodyBytes, FrameLimits limits) {
        if (isText(jsonBytes)) {
            byte[] prefix = ByteBuffer.allocate(8).putInt(jsonBytes).putInt(bodyBytes).array();
            return "the prefix is text, " + Quoted.of(prefix) + ": " + LAYOUT;
        }
        if (isText(bodyBytes)) {
            byte[] second = ByteBuffer.allocate(Integer.BYTES).putInt(bodyBytes).array();
            return found + "; the second length is text, " + Quoted.of(second) + ": " + LAYOUT;
        }
        int reversedJson = Integer.reverseBytes(jsonBytes);
        int reversedBody = Integer.reverseBytes(bodyBytes);
        if (isJson(reversedJson, limits) && isWithin(reversedBody, 0, limits.bodyBytes())) {
            return "%s; read as little-endian they are %d and %d: %s"
                    .formatted(found, reversedJson, reversedBody, LAYOUT);
        }
        if (jsonBytes == 0 && isJson(bodyBytes, limits)) {
            return found + ", and a body of " + bodyBytes + ": " + LAYOUT;
        }
        return found;
    }

    private static boolean isJson(int bytes, FrameLimits limits) {
        return isWithin(bytes, FrameLimits.SHORTEST_JSON_BYTES, limits.jsonBytes());
    }

    private static boolean isWithin(int bytes, int least, int most) {
        return bytes >= least && bytes <= most;
    }

    private static boolean isText(int fourBytes) {
        for (byte each : ByteBuffer.allocate(Integer.BYTES).putInt(fourBytes).array()) {
            boolean isBlank = each == '\t' || each == '\r' || each == '\n';
            if (!isBlank && (each < ' ' || each > '~')) {
                return false;
            }
        }
        return true;
    }
}
