package dev.handoff.admin.stats;

/** How two values of one count become one. */
enum Combination {
    /** The values of two loops. */
    SUM {
        @Override
        long of(long one, long other) {
            return one + other;
        }

        @Override
        Durations of(Durations one, Durations other) {
            return one.plus(other);
        }
    },
    /** A value, and the same at an earlier time. */
    DIFFERENCE {
        @Override
        long of(long later, long earlier) {
            return later - earlier;
        }

        @Override
        Durations of(Durations later, Durations earlier) {
            return later.minus(earlier);
        }
    };

    abstract long of(long one, long other);

    abstract Durations of(Durations one, Durations other);
}
