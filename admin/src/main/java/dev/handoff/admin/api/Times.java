package dev.handoff.admin.api;

import java.math.BigDecimal;
import java.time.Duration;

/** How lengths of time are written in JSON. */
public final class Times {
    private static final int MICROS_IN_MILLIS = 3;

    private Times() {}

    /** Milliseconds, exact to the microsecond. */
    public static BigDecimal millis(Duration time) {
        return millis(time.toNanos());
    }

    public static BigDecimal millis(long nanos) {
        return BigDecimal.valueOf(nanos / 1000, MICROS_IN_MILLIS);
    }
}
