package dev.handoff.launcher.config;

import java.util.List;
import java.util.Map;

/** A value in a JSON file with its place in the file, which complaints name. */
sealed interface JsonNode {
    Place place();

    /** The value as it would be written, in short. */
    String shown();

    record Text(Place place, String value) implements JsonNode {
        @Override
        public String shown() {
            return "\"" + value + "\"";
        }
    }

    /**
     * @param literal as it stands in the file
     */
    record Numeral(Place place, String literal) implements JsonNode {
        @Override
        public String shown() {
            return literal;
        }
    }

    /** One of {@code true}, {@code false} and {@code null}. */
    record Word(Place place, String literal) implements JsonNode {
        @Override
        public String shown() {
            return literal;
        }
    }

    record Items(Place place, List<JsonNode> items) implements JsonNode {
        @Override
        public String shown() {
            return "an array";
        }
    }

    /**
     * @param members in the order of the file
     */
    record Members(Place place, Map<String, JsonNode> members) implements JsonNode {
        @Override
        public String shown() {
            return "an object";
        }
    }

    /**
     * @param pointer a JSON pointer (RFC 6901); empty for the whole file
     * @param line counted from 1
     */
    record Place(String pointer, long line) {
        Place item(int index, long itemLine) {
            return new Place(pointer + "/" + index, itemLine);
        }

        Place member(String name, long memberLine) {
            String escaped = name.replace("~", "~0").replace("/", "~1");
            return new Place(pointer + "/" + escaped, memberLine);
        }
    }
}
