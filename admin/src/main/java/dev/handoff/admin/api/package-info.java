/**
 * What the admin server can be asked and told over HTTP: who may, where it goes, and the responses
 * that need no counting. Statistics, metrics and the page bring endpoints of their own.
 */
@NullMarked
package dev.handoff.admin.api;

import org.jspecify.annotations.NullMarked;
