package dev.handoff.conformance;

import dev.handoff.http.Body;
import dev.handoff.http.Response;

/**
 * What the server has to make of some bytes of a client's.
 *
 * @param name file and heading
 * @param ended whether the client ends its output behind the bytes
 * @param reply what the handler answers to every request
 */
record Fixture(
        String name,
        FixtureLimits limits,
        boolean ended,
        Body bytes,
        Response reply,
        Outcome outcome) {}
