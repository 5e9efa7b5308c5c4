/**
 * What the user can choose, and what becomes of it: options, environment variables and {@code
 * handoff.json} in, a {@link dev.handoff.launcher.config.Configuration} out. Nothing here serves or
 * starts anything, and nothing here uses another package of the launcher. {@link
 * dev.handoff.launcher.config.AllSettings} lists every setting.
 */
@NullMarked
package dev.handoff.launcher.config;

import org.jspecify.annotations.NullMarked;
