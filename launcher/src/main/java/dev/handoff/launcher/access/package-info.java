/**
 * The access log: one line for each request. Start at {@link
 * dev.handoff.launcher.access.AccessLog}.
 */
@NullMarked
package dev.handoff.launcher.access;

import org.jspecify.annotations.NullMarked;
