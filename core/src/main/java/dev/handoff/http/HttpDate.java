package dev.handoff.http;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.OptionalLong;

/** The date format of HTTP (RFC 9110 section 5.6.7). */
public final class HttpDate {
    private static final String DAYS = "MonTueWedThuFriSatSun";
    private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
    private static final int NAME_LENGTH = 3;
    private static final int YEAR_DIGITS = 4;
    private static final int MOST_YEARS_AHEAD = 50;
    private static final int TIME_LENGTH = "08:49:37".length();
    private static final int ASCTIME_LENGTH = "Sun Nov  6 08:49:37 1994".length();
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

    /**
     * Reads one of the three forms that recipients have to take: {@code Sun, 06 Nov 1994 08:49:37
     * GMT}, {@code Sunday, 06-Nov-94 08:49:37 GMT} and {@code Sun Nov 6 08:49:37 1994}. Whether the
     * day of the week fits is not looked at. A second 60 is taken for 59.
     *
     * @param nowSeconds since 1970: a year of two digits that would be more than 50 years ahead has
     *     passed
     * @return seconds since 1970; empty for what is no date
     */
    public static OptionalLong parse(String text, long nowSeconds) {
        try {
            int comma = text.indexOf(',');
            if (comma < 0) {
                return parseAsctime(text);
            }
            boolean isShort = comma == NAME_LENGTH;
            String separator = isShort ? " " : "-";
            int at = comma + 2;
            int yearDigits = isShort ? YEAR_DIGITS : 2;
            int timeAt = at + 8 + yearDigits;
            boolean fits =
                    text.length() == timeAt + TIME_LENGTH + " GMT".length()
                            && text.endsWith(" GMT")
                            && text.charAt(comma + 1) == ' '
                            && text.startsWith(separator, at + 2)
                            && text.startsWith(separator, at + 6)
                            && text.charAt(timeAt - 1) == ' ';
            if (!fits) {
                return OptionalLong.empty();
            }
            int year = number(text, at + 7, yearDigits);
            return seconds(
                    isShort ? year : fullYear(year, nowSeconds),
                    text.substring(at + 3, at + 6),
                    number(text, at, 2),
                    text,
                    timeAt);
        } catch (DateTimeException | NumberFormatException none) {
            return OptionalLong.empty();
        }
    }

    /** asctime-date = day-name SP month SP ( 2DIGIT / ( SP DIGIT ) ) SP time-of-day SP year */
    private static OptionalLong parseAsctime(String text) {
        if (text.length() != ASCTIME_LENGTH || text.charAt(3) != ' ' || text.charAt(7) != ' ') {
            return OptionalLong.empty();
        }
        boolean oneDigit = text.charAt(8) == ' ';
        int day = number(text, oneDigit ? 9 : 8, oneDigit ? 1 : 2);
        if (text.charAt(10) != ' ' || text.charAt(19) != ' ') {
            return OptionalLong.empty();
        }
        return seconds(number(text, 20, YEAR_DIGITS), text.substring(4, 7), day, text, 11);
    }

    private static OptionalLong seconds(int year, String month, int day, String text, int timeAt) {
        int monthAt = MONTHS.indexOf(month);
        if (monthAt < 0
                || monthAt % NAME_LENGTH != 0
                || text.charAt(timeAt + 2) != ':'
                || text.charAt(timeAt + 5) != ':') {
            return OptionalLong.empty();
        }
        int second = number(text, timeAt + 6, 2);
        LocalDateTime time =
                LocalDate.of(year, monthAt / NAME_LENGTH + 1, day)
                        .atTime(
                                number(text, timeAt, 2),
                                number(text, timeAt + 3, 2),
                                second == 60 ? 59 : second);
        return OptionalLong.of(time.toEpochSecond(ZoneOffset.UTC));
    }

    private static int fullYear(int twoDigits, long nowSeconds) {
        int now = LocalDateTime.ofEpochSecond(nowSeconds, 0, ZoneOffset.UTC).getYear();
        int year = now - now % 100 + twoDigits;
        return year > now + MOST_YEARS_AHEAD ? year - 100 : year;
    }

    private static int number(String text, int at, int digits) {
        for (int i = at; i < at + digits; i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                throw new NumberFormatException("no digit");
            }
        }
        return Integer.parseInt(text, at, at + digits, 10);
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
