/**
 * What operators ask a running server, on a listener and a loop of its own, so that a saturated
 * server can still be read.
 */
@NullMarked
package dev.handoff.admin;

import org.jspecify.annotations.NullMarked;
