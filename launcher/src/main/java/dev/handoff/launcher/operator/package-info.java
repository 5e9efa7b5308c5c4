/**
 * The commands that talk to a running server through its admin API: {@code handoff stats}, {@code
 * reset} and {@code top}, which ask, and {@code drain}, {@code kill}, {@code reload} and {@code
 * scale}, which have it do something. Nothing here is part of a server.
 */
@NullMarked
package dev.handoff.launcher.operator;

import org.jspecify.annotations.NullMarked;
