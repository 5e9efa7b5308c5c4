/**
 * What a request passes in a pool: the queue, the choice of a worker, and the workers' connections.
 * Knows no process; a connection fills a {@link dev.handoff.process.dispatch.WorkerPlace}.
 *
 * <p>Start at {@link dev.handoff.process.dispatch.PoolDispatch}, which puts the parts together, and
 * at {@link dev.handoff.process.dispatch.Dispatcher}, which decides who gets what.
 */
@NullMarked
package dev.handoff.process.dispatch;

import org.jspecify.annotations.NullMarked;
