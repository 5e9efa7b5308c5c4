package dev.handoff.admin.api;

import jakarta.json.spi.JsonProvider;

/**
 * The JSON-P implementation that the admin server and the launcher use, found once: each of the
 * static methods of {@code jakarta.json.Json} searches all jars for one. Any thread.
 */
public final class JsonLibrary {
    public static final JsonProvider PROVIDER = JsonProvider.provider();

    private JsonLibrary() {}
}
