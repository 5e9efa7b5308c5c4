/**
 * What a running server counts, and how it is read.
 *
 * <p>{@link dev.handoff.admin.stats.Counters} listen on the event loops, each of which writes only
 * its own; {@link dev.handoff.admin.stats.Statistics} has each loop copy its counts, and adds the
 * copies up. A window is the difference of two such sums, so that a reset writes nothing and
 * readers do not disturb each other.
 */
@NullMarked
package dev.handoff.admin.stats;

import org.jspecify.annotations.NullMarked;
