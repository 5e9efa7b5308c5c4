package dev.handoff.launcher.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A value that a user can choose. Its flag, its environment variable, its key in a configuration
 * file, its line in the help and its error messages are all derived from this.
 *
 * @param scope what it is about
 * @param flag as typed, such as {@code --max-body}
 * @param preset the value when nobody chose one; null if the server decides later
 * @param presetText the preset in the help
 */
public record Setting<T>(
        Scope scope,
        String flag,
        Syntax<T> syntax,
        @Nullable T preset,
        @Nullable String presetText,
        String description) {

    public static <T> Setting<T> of(
            Scope scope, String flag, Syntax<T> syntax, T preset, String description) {
        return new Setting<>(
                scope, flag, syntax, preset, syntax.formatter().apply(preset), description);
    }

    /** A setting that has no value until somebody chooses one. */
    public static <T> Setting<T> unset(
            Scope scope,
            String flag,
            Syntax<T> syntax,
            @Nullable String presetText,
            String description) {
        return new Setting<>(scope, flag, syntax, null, presetText, description);
    }

    /** A switch, off by default, that its flag alone turns on. */
    public static Setting<Boolean> off(Scope scope, String flag, String description) {
        return new Setting<>(scope, flag, Syntax.yesOrNo(), false, null, description);
    }

    /** Whether its flag is followed by a value. */
    public boolean takesValue() {
        return !syntax.label().isEmpty();
    }

    /** The environment variable: {@code HANDOFF_MAX_BODY} for {@code --max-body}. */
    public String variable() {
        return "HANDOFF_" + flag.substring(2).replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** The key in a configuration file: {@code maxBody} for {@code --max-body}. */
    public String key() {
        StringBuilder key = new StringBuilder();
        for (String word : flag.substring(2).split("-", -1)) {
            key.append(key.isEmpty() ? word : capitalised(word));
        }
        return key.toString();
    }

    /** The same setting with another description of its preset. */
    public Setting<T> presetAs(String text) {
        return new Setting<>(scope, flag, syntax, preset, text, description);
    }

    private static String capitalised(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }
}
