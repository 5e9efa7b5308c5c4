package dev.handoff.launcher;

import org.jspecify.annotations.Nullable;

/** Reads the value of a setting from a configuration file. */
final class SettingReader {
    private SettingReader() {}

    /** The value as it would be typed, or null, with a complaint, if it is not one. */
    static Options.@Nullable Given read(Setting<?> setting, JsonNode node, Complaints complaints) {
        Syntax<?> syntax = setting.syntax();
        String text = asTyped(node, syntax.json());
        if (text == null || syntax.parser().parse(text) == null) {
            complaints.addUnexpected(node, syntax.expected());
            return null;
        }
        return new Options.Given(text, node.place().pointer());
    }

    private static @Nullable String asTyped(JsonNode node, Syntax.JsonType type) {
        return switch (node) {
            case JsonNode.Text text -> type == Syntax.JsonType.INTEGER ? null : text.value();
            case JsonNode.Numeral number ->
                    type == Syntax.JsonType.STRING ? null : number.literal();
            case JsonNode.Word word -> null;
            case JsonNode.Items items -> null;
            case JsonNode.Members members -> null;
        };
    }
}
