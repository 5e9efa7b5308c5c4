/**
 * Worker pools: who takes a request, who waits, and what happens when a worker dies.
 *
 * <p>A {@link dev.handoff.process.WorkerPool} lives on one event loop, with its workers' sockets
 * and its queue, so none of them needs a lock. {@link dev.handoff.process.Supervisor} starts the
 * processes of a pool and keeps them running; {@link dev.handoff.process.WorkerSocket} lets workers
 * in, whoever started them.
 */
@NullMarked
package dev.handoff.process;

import org.jspecify.annotations.NullMarked;
