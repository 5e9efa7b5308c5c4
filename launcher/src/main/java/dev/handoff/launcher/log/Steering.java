package dev.handoff.launcher.log;

/** Which characters do more to a terminal than stand there. */
public final class Steering {
    private Steering() {}

    /**
     * Whether a character would move a terminal, end a line or turn the direction of writing, or
     * nobody knows what it does.
     */
    public static boolean isSteering(int character) {
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
