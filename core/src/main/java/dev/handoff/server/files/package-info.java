/** Serves the files of a folder: docs/decisions/0019-targets.md. */
@NullMarked
package dev.handoff.server.files;

import org.jspecify.annotations.NullMarked;
