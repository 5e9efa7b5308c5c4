/**
 * {@code handoff check}: plays the core to a worker, and says which rules of docs/PROTOCOL.md it
 * breaks.
 *
 * <p>{@link dev.handoff.launcher.check.CheckRun} leads. A {@link dev.handoff.launcher.check.Case}
 * is one rule and the steps that try it; the classes called {@code ...Cases} list them. A case
 * talks to the worker in a {@link dev.handoff.launcher.check.Conversation}, which it gets from its
 * {@link dev.handoff.launcher.check.Stage}. Nothing here is part of a server: sockets and threads
 * block.
 */
@NullMarked
package dev.handoff.launcher.check;

import org.jspecify.annotations.NullMarked;
