package dev.handoff.http;

import org.jspecify.annotations.Nullable;

/**
 * Reads a request line and a header section, and judges them together as soon as the empty line has
 * arrived. The bytes may come in any portions.
 *
 * <pre>
 *   START ──CR──&gt; EMPTY_LINE_LF ──LF──&gt; START
 *     │
 *     v
 *   REQUEST_LINE ──&gt; FIELDS ──&gt; DONE        (REFUSED from anywhere)
 * </pre>
 */
final class HeadParser {
    private enum State {
        START,
        EMPTY_LINE_LF,
        REQUEST_LINE,
        FIELDS,
        DONE,
        REFUSED
    }

    /**
     * RFC 9112 section 2.2 wants at least one skipped, because some old clients send one too many
     * after a body. Without a limit a client could hold a connection with them for nothing.
     */
    private static final int MOST_EMPTY_LINES = 8;

    /** The memory of a field besides its characters: two strings, their arrays and references. */
    private static final int FIELD_OVERHEAD_BYTES = 64;

    private final ParserLimits limits;
    private final Fragment fragment = new Fragment();
    private final Headers.Builder headers = new Headers.Builder();
    private final RequestLineParser requestLine;
    private final FieldParser fields;

    private State state = State.START;

    /** The empty lines before this head. */
    private int emptyLines;

    /** Bytes of this head taken so far, without the empty lines before it. */
    private int taken;

    /** The header section once it is whole, until then empty. */
    private Headers section = Headers.EMPTY;

    private @Nullable Head head;
    private @Nullable Refusal refusal;

    HeadParser(ParserLimits limits, boolean servesHttps) {
        this.limits = limits;
        this.requestLine = new RequestLineParser(limits, servesHttps, fragment);
        this.fields = FieldParser.ofHeaders(limits.fields(), fragment, headers);
    }

    /** Reads on; returns the index behind the last byte taken. */
    int parse(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && isBeforeRequest()) {
            at = emptyLine(bytes[at], at);
        }
        if (at == to || isOver()) {
            return at;
        }
        int room = limits.headBytes() - taken;
        int limit = to - at > room ? at + room : to;
        int end = lines(bytes, at, limit);
        taken += end - at;
        if (end < to && !isOver()) {
            // RFC 9112 section 3: no method that is implemented is that long.
            boolean inMethod = state == State.REQUEST_LINE && requestLine.isInMethod();
            return refuse(inMethod ? Refusal.METHOD_TOO_LONG : Refusal.HEAD_TOO_LARGE, end);
        }
        return end;
    }

    /** Whether no byte of a request has arrived yet. */
    boolean isBeforeRequest() {
        return switch (state) {
            case START, EMPTY_LINE_LF -> true;
            case REQUEST_LINE, FIELDS, DONE, REFUSED -> false;
        };
    }

    /** The accepted head, or null while it is incomplete or when it was refused. */
    @Nullable Head head() {
        return head;
    }

    @Nullable Refusal refusal() {
        return refusal;
    }

    /** The form of the server's response, judged by as much of the head as has arrived. */
    ErrorForm errorForm() {
        return ErrorForm.of(requestLine.method(), section.isEmpty() ? headers.copy() : section);
    }

    RequestStart start() {
        return new RequestStart(requestLine.method(), requestLine.rawTarget());
    }

    /** Roughly the bytes of memory that the head holds so far. */
    int bufferedBytes() {
        return taken + FIELD_OVERHEAD_BYTES * fields.count();
    }

    /** Forgets everything and gets ready for the next head. */
    void reset() {
        state = State.START;
        emptyLines = 0;
        taken = 0;
        section = Headers.EMPTY;
        head = null;
        refusal = null;
        requestLine.reset();
        fields.reset();
        headers.clear();
    }

    private boolean isOver() {
        return state == State.DONE || state == State.REFUSED;
    }

    private int emptyLine(byte b, int at) {
        if (state == State.EMPTY_LINE_LF) {
            if (b != '\n') {
                return refuse(Refusal.BARE_CR, at);
            }
            state = State.START;
            emptyLines++;
            return at + 1;
        }
        if (b == '\r' && emptyLines < MOST_EMPTY_LINES) {
            state = State.EMPTY_LINE_LF;
            return at + 1;
        }
        if (b == '\n') {
            return refuse(Refusal.BARE_LF, at);
        }
        state = State.REQUEST_LINE;
        return at;
    }

    private int lines(byte[] bytes, int from, int to) {
        int at = from;
        if (state == State.REQUEST_LINE) {
            at = requestLine.parse(bytes, at, to);
            Refusal why = requestLine.refusal();
            if (why != null) {
                return refuse(why, at - 1);
            }
            if (!requestLine.isDone()) {
                return at;
            }
            state = State.FIELDS;
        }
        at = fields.parse(bytes, at, to);
        Refusal why = fields.refusal();
        if (why == null && fields.isDone()) {
            why = judge();
        }
        return why == null ? at : refuse(why, at - 1);
    }

    /** The whole head is there: makes the {@link Head}, or returns what is wrong with it. */
    private @Nullable Refusal judge() {
        HttpVersion version = requestLine.version();
        RequestTarget target = requestLine.target();
        section = headers.build();
        HeadFields read = new HeadFields(section);

        Refusal host = judgeHost(version, target, read);
        if (host != null) {
            return host;
        }
        BodyFraming framing = BodyFraming.of(version, read, limits.bodyBytes());
        if (framing instanceof BodyFraming.Refused refused) {
            return refused.refusal();
        }
        // RFC 9110 section 10.1.1: expectations of HTTP/1.0 clients are ignored.
        boolean mayExpect = version == HttpVersion.HTTP_1_1;
        if (mayExpect && read.expectsUnknown()) {
            return Refusal.UNKNOWN_EXPECTATION;
        }
        head =
                new Head(
                        requestLine.method(),
                        target.originForm(),
                        version,
                        target.authority() == null
                                ? section
                                : withHost(section, target.authority()),
                        framing,
                        read.isPersistent(version),
                        mayExpect && read.expectsContinue());
        state = State.DONE;
        return null;
    }

    /**
     * RFC 9112 section 3.2: exactly one valid Host in 1.1, even beside an absolute target; 1.0 may
     * leave it out, but what it sends must be valid. An empty Host is valid but names no host, so
     * it is enough only with a target that does.
     */
    private static @Nullable Refusal judgeHost(
            HttpVersion version, RequestTarget target, HeadFields read) {
        if (read.hosts() == 0) {
            return version == HttpVersion.HTTP_1_1 ? Refusal.MISSING_HOST : null;
        }
        if (read.hosts() > 1) {
            return Refusal.DUPLICATE_HOST;
        }
        boolean needless = read.host().isEmpty() && target.authority() != null;
        return needless || Authority.isValid(read.host()) ? null : Refusal.BAD_HOST;
    }

    /** RFC 9112 section 3.2.2: the authority of an absolute target replaces the Host field. */
    private static Headers withHost(Headers section, String authority) {
        Headers.Builder replaced = new Headers.Builder();
        for (int i = 0; i < section.size(); i++) {
            String name = section.name(i);
            replaced.add(name, name.equals("host") ? authority : section.value(i));
        }
        if (!section.contains("host")) {
            replaced.add("host", authority);
        }
        return replaced.build();
    }

    private int refuse(Refusal why, int at) {
        refusal = why;
        state = State.REFUSED;
        return at + 1;
    }
}
