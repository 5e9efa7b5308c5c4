package dev.handoff.process.protocol;

/** The rules that a frame can break. */
public enum ProtocolFault {
    FRAME_JSON_TOO_SHORT(
            "frame_json_too_short", "the JSON of a frame must have at least two bytes"),
    FRAME_JSON_TOO_LONG("frame_json_too_long", "the JSON of a frame is longer than its limit"),
    FRAME_BODY_TOO_LONG("frame_body_too_long", "the body of a frame is longer than its limit"),
    FRAME_TIMEOUT("frame_timeout", "the rest of a frame came too slowly"),
    LOOKS_LIKE_HTTP("looks_like_http", "this socket speaks the worker protocol, not HTTP"),
    NOT_JSON("not_json", "the head of a frame must be one JSON value in UTF-8"),
    NOT_AN_OBJECT("not_an_object", "the head of a frame must be a JSON object"),
    TOO_DEEP("too_deep", "the head of a frame is nested too deeply"),
    DUPLICATE_KEY("duplicate_key", "a known key must not come twice"),
    MISSING_TYPE("missing_type", "every message must have a type"),
    UNKNOWN_TYPE("unknown_type", "the core does not know this type"),
    WRONG_DIRECTION("wrong_direction", "only the other side sends this type"),
    MISSING_KEY("missing_key", "a required key is missing"),
    WRONG_TYPE("wrong_type", "the value of a key has the wrong JSON type"),
    OUT_OF_ORDER("out_of_order", "hello must be a worker's first message, and come once"),
    OUT_OF_RANGE("out_of_range", "the value of a key is outside its range"),
    BAD_ID("bad_id", "an id must be an integer from 1 to 2^53-1"),
    UNEXPECTED_BODY("unexpected_body", "only request, response, data and message may have a body"),
    UNNAMED_FEATURE(
            "unnamed_feature", "only a worker that names the feature may send what belongs to it");

    private final String wireName;
    private final String message;

    ProtocolFault(String wireName, String message) {
        this.wireName = wireName;
        this.message = message;
    }

    /** The fault's code in {@code refused}, in metrics and in fixtures. */
    public String wireName() {
        return wireName;
    }

    /** The rule, in words. */
    public String message() {
        return message;
    }
}
