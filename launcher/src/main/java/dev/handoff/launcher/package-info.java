/**
 * The program: main, command line, wiring, logs.
 *
 * <p>Nothing depends on this package. Only here is the environment read, a signal caught, a line
 * printed, the process ended.
 */
@NullMarked
package dev.handoff.launcher;

import org.jspecify.annotations.NullMarked;
