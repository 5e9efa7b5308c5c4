package dev.handoff.launcher.access;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Writes times, fast where many are in the same second. Belongs to one thread. */
final class EntryTime {
    private static final long MILLIS_PER_SECOND = 1000;

    private final DateTimeFormatter formatter;
    private final boolean withMillis;
    private long second = -1;
    private String secondText = "";

    private EntryTime(DateTimeFormatter formatter, boolean withMillis) {
        this.formatter = formatter;
        this.withMillis = withMillis;
    }

    /** As {@code 1994-11-06T08:49:37.042Z}. */
    static EntryTime rfc3339() {
        return new EntryTime(
                DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.", Locale.ROOT)
                        .withZone(ZoneOffset.UTC),
                true);
    }

    /** As {@code 06/Nov/1994:08:49:37 +0000}, the time of the Common Log Format. */
    static EntryTime commonLog(ZoneId zone) {
        return new EntryTime(
                DateTimeFormatter.ofPattern("dd/MMM/uuuu:HH:mm:ss Z", Locale.ENGLISH)
                        .withZone(zone),
                false);
    }

    String format(long epochMillis) {
        long newest = Math.floorDiv(epochMillis, MILLIS_PER_SECOND);
        if (newest != second) {
            second = newest;
            secondText = formatter.format(Instant.ofEpochSecond(newest));
        }
        if (!withMillis) {
            return secondText;
        }
        int millis = (int) Math.floorMod(epochMillis, MILLIS_PER_SECOND);
        return secondText
                + (char) ('0' + millis / 100)
                + (char) ('0' + millis / 10 % 10)
                + (char) ('0' + millis % 10)
                + 'Z';
    }
}
