package dev.handoff.launcher.operator;

import java.util.Locale;

/** Formats numbers for people: three significant digits and a unit. */
final class Quantity {
    private static final String UNKNOWN = "–";
    private static final String[] BYTE_UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

    private Quantity() {}

    static String count(double number) {
        return Double.isNaN(number) ? UNKNOWN : String.format(Locale.ROOT, "%,d", (long) number);
    }

    static String perSecond(double rate) {
        if (Double.isNaN(rate)) {
            return UNKNOWN;
        }
        return String.format(Locale.ROOT, rate > 0 && rate < 10 ? "%.1f" : "%,.0f", rate);
    }

    static String share(double part) {
        return Double.isNaN(part)
                ? UNKNOWN
                : String.format(
                        Locale.ROOT, part > 0 && part < 0.0995 ? "%.1f%%" : "%.0f%%", 100 * part);
    }

    static String millis(double millis) {
        if (Double.isNaN(millis)) {
            return UNKNOWN;
        }
        if (millis < 1000) {
            return threeDigits(millis) + " ms";
        }
        return millis < 100_000 ? threeDigits(millis / 1000) + " s" : seconds(millis / 1000);
    }

    /** A time that may be long, in its two largest units. */
    static String seconds(double seconds) {
        if (Double.isNaN(seconds)) {
            return UNKNOWN;
        }
        long whole = (long) seconds;
        if (whole < 60) {
            return whole + " s";
        }
        if (whole < 3600) {
            return whole / 60 + " min " + whole % 60 + " s";
        }
        return whole < 86_400
                ? whole / 3600 + " h " + whole % 3600 / 60 + " min"
                : whole / 86_400 + " d " + whole % 86_400 / 3600 + " h";
    }

    static String bytes(double bytes) {
        if (Double.isNaN(bytes)) {
            return UNKNOWN;
        }
        double rest = bytes;
        int unit = 0;
        while (rest >= 1000 && unit < BYTE_UNITS.length - 1) {
            rest /= 1024;
            unit++;
        }
        return (unit == 0 ? count(rest) : threeDigits(rest)) + " " + BYTE_UNITS[unit];
    }

    private static String threeDigits(double number) {
        String format;
        if (number < 9.995) {
            format = "%.2f";
        } else {
            format = number < 99.95 ? "%.1f" : "%.0f";
        }
        return String.format(Locale.ROOT, format, number);
    }
}
