package dev.handoff.http;

import org.jspecify.annotations.Nullable;

/**
 * The header fields that the core itself acts on, found in one pass over a header section. {@link
 * HeadParser} and {@link BodyFraming} judge what they mean together.
 */
final class HeadFields {
    private int hosts;
    private String host = "";
    private int contentLengths;
    private String contentLength = "";
    private @Nullable String transferEncoding;
    private boolean close;
    private boolean keepAlive;
    private boolean expectsContinue;
    private boolean expectsUnknown;

    HeadFields(Headers headers) {
        for (int i = 0; i < headers.size(); i++) {
            take(headers.name(i), headers.value(i));
        }
    }

    private void take(String name, String value) {
        switch (name) {
            case "host" -> {
                hosts++;
                host = value;
            }
            case "content-length" -> {
                contentLengths++;
                contentLength = value;
            }
            case "transfer-encoding" ->
                    // RFC 9110 section 5.3: several lines are one list.
                    transferEncoding =
                            transferEncoding == null ? value : transferEncoding + "," + value;
            case "connection" -> connectionOptions(value);
            case "expect" -> expectations(value);
            default -> {}
        }
    }

    /** Connection = #connection-option; options are case-insensitive tokens. */
    private void connectionOptions(String list) {
        FieldList.forEach(
                list,
                (from, to) -> {
                    close |= FieldList.isToken("close", list, from, to);
                    keepAlive |= FieldList.isToken("keep-alive", list, from, to);
                });
    }

    /** Expect = #expectation, of which one is known. */
    private void expectations(String list) {
        FieldList.forEach(
                list,
                (from, to) -> {
                    boolean known = FieldList.isToken("100-continue", list, from, to);
                    expectsContinue |= known;
                    expectsUnknown |= !known;
                });
    }

    int hosts() {
        return hosts;
    }

    /** The last Host line's value. */
    String host() {
        return host;
    }

    int contentLengths() {
        return contentLengths;
    }

    /** The last Content-Length line's value. */
    String contentLength() {
        return contentLength;
    }

    /** All Transfer-Encoding lines as one list, or null without any. */
    @Nullable String transferEncoding() {
        return transferEncoding;
    }

    boolean expectsContinue() {
        return expectsContinue;
    }

    boolean expectsUnknown() {
        return expectsUnknown;
    }

    /** RFC 9112 section 9.3. */
    boolean isPersistent(HttpVersion version) {
        return !close && (version == HttpVersion.HTTP_1_1 || keepAlive);
    }
}
