/**
 * The admin server: operators ask and change a running server here. It has a listener and a loop of
 * its own, so that a saturated server can still be read.
 */
@NullMarked
package dev.handoff.admin;

import org.jspecify.annotations.NullMarked;
