/**
 * Event loops: one thread, one selector, tasks, timers, and output that leaves at the end of the
 * turn.
 *
 * <p>Nothing here knows a protocol; TCP and Unix domain sockets are served alike.
 */
@NullMarked
package dev.handoff.loop;

import org.jspecify.annotations.NullMarked;
