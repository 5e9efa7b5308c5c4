package dev.handoff.launcher.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.process.protocol.SafeText;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.StringReader;
import java.lang.System.Logger.Level;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class JsonLinesTest {
    private static final Instant TIME = Instant.parse("1994-11-06T09:05:03.040Z");

    private final JsonLines lines = new JsonLines();

    @Test
    void namesWhatAnEntryIsAbout() {
        assertEquals(
                """
                {"time":"1994-11-06T09:05:03.040Z","type":"log","level":"warning","logger":"a.B",\
                "pool":"p","worker":"p-1","message":"it left"}\
                """,
                lines.line(
                        new LogEntry(
                                TIME,
                                Level.WARNING,
                                "a.B",
                                LogMessage.ofWorker("p", "p-1", "it left"),
                                null)));
    }

    @Test
    void hasTheStackTraceAsOneString() {
        JsonObject entry =
                read(
                        lines.line(
                                new LogEntry(
                                        TIME,
                                        Level.ERROR,
                                        "a.B",
                                        LogMessage.ofRequest("id-1", "a bug"),
                                        new IllegalStateException("why"))));
        assertEquals("id-1", entry.getString("requestId"));
        String stack = entry.getString("stack");
        assertTrue(stack.startsWith("java.lang.IllegalStateException: why\n\tat "), stack);
    }

    @Test
    void namesWhoWroteALine() {
        assertEquals(
                """
                {"time":"1994-11-06T09:05:03.040Z","type":"output","pool":"p","worker":"p-1",\
                "stream":"stderr","message":"→ on"}\
                """,
                lines.line(new WorkerOutput(TIME, "p", "p-1", "stderr", "→ on")));
    }

    @Test
    void whateverIsSaidIsOneLineThatReadsBackTheSame() {
        StringBuilder everything = new StringBuilder();
        for (char c = 0; c < 0x250; c++) {
            everything.append(c);
        }
        everything.append("\u061c\u200b\u200e\u2028\u2029\u202e\u2066\ufeff\udb40\udc41");
        String text = everything.append("\"},{\"type\":\"log\"}\r\n\ud83d\ude00").toString();
        String line = lines.line(new WorkerOutput(TIME, "p", "p-1", "stdout", text));
        assertTrue(line.codePoints().allMatch(SafeText::isPrintable), line);
        assertEquals(text, read(line).getString("message"));
    }

    private static JsonObject read(String line) {
        try (JsonReader reader = Json.createReader(new StringReader(line))) {
            return reader.readObject();
        }
    }
}
