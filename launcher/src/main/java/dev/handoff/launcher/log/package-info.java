/**
 * How lines of the log look, as text and as JSON. Values in, lines out: who writes them where is
 * the launcher's.
 */
@NullMarked
package dev.handoff.launcher.log;

import org.jspecify.annotations.NullMarked;
