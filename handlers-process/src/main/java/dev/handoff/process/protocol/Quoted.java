package dev.handoff.process.protocol;

import java.nio.charset.StandardCharsets;

/** What a peer sent, shortened and made safe for a line of log. */
final class Quoted {
    static final int LONGEST = 64;

    private Quoted() {}

    /** In quotation marks, which are closed before what says that there is more. */
    static String of(String text) {
        String shown = '"' + safe(text) + '"';
        return text.length() <= LONGEST ? shown : shown + "...";
    }

    static String of(byte[] text) {
        return of(new String(text, StandardCharsets.ISO_8859_1));
    }

    /** As it is: a number. */
    static String bare(String text) {
        return text.length() <= LONGEST ? safe(text) : safe(text) + "...";
    }

    private static String safe(String text) {
        String shown = text.length() <= LONGEST ? text : text.substring(0, LONGEST);
        return shown.replaceAll("[^ -~]", "?");
    }
}
