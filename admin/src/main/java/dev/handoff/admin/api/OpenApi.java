package dev.handoff.admin.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The description of the endpoints for programs, as OpenAPI 3.1. */
final class OpenApi {
    private static final String RESOURCE = "openapi.json";
    private static final String VERSION = "${version}";

    private final String json;

    private OpenApi(String json) {
        this.json = json;
    }

    /**
     * @param version of the server, whose characters need no escape in JSON
     */
    static OpenApi of(String version) {
        try (InputStream resource =
                Objects.requireNonNull(OpenApi.class.getResourceAsStream(RESOURCE))) {
            String text = new String(resource.readAllBytes(), StandardCharsets.UTF_8);
            return new OpenApi(text.replace(VERSION, version));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    String json() {
        return json;
    }
}
