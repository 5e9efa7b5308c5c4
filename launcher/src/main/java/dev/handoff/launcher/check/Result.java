package dev.handoff.launcher.check;

import java.time.Duration;

/**
 * A case that was tried.
 *
 * @param time how long that took
 */
record Result(Case tried, Verdict verdict, Duration time) {}
