package dev.handoff.launcher.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class EntryTimeTest {
    @Test
    void writesEachMillisecondOfOneSecondAndOfTheNext() {
        EntryTime time = EntryTime.rfc3339();
        assertEquals("1994-11-06T08:49:37.042Z", time.format(784_111_777_042L));
        assertEquals("1994-11-06T08:49:37.999Z", time.format(784_111_777_999L));
        assertEquals("1994-11-06T08:49:38.000Z", time.format(784_111_778_000L));
        assertEquals("1994-11-06T08:49:37.001Z", time.format(784_111_777_001L));
    }

    @Test
    void writesTheTimeOfTheCommonLogFormat() {
        EntryTime time = EntryTime.commonLog(ZoneOffset.ofHoursMinutes(-3, -30));
        assertEquals("06/Nov/1994:05:19:37 -0330", time.format(784_111_777_042L));
    }
}
