package dev.handoff.admin.api;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;

/** Makes the responses of endpoints. */
public final class Responses {
    private Responses() {}

    public static Response json(int status, String json) {
        return json(status, Body.utf8(json));
    }

    public static Response json(int status, Body json) {
        return Response.of(status, Headers.of("content-type", "application/json"), json);
    }

    public static Response text(int status, String text) {
        return Response.text(status, text);
    }

    public static Response text(int status, Body text) {
        return Response.of(status, Headers.of("content-type", "text/plain; charset=utf-8"), text);
    }
}
