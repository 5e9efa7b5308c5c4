package dev.handoff.launcher.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** What stands in a handler's file, to see what it is. */
final class HandlerText {
    private static final int MOST_BYTES = 256 * 1024;

    private HandlerText() {}

    /** The first 256 KiB, of which only ASCII counts. */
    static String beginning(Path file) throws IOException {
        return new String(UntrustedFile.beginning(file, MOST_BYTES), StandardCharsets.ISO_8859_1);
    }
}
