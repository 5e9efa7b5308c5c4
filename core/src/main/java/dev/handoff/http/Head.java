package dev.handoff.http;

/**
 * A request's accepted head, and what it says about the rest.
 *
 * @param target in origin form or {@code *}
 * @param headers with the effective Host
 * @param framing not {@link BodyFraming.Refused}
 * @param persistent whether the client wants to go on after the response
 * @param expectsContinue whether it waits for 100 before it sends the body
 */
record Head(
        String method,
        String target,
        HttpVersion version,
        Headers headers,
        BodyFraming framing,
        boolean persistent,
        boolean expectsContinue) {

    Parsed.Complete completedBy(Body body) {
        return new Parsed.Complete(request(body), persistent);
    }

    Request request(Body body) {
        return new Request(method, target, version, headers, body);
    }
}
