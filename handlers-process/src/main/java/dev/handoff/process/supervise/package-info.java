/**
 * Where a pool's workers come from: processes are started, watched, recycled, replaced and ended
 * here, and workers that were started elsewhere are known here while they are connected.
 *
 * <p>Start at {@link dev.handoff.process.supervise.Workforce} and its two kinds; the picture of one
 * process is in {@link dev.handoff.process.supervise.WorkerSlot}.
 */
@NullMarked
package dev.handoff.process.supervise;

import org.jspecify.annotations.NullMarked;
