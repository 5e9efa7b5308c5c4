package dev.handoff.launcher.config;

import dev.handoff.admin.api.JsonLibrary;
import jakarta.json.stream.JsonLocation;
import jakarta.json.stream.JsonParser;
import jakarta.json.stream.JsonParsingException;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads a JSON file into {@link JsonNode nodes}. A key that comes twice is complained about. */
final class JsonFile {
    /** Far more than anybody writes; a wrong file may be anything. */
    static final int MOST_BYTES = 1 << 20;

    static final int MOST_LEVELS = 32;

    private static final Pattern UNEXPECTED_CHARACTER =
            Pattern.compile("Unexpected char ([0-9,]+)");
    private static final Pattern UNEXPECTED_TOKEN =
            Pattern.compile("Invalid token=(\\w+) at .*Expected tokens are: \\[([^]]*)]");

    private final Complaints complaints;
    private final JsonParser parser;

    private JsonFile(Complaints complaints, JsonParser parser) {
        this.complaints = complaints;
        this.parser = parser;
    }

    /** The value in the file, or null, with a complaint, if it cannot be read as JSON. */
    static @Nullable JsonNode read(Path file, Complaints complaints) {
        // A device may have no end, and a pipe may never have a writer.
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            complaints.add("is no regular file");
            return null;
        }
        try {
            byte[] bytes = UntrustedFile.beginning(file, MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                complaints.add("has more than " + Units.formatSize(MOST_BYTES));
                return null;
            }
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return parse(text.toString(), complaints);
        } catch (NoSuchFileException missing) {
            complaints.add("there is no such file");
        } catch (CharacterCodingException notUtf8) {
            complaints.add("is not text in UTF-8");
        } catch (IOException failure) {
            complaints.add("cannot be read: " + failure.getMessage());
        }
        return null;
    }

    static @Nullable JsonNode parse(String text, Complaints complaints) {
        // Some editors begin a file with a byte order mark, which JSON does not have.
        String json = text.startsWith("\ufeff") ? text.substring(1) : text;
        try (JsonParser parser = JsonLibrary.PROVIDER.createParser(new StringReader(json))) {
            JsonFile file = new JsonFile(complaints, parser);
            JsonNode node = file.value(new JsonNode.Place("", 1), parser.next(), 0);
            if (parser.hasNext()) {
                parser.next();
            }
            return node;
        } catch (JsonParsingException broken) {
            String message = String.valueOf(broken.getMessage());
            boolean ended = message.contains("token=EOF");
            JsonLocation at = broken.getLocation();
            complaints.add(
                    ended ? Math.max(1, json.lines().count()) : at.getLineNumber(),
                    ended ? columnOfEnd(json) : at.getColumnNumber(),
                    "not JSON: " + inPlainWords(message));
        } catch (TooDeep levels) {
            complaints.add(levels.line, levels.column, "more than " + MOST_LEVELS + " levels");
        }
        return null;
    }

    /**
     * The column in which the text ends, though more has to follow: the parser itself counts on
     * behind the end.
     */
    private static int columnOfEnd(String json) {
        String last = json.endsWith("\n") ? json.substring(0, json.length() - 1) : json;
        return last.length() - last.lastIndexOf('\n');
    }

    /** What the parser says, without its names of tokens and without the place. */
    private static String inPlainWords(String message) {
        Matcher character = UNEXPECTED_CHARACTER.matcher(message);
        if (character.find()) {
            int code = Integer.parseInt(character.group(1).replace(",", ""));
            return code < ' '
                    ? "a line end or control character inside a string"
                    : "unexpected character " + Character.toString(code);
        }
        Matcher token = UNEXPECTED_TOKEN.matcher(message);
        return token.find()
                ? "found %s, expected %s".formatted(name(token.group(1)), names(token.group(2)))
                : "there is more behind its end";
    }

    private static String names(String tokens) {
        return Arrays.stream(tokens.split(", ", -1))
                .map(JsonFile::name)
                .collect(Collectors.joining(" or "));
    }

    private static String name(String token) {
        return switch (token) {
            case "CURLYOPEN" -> "{";
            case "CURLYCLOSE" -> "}";
            case "SQUAREOPEN" -> "[";
            case "SQUARECLOSE" -> "]";
            case "COLON" -> ":";
            case "COMMA" -> "a comma";
            case "EOF" -> "the end of the file";
            case "STRING", "NUMBER" -> "a " + token.toLowerCase(Locale.ROOT);
            default -> token.toLowerCase(Locale.ROOT);
        };
    }

    private static final class TooDeep extends RuntimeException {
        private static final long serialVersionUID = 1;

        final long line;
        final long column;

        TooDeep(JsonLocation at) {
            this.line = at.getLineNumber();
            this.column = at.getColumnNumber();
        }
    }

    private JsonNode value(JsonNode.Place place, JsonParser.Event event, int level) {
        if (level >= MOST_LEVELS) {
            throw new TooDeep(parser.getLocation());
        }
        return switch (event) {
            case START_OBJECT -> members(place, level);
            case START_ARRAY -> items(place, level);
            case VALUE_STRING -> new JsonNode.Text(place, parser.getString());
            case VALUE_NUMBER -> new JsonNode.Numeral(place, parser.getString());
            case VALUE_TRUE -> new JsonNode.Word(place, "true");
            case VALUE_FALSE -> new JsonNode.Word(place, "false");
            case VALUE_NULL -> new JsonNode.Word(place, "null");
            case KEY_NAME, END_OBJECT, END_ARRAY ->
                    throw new IllegalStateException("no value but " + event);
        };
    }

    private JsonNode members(JsonNode.Place place, int level) {
        Map<String, JsonNode> members = new LinkedHashMap<>();
        while (parser.next() != JsonParser.Event.END_OBJECT) {
            String name = parser.getString();
            JsonNode.Place at = place.member(name, line());
            JsonNode member = value(at, parser.next(), level + 1);
            if (members.putIfAbsent(name, member) != null) {
                complaints.add(at, "comes twice");
            }
        }
        return new JsonNode.Members(place, members);
    }

    private JsonNode items(JsonNode.Place place, int level) {
        List<JsonNode> items = new ArrayList<>();
        JsonParser.Event event = parser.next();
        while (event != JsonParser.Event.END_ARRAY) {
            items.add(value(place.item(items.size(), line()), event, level + 1));
            event = parser.next();
        }
        return new JsonNode.Items(place, List.copyOf(items));
    }

    private long line() {
        return parser.getLocation().getLineNumber();
    }
}
