package dev.handoff.process.protocol;

/** The rules that a frame can break. */
public enum ProtocolFault {
    FRAME_JSON_TOO_SHORT("frame_json_too_short", "the JSON of a frame has at least two bytes"),
    FRAME_JSON_TOO_LONG("frame_json_too_long", "the JSON of a frame is longer than its limit"),
    FRAME_BODY_TOO_LONG("frame_body_too_long", "the body of a frame is longer than its limit"),
    FRAME_TIMEOUT("frame_timeout", "a frame that was begun goes on coming"),
    LOOKS_LIKE_HTTP("looks_like_http", "this socket speaks the worker protocol, not HTTP"),
    NOT_JSON("not_json", "the head of a frame is one JSON value in UTF-8"),
    NOT_AN_OBJECT("not_an_object", "the head of a frame is a JSON object"),
    TOO_DEEP("too_deep", "the head of a frame is nested too deeply"),
    DUPLICATE_KEY("duplicate_key", "a known key comes once"),
    MISSING_TYPE("missing_type", "every message has a type"),
    UNKNOWN_TYPE("unknown_type", "the core refuses types that it does not know"),
    WRONG_DIRECTION("wrong_direction", "this type is sent by the other side only"),
    MISSING_KEY("missing_key", "a required key is missing"),
    WRONG_TYPE("wrong_type", "the value of a key has the wrong JSON type"),
    OUT_OF_ORDER("out_of_order", "hello is the first message of a worker, and comes once"),
    OUT_OF_RANGE("out_of_range", "the value of a key is outside its range"),
    BAD_ID("bad_id", "an id is an integer from 1 to 2^53-1"),
    UNEXPECTED_BODY("unexpected_body", "only request and response carry a body");

    private final String wireName;
    private final String message;

    ProtocolFault(String wireName, String message) {
        this.wireName = wireName;
        this.message = message;
    }

    /** The code in {@code refused}, in metrics and in fixtures. */
    public String wireName() {
        return wireName;
    }

    /** The rule, in words. */
    public String message() {
        return message;
    }
}
