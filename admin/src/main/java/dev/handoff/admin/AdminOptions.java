package dev.handoff.admin;

import dev.handoff.admin.api.AccessToken;
import org.jspecify.annotations.Nullable;

/**
 * Where an admin server listens, and for whom.
 *
 * @param port 0 for any that is free
 * @param token what callers have to show; null for none, which only a loopback address allows
 * @param connections how many may be open; a further one takes the place of another
 */
public record AdminOptions(String host, int port, @Nullable AccessToken token, int connections) {}
