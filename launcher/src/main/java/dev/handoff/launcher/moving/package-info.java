/** Configurations of other servers, as far as they mean something here. */
@NullMarked
package dev.handoff.launcher.moving;

import org.jspecify.annotations.NullMarked;
