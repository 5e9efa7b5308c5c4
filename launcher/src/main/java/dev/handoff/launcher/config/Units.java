package dev.handoff.launcher.config;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sizes and lengths of time, as people write them: {@code 8MiB}, {@code 500ms}. */
public final class Units {
    private record Unit(String name, long factor) {}

    /** Largest first, so that the first that leaves no fraction is the shortest way to write. */
    private static final List<Unit> SIZES =
            List.of(
                    new Unit("GiB", 1L << 30),
                    new Unit("MiB", 1L << 20),
                    new Unit("KiB", 1L << 10),
                    new Unit("", 1));

    private static final List<Unit> TIMES =
            List.of(
                    new Unit("h", Duration.ofHours(1).toMillis()),
                    new Unit("m", Duration.ofMinutes(1).toMillis()),
                    new Unit("s", Duration.ofSeconds(1).toMillis()),
                    new Unit("ms", 1));

    /** Far below what overflows as nanoseconds, far above what anybody waits. */
    private static final Duration LONGEST = Duration.ofDays(365);

    private static final List<String> SIZE_EXAMPLES = List.of("65536", "128KiB", "8MiB", "1GiB");
    private static final List<String> TIME_EXAMPLES = List.of("500ms", "30s", "2m", "1h");

    private Units() {}

    /** Bytes, alone or in KiB, MiB or GiB. */
    static Syntax<Long> size(long leastBytes, long mostBytes) {
        Syntax.Parser<Long> parser = text -> inRange(parse(text, SIZES), leastBytes, mostBytes);
        String expected =
                "a size such as %s, from %s to %s"
                        .formatted(
                                examples(SIZE_EXAMPLES, parser),
                                formatSize(leastBytes),
                                formatSize(mostBytes));
        return new Syntax<>(
                "SIZE", expected, parser, Units::formatSize, Syntax.JsonType.STRING_OR_INTEGER);
    }

    /** A number with one of the units ms, s, m and h. */
    public static Syntax<Duration> time(Duration least) {
        Syntax.Parser<Duration> parser =
                text -> {
                    Long millis = inRange(parse(text, TIMES), least.toMillis(), LONGEST.toMillis());
                    return millis == null ? null : Duration.ofMillis(millis);
                };
        String expected =
                "a length of time such as "
                        + examples(TIME_EXAMPLES, parser)
                        + (least.isZero() ? "" : ", at least " + formatTime(least));
        return new Syntax<>("TIME", expected, parser, Units::formatTime);
    }

    /** Those that are in the range: {@code 65536, 512KiB or 8MiB}. */
    private static String examples(List<String> all, Syntax.Parser<?> parser) {
        List<String> fit = all.stream().filter(each -> parser.parse(each) != null).toList();
        return fit.size() == 1
                ? fit.getFirst()
                : String.join(", ", fit.subList(0, fit.size() - 1)) + " or " + fit.getLast();
    }

    public static String formatSize(long bytes) {
        return bytes == 0 ? "0" : format(bytes, SIZES);
    }

    public static String formatTime(Duration time) {
        return time.isZero() ? "0s" : format(time.toMillis(), TIMES);
    }

    private static @Nullable Long parse(String text, List<Unit> units) {
        int digits = 0;
        while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
            digits++;
        }
        Long number = Syntax.parseDigits(text.substring(0, digits));
        if (number == null) {
            return null;
        }
        for (Unit unit : units) {
            if (unit.name.equals(text.substring(digits))) {
                return number > Long.MAX_VALUE / unit.factor ? null : number * unit.factor;
            }
        }
        return null;
    }

    private static @Nullable Long inRange(@Nullable Long number, long least, long most) {
        return number == null || number < least || number > most ? null : number;
    }

    private static String format(long value, List<Unit> units) {
        for (Unit unit : units) {
            if (value % unit.factor == 0) {
                return value / unit.factor + unit.name;
            }
        }
        throw new IllegalStateException("the smallest unit is not 1");
    }
}
