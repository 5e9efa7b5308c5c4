package dev.handoff.process.protocol;

import java.nio.charset.StandardCharsets;

/** Shortens what a peer sent, and makes it safe for a line of the log. */
final class Quoted {
    static final int LONGEST = 64;

    private Quoted() {}

    /** The text in quotation marks. Three dots behind them mean that there is more. */
    static String of(String text) {
        String shown = '"' + safe(text) + '"';
        return text.length() <= LONGEST ? shown : shown + "...";
    }

    static String of(byte[] text) {
        return of(new String(text, StandardCharsets.ISO_8859_1));
    }

    /** The text without quotation marks, for a number. */
    static String bare(String text) {
        return text.length() <= LONGEST ? safe(text) : safe(text) + "...";
    }

    private static String safe(String text) {
        String shown = text.length() <= LONGEST ? text : text.substring(0, LONGEST);
        return shown.replaceAll("[^ -~]", "?");
    }
}
