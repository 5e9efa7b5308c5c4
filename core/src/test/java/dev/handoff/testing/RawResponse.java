package dev.handoff.testing;

import dev.handoff.http.Body;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A response as it came.
 *
 * @param head status line and fields with their line ends, without the empty line
 */
public record RawResponse(String head, Body body) {

    public int status() {
        return Integer.parseInt(head.substring(9, 12));
    }

    public String statusLine() {
        return head.substring(0, head.indexOf("\r\n"));
    }

    /** The only value of the field, or the empty string where there is none. */
    public String header(String name) {
        String prefix = name.toLowerCase(Locale.ROOT) + ":";
        List<String> values = new ArrayList<>();
        for (String line : head.lines().toList()) {
            if (line.toLowerCase(Locale.ROOT).startsWith(prefix)) {
                values.add(line.substring(prefix.length()).strip());
            }
        }
        if (values.size() > 1) {
            throw new AssertionError(name + " came more than once: " + values);
        }
        return values.isEmpty() ? "" : values.getFirst();
    }

    public String text() {
        return body.toUtf8();
    }
}
