package dev.handoff.process.protocol;

/**
 * Makes text of workers and clients safe to show: on a terminal, on a page, in a line of a log. It
 * alone decides which characters are unsafe.
 */
public final class SafeText {
    /** The most characters that a log shows of one message. */
    static final int MOST_CHARACTERS = 4096;

    static final int MOST_LINES = 20;

    private static final int REPLACEMENT = '\ufffd';

    private SafeText() {}

    /**
     * Whether a character only shows itself. It does not if it controls a terminal (C0, C1), ends a
     * line, turns the direction of writing, has no width, or is unassigned. The selectors U+FE00 to
     * U+FE0F pass: they stand in many emoji.
     */
    public static boolean isPrintable(int character) {
        // A shortcut for ASCII, since a log asks for every character.
        if (character < 0x7f) {
            return character >= ' ';
        }
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.UNASSIGNED ->
                    false;
            default -> !isLetterOrMarkWithoutWidth(character);
        };
    }

    /** Those that Unicode lets a font show as nothing (Default_Ignorable_Code_Point). */
    private static boolean isLetterOrMarkWithoutWidth(int character) {
        return switch (character) {
            case 0x034f,
                    0x115f,
                    0x1160,
                    0x17b4,
                    0x17b5,
                    0x180b,
                    0x180c,
                    0x180d,
                    0x180f,
                    0x3164,
                    0xffa0 ->
                    true;
            default -> character >= 0xe0100 && character <= 0xe01ef;
        };
    }

    /** The text as one line, with a replacement character for each unsafe one. */
    public static String of(String text) {
        if (text.codePoints().allMatch(SafeText::isPrintable)) {
            return text;
        }
        return text.codePoints()
                .map(character -> isPrintable(character) ? character : REPLACEMENT)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** The text with its lines kept, each as {@link #of} makes it. */
    public static String lines(String text) {
        return String.join("\n", text.lines().map(SafeText::of).toList());
    }

    /** The beginning of a message, and how many characters follow if it is long. */
    public static String beginning(String message) {
        int end = Math.min(message.length(), MOST_CHARACTERS);
        int lineEnd = -1;
        for (int line = 0; line < MOST_LINES; line++) {
            lineEnd = message.indexOf('\n', lineEnd + 1);
            if (lineEnd < 0) {
                break;
            }
        }
        if (lineEnd >= 0 && lineEnd < end) {
            end = lineEnd;
        }
        if (end == message.length()) {
            return message;
        }
        if (end > 0 && Character.isHighSurrogate(message.charAt(end - 1))) {
            end--;
        }
        int more = message.length() - end;
        return "%s… (%d more characters)".formatted(message.substring(0, end), more);
    }
}
