/**
 * The commands that talk to a running server through its admin API: {@code handoff stats}, {@code
 * reset} and {@code top}. Nothing here is part of a server.
 */
@NullMarked
package dev.handoff.launcher.operator;

import org.jspecify.annotations.NullMarked;
