package dev.handoff.conformance;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Fields and content, as they stand below a line of an outcome or in a reply. */
record Message(Headers fields, Body content) {
    static final Message NOTHING = new Message(Headers.EMPTY, Body.EMPTY);
    static final Message USUAL_REPLY = new Message(Headers.EMPTY, Body.utf8("ok"));
    static final Message USUAL_RESPONSE =
            new Message(Headers.of("content-length", "2"), Body.utf8("ok"));

    private static final Pattern FIELD = Pattern.compile("([^:\\s]+):(?: (\\S.*))?");
    private static final Pattern CONTENT = Pattern.compile("\\|(?: (.*))?");

    /**
     * @param lines without their indentation
     * @throws IllegalArgumentException if a line is neither a field nor content
     */
    static Message read(List<String> lines) {
        Headers.Builder fields = new Headers.Builder();
        StringBuilder content = new StringBuilder();
        boolean contentBegan = false;
        for (String line : lines) {
            Matcher contentLine = CONTENT.matcher(line);
            Matcher fieldLine = FIELD.matcher(line);
            if (contentLine.matches()) {
                contentBegan = true;
                content.append(orEmpty(contentLine.group(1)));
            } else if (fieldLine.matches() && !contentBegan) {
                fields.add(
                        Escapes.decodeText(fieldLine.group(1)),
                        Escapes.decodeText(orEmpty(fieldLine.group(2))));
            } else {
                throw new IllegalArgumentException("neither a field nor content: " + line);
            }
        }
        return new Message(fields.build(), Body.of(Escapes.decode(content.toString())));
    }

    /** Demands names as a handler sees them. */
    Message requireLowerCase() {
        for (int i = 0; i < fields.size(); i++) {
            if (!fields.name(i).equals(fields.name(i).toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException("not in lower case: " + fields.name(i));
            }
        }
        return this;
    }

    /** Indented lines. */
    String text() {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < fields.size(); i++) {
            String value = Escapes.encodeText(fields.value(i));
            out.append("  ").append(Escapes.encodeText(fields.name(i))).append(':');
            out.append(value.isEmpty() ? "" : " ").append(value).append('\n');
        }
        if (!content.isEmpty()) {
            out.append("  | ").append(Escapes.encode(content.toArray())).append('\n');
        }
        return out.toString();
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}
