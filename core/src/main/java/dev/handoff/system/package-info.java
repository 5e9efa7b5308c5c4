/**
 * What the system can and Java has no word for. It asks the system itself, on Linux; elsewhere it
 * does what Java can.
 *
 * <p>The first use costs a start some milliseconds.
 */
@NullMarked
package dev.handoff.system;

import org.jspecify.annotations.NullMarked;
