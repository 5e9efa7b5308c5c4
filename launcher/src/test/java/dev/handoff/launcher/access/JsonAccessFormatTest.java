package dev.handoff.launcher.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.StringReader;
import org.junit.jupiter.api.Test;

class JsonAccessFormatTest {
    private final JsonAccessFormat format = new JsonAccessFormat();

    @Test
    void hasAKeyForEverythingThatIsKnown() {
        assertEquals(
                """
                {"time":"1994-11-06T08:49:37.042Z","type":"access",\
                "client":"[2001:db8::1]:4711","method":"GET","target":"/a?b",\
                "version":"1.1","status":200,"bodyBytes":6,"durationMillis":1.234,\
                "waitMillis":0.012,"handlerMillis":1.000,"pool":"site","worker":"site-1",\
                "requestId":"id-1","traceId":"4bf92f3577b34da6a3ce929d0e0e4736","userAgent":"curl/8.5","referer":"http://a.example/"}
                """,
                line(Entries.full()));
    }

    @Test
    void leavesOutWhatIsNotKnown() {
        assertEquals(
                """
                {"time":"1994-11-06T08:49:37.042Z","type":"access","client":"192.0.2.1:4711",\
                "status":408,"bodyBytes":38,"error":"head_timeout"}
                """,
                line(Entries.refused()));
    }

    @Test
    void whateverAClientSendsIsOneLineThatReadsBackTheSame() {
        StringBuilder everything = new StringBuilder();
        for (char c = 0; c < 0x100; c++) {
            everything.append(c);
        }
        String text = everything.toString();
        String line = line(Entries.withText(text, null));
        assertEquals(line.length() - 1, line.indexOf('\n'), line);
        assertTrue(line.strip().chars().noneMatch(Character::isISOControl), line);
        try (JsonReader reader = Json.createReader(new StringReader(line))) {
            JsonObject read = reader.readObject();
            assertEquals(text, read.getString("target"));
            assertEquals(text, read.getString("userAgent"));
            assertEquals(text, read.getString("referer"));
        }
    }

    private String line(AccessEntry entry) {
        StringBuilder lines = new StringBuilder();
        format.append(entry, lines);
        return lines.toString();
    }
}
