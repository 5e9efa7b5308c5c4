package dev.handoff.launcher.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class TextAccessFormatTest {
    private final TextAccessFormat format = new TextAccessFormat(ZoneOffset.ofHours(2));

    @Test
    void isTheCombinedLogFormatWithOurFieldsBehind() {
        assertEquals(
                """
                2001:db8::1 - - [06/Nov/1994:10:49:37 +0200] "GET /a?b HTTP/1.1" 200 6 \
                "http://a.example/" "curl/8.5" ms=1.234 wait=0.012 handler=1.000 pool=site \
                worker=site-1 id=id-1 trace=4bf92f3577b34da6a3ce929d0e0e4736 error=-
                """,
                line(Entries.full()));
    }

    @Test
    void hasADashForWhatIsNotKnown() {
        assertEquals(
                """
                192.0.2.1 - - [06/Nov/1994:10:49:37 +0200] "-" 408 38 "-" "-" ms=- wait=- \
                handler=- pool=- worker=- id=- trace=- error=head_timeout
                """,
                line(Entries.refused()));
    }

    @Test
    void nothingThatAClientSendsCanForgeALineOrAField() {
        StringBuilder everything = new StringBuilder();
        for (char c = 0; c < 0x100; c++) {
            everything.append(c);
        }
        String line = line(Entries.withText(everything.toString(), null));
        String inside = line.substring(0, line.length() - 1);
        assertTrue(inside.chars().allMatch(c -> c >= ' ' && c < 0x7f), inside);
        assertEquals(6, inside.chars().filter(c -> c == '"').count(), inside);
        assertTrue(inside.contains("\\x00\\x01"), inside);
        assertTrue(inside.contains("!\\x22#"), inside);
        assertTrue(inside.contains("[\\x5c]"), inside);
        assertFalse(inside.contains("\\\""), inside);
    }

    private String line(AccessEntry entry) {
        StringBuilder lines = new StringBuilder();
        format.append(entry, lines);
        return lines.toString();
    }
}
