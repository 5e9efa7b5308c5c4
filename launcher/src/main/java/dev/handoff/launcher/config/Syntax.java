package dev.handoff.launcher.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How a value is written on the command line, in the environment and in a configuration file.
 *
 * @param label what stands for the value in the help
 * @param expected what a value has to look like, to follow the word "expected"
 * @param formatter writes a value as it would be typed
 * @param json what it is in a configuration file
 * @param inFolder the value with its relative paths resolved in a folder; null if it holds none
 */
public record Syntax<T>(
        String label,
        String expected,
        Parser<T> parser,
        Function<T, String> formatter,
        JsonType json,
        @Nullable BiFunction<T, Path, T> inFolder) {

    private static final String AUTO = "auto";

    /** What a value is in JSON. */
    enum JsonType {
        STRING,
        INTEGER,
        INTEGER_OR_AUTO,
        STRING_OR_INTEGER,
        BOOLEAN
    }

    /** A value without paths. */
    Syntax(
            String label,
            String expected,
            Parser<T> parser,
            Function<T, String> formatter,
            JsonType json) {
        this(label, expected, parser, formatter, json, null);
    }

    /** A value that is a string in JSON. */
    Syntax(String label, String expected, Parser<T> parser, Function<T, String> formatter) {
        this(label, expected, parser, formatter, JsonType.STRING);
    }

    /** The same for a value that holds paths. */
    Syntax<T> withPaths(BiFunction<T, Path, T> resolve) {
        return new Syntax<>(label, expected, parser, formatter, json, resolve);
    }

    /**
     * A value as it would be typed, its relative paths resolved in the folder.
     *
     * @return null if it is not one
     */
    @Nullable String typedIn(Path folder, String text) {
        T value = parser.parse(text);
        if (value == null) {
            return null;
        }
        return inFolder == null ? text : formatter.apply(inFolder.apply(value, folder));
    }

    /** Reads a value. */
    @FunctionalInterface
    public interface Parser<T> {
        /** The value that {@code text} stands for, or null if it is not one. */
        @Nullable T parse(String text);
    }

    public static Syntax<String> text(String label, String expected) {
        return new Syntax<>(
                label, expected, text -> text.isBlank() ? null : text, Function.identity());
    }

    public static Syntax<Integer> count(int least, int most) {
        String range =
                most == Integer.MAX_VALUE
                        ? "a whole number, at least " + least
                        : "a whole number from " + least + " to " + most;
        return new Syntax<>(
                "N",
                range,
                text -> integer(parseDigits(text), least, most),
                String::valueOf,
                JsonType.INTEGER);
    }

    /** The same, or a word that stands for {@code automatic}. */
    static Syntax<Integer> countOrAuto(int least, int most, int automatic) {
        Syntax<Integer> count = count(least, most);
        return new Syntax<>(
                count.label,
                count.expected + ", or " + AUTO,
                text -> text.equals(AUTO) ? Integer.valueOf(automatic) : count.parser.parse(text),
                count.formatter,
                JsonType.INTEGER_OR_AUTO);
    }

    /** A whole number that may not fit into an int. */
    static Syntax<Long> longCount(long least, long most) {
        return new Syntax<>(
                "N",
                "a whole number, at least " + least,
                text -> {
                    Long number = parseDigits(text);
                    return number == null || number < least || number > most ? null : number;
                },
                String::valueOf,
                JsonType.INTEGER);
    }

    /** A switch: the flag alone turns it on, a variable says true or false. */
    static Syntax<Boolean> yesOrNo() {
        return new Syntax<>(
                "",
                "true or false",
                text ->
                        switch (text) {
                            case "true", "1" -> true;
                            case "false", "0" -> false;
                            default -> null;
                        },
                String::valueOf,
                JsonType.BOOLEAN);
    }

    /** One of the constants, in lower case. */
    static <E extends Enum<E>> Syntax<E> oneOf(String label, List<E> constants) {
        return new Syntax<>(
                label,
                constants.stream()
                        .map(Syntax::lowerCase)
                        .collect(Collectors.joining(", ", "one of ", "")),
                text -> find(constants, text),
                Syntax::lowerCase);
    }

    /** The number that {@code text} is, or null if it has another character than a digit. */
    static @Nullable Long parseDigits(String text) {
        if (!text.chars().allMatch(each -> each >= '0' && each <= '9')) {
            return null;
        }
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException emptyOrTooLarge) {
            return null;
        }
    }

    private static @Nullable Integer integer(@Nullable Long number, int least, int most) {
        return number == null || number < least || number > most ? null : number.intValue();
    }

    private static <E extends Enum<E>> @Nullable E find(List<E> constants, String text) {
        for (E constant : constants) {
            if (lowerCase(constant).equals(text)) {
                return constant;
            }
        }
        return null;
    }

    private static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
