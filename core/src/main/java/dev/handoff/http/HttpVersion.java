package dev.handoff.http;

/** The protocol version of a request (RFC 9112 section 2.3). Other minor versions count as 1.1. */
public enum HttpVersion {
    HTTP_1_0("1.0"),
    HTTP_1_1("1.1");

    private final String number;

    HttpVersion(String number) {
        this.number = number;
    }

    /** {@code 1.0} or {@code 1.1}. */
    public String number() {
        return number;
    }
}
