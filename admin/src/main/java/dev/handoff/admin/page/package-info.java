/**
 * The dashboard: one page of static files, which reads the admin API as any other client does. The
 * files themselves are resources of this package.
 */
@NullMarked
package dev.handoff.admin.page;

import org.jspecify.annotations.NullMarked;
