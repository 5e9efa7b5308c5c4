package dev.handoff.launcher.access;

import org.jspecify.annotations.Nullable;

/** Entries for tests. */
final class Entries {
    private static final long TIME = 784_111_777_042L;

    private Entries() {}

    /** An answered request of which everything is known. */
    static AccessEntry full() {
        return new AccessEntry(
                TIME,
                "[2001:db8::1]:4711",
                "GET",
                "/a?b",
                "1.1",
                200,
                6,
                1_234_567,
                12_000,
                1_000_999,
                "site",
                "site-1",
                "id-1",
                "4bf92f3577b34da6a3ce929d0e0e4736",
                "curl/8.5",
                "http://a.example/",
                null);
    }

    /** A request that was refused before its first line had come. */
    static AccessEntry refused() {
        return new AccessEntry(
                TIME,
                "192.0.2.1:4711",
                "",
                "",
                null,
                408,
                38,
                AccessEntry.UNKNOWN,
                AccessEntry.UNKNOWN,
                AccessEntry.UNKNOWN,
                null,
                null,
                null,
                null,
                null,
                null,
                "head_timeout");
    }

    static AccessEntry withTarget(String target) {
        return withText(target, null);
    }

    /** What a client may choose is all the same text. */
    static AccessEntry withText(String text, @Nullable String error) {
        return new AccessEntry(
                TIME,
                "192.0.2.1:4711",
                text,
                text,
                "1.1",
                200,
                0,
                0,
                0,
                0,
                "p",
                "p-1",
                text,
                null,
                text,
                text,
                error);
    }
}
