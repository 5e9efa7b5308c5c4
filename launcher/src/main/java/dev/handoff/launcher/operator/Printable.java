package dev.handoff.launcher.operator;

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
                .map(character -> steers(character) ? REPLACEMENT : character)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** The same for text of several lines. */
    static String lines(String text) {
        return String.join("\n", text.lines().map(Printable::of).toList());
    }

    private static boolean steers(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.UNASSIGNED ->
                    true;
            default -> false;
        };
    }
}
