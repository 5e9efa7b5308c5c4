package dev.handoff.launcher.logging;

import java.time.Instant;

/**
 * A line that a worker wrote.
 *
 * @param stream {@code stdout} or {@code stderr}
 */
public record WorkerOutput(Instant time, String pool, String worker, String stream, String text) {}
