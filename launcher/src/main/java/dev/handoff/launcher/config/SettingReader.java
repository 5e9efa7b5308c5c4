package dev.handoff.launcher.config;

import static dev.handoff.launcher.config.Syntax.JsonType.BOOLEAN;
import static dev.handoff.launcher.config.Syntax.JsonType.INTEGER;
import static dev.handoff.launcher.config.Syntax.JsonType.INTEGER_OR_AUTO;
import static dev.handoff.launcher.config.Syntax.JsonType.STRING;
import static dev.handoff.launcher.config.Syntax.JsonType.STRING_OR_INTEGER;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the value of a setting from a configuration file. */
final class SettingReader {
    private SettingReader() {}

    /**
     * The value as it would be typed, or null, with a complaint, if it is not one.
     *
     * @param folder of the file, where relative paths start
     */
    static Options.@Nullable Given read(
            Setting<?> setting, JsonNode node, Path folder, Complaints complaints) {
        Syntax<?> syntax = setting.syntax();
        String text = asTyped(node, syntax.json());
        String typed = text == null ? null : syntax.typedIn(folder, text);
        if (typed == null) {
            complaints.addUnexpected(node, syntax.expected());
            return null;
        }
        return new Options.Given(typed, node.place().pointer());
    }

    private static @Nullable String asTyped(JsonNode node, Syntax.JsonType type) {
        return switch (node) {
            case JsonNode.Text text ->
                    type == STRING
                                    || type == STRING_OR_INTEGER
                                    || (type == INTEGER_OR_AUTO && !isNumber(text.value()))
                            ? text.value()
                            : null;
            case JsonNode.Numeral number ->
                    type == INTEGER || type == STRING_OR_INTEGER || type == INTEGER_OR_AUTO
                            ? number.literal()
                            : null;
            case JsonNode.Word word -> type == BOOLEAN ? word.literal() : null;
            case JsonNode.Items items -> null;
            case JsonNode.Members members -> null;
        };
    }

    /** A number is written without quotes. */
    private static boolean isNumber(String text) {
        return Syntax.parseDigits(text) != null;
    }
}
