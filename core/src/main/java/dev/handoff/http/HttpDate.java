package dev.handoff.http;

import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/** The date format of HTTP (RFC 9110 section 5.6.7). */
public final class HttpDate {
    private static final String DAYS = "MonTueWedThuFriSatSun";
    private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
    private static final int NAME_LENGTH = 3;
    private static final int YEAR_DIGITS = 4;
    private static final byte[] TEMPLATE =
            "Ddd, 00 Mmm 0000 00:00:00 GMT".getBytes(StandardCharsets.US_ASCII);

    private HttpDate() {}

    /**
     * An IMF-fixdate such as {@code Sun, 06 Nov 1994 08:49:37 GMT}: 29 bytes in a new array.
     *
     * @param epochSeconds in the years 0 to 9999
     */
    public static byte[] format(long epochSeconds) {
        LocalDateTime time = LocalDateTime.ofEpochSecond(epochSeconds, 0, ZoneOffset.UTC);
        byte[] out = TEMPLATE.clone();
        putName(DAYS, time.getDayOfWeek().getValue(), out, 0);
        putNumber(time.getDayOfMonth(), 2, out, 5);
        putName(MONTHS, time.getMonthValue(), out, 8);
        putNumber(time.getYear(), YEAR_DIGITS, out, 12);
        putNumber(time.getHour(), 2, out, 17);
        putNumber(time.getMinute(), 2, out, 20);
        putNumber(time.getSecond(), 2, out, 23);
        return out;
    }

    private static void putName(String names, int number, byte[] out, int at) {
        for (int i = 0; i < NAME_LENGTH; i++) {
            out[at + i] = (byte) names.charAt(NAME_LENGTH * (number - 1) + i);
        }
    }

    private static void putNumber(int number, int digits, byte[] out, int at) {
        int rest = number;
        for (int i = digits - 1; i >= 0; i--) {
            out[at + i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }
}
