/**
 * Worker pools, each put together from three parts that do not know it: {@code dispatch} brings
 * requests to workers, {@code supervise} is where workers come from, and {@code join} lets them in.
 *
 * <p>Start at {@link dev.handoff.process.WorkerPool}. A pool lives on one event loop, with its
 * workers' sockets and its queue, so none of them needs a lock.
 */
@NullMarked
package dev.handoff.process;

import org.jspecify.annotations.NullMarked;
