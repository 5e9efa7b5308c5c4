/**
 * The program: main, the command line, signals, the start and the stop of a server, and its wiring.
 * {@link dev.handoff.launcher.Main} is the way in.
 *
 * <p>No other module uses it. Only the launcher reads the environment, catches signals, prints and
 * ends the process.
 */
@NullMarked
package dev.handoff.launcher;

import org.jspecify.annotations.NullMarked;
