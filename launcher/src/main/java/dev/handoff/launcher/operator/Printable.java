package dev.handoff.launcher.operator;

import dev.handoff.launcher.log.Steering;

/** Text of clients and workers, made safe for a terminal. */
final class Printable {
    private static final int REPLACEMENT = '\ufffd';

    private Printable() {}

    /**
     * The text on one line, with what would steer a terminal or turn its direction of writing shown
     * as a replacement character.
     */
    static String of(String text) {
        return text.codePoints()
                .map(character -> Steering.isSteering(character) ? REPLACEMENT : character)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** The same for text of several lines. */
    static String lines(String text) {
        return String.join("\n", text.lines().map(Printable::of).toList());
    }
}
