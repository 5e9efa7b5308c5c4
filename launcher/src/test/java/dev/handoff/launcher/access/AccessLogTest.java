package dev.handoff.launcher.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class AccessLogTest {
    private static final long MIB = 1024 * 1024;

    @Test
    void allLoopsTogetherHoldA32ndOfTheHeap() {
        assertEquals(2 * MIB, AccessLog.ringBytes(64 * MIB, 1));
        assertEquals(2 * MIB / 8, AccessLog.ringBytes(64 * MIB, 8));
        assertEquals(64 * MIB / 8, AccessLog.ringBytes(2048 * MIB, 8));
    }

    @Test
    void eachHoldsSomeLinesHoweverManyThereAre() {
        assertEquals(64 * 1024, AccessLog.ringBytes(16 * MIB, 1000));
    }
}
