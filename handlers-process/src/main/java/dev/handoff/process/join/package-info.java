/**
 * How a worker gets into a pool: the Unix domain socket on which the core listens, the first frame,
 * and the decision who is welcomed.
 *
 * <p>Start at {@link dev.handoff.process.join.WorkerSocket}; {@link
 * dev.handoff.process.join.WorkerEntrance} is where a worker is let in or turned away.
 */
@NullMarked
package dev.handoff.process.join;

import org.jspecify.annotations.NullMarked;
