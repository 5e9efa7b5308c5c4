package dev.handoff.http;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the requests of one connection, one after the other (RFC 9112). The bytes may come in any
 * portions, which never change the verdict. It refuses a wrong byte as soon as it sees it. It never
 * keeps or changes the caller's arrays.
 *
 * <pre>
 *   IDLE ──&gt; HEAD ──&gt; BODY          a request without content goes from HEAD to IDLE
 *     ^________|________|           after a refusal it stays where it was, for good
 * </pre>
 *
 * <p>Not thread-safe: it belongs to its connection's event loop. The server takes care of time
 * limits, the order of responses and the memory of all connections together.
 */
public final class RequestParser {
    /** How far the next request has come. */
    public enum Phase {
        /** No byte has arrived; an empty line before the request does not count. */
        IDLE,
        /** In the request line or header section. */
        HEAD,
        /** The head is accepted, and content is still to come. */
        BODY
    }

    /** The first array for a body of known length, unless more has arrived or it is shorter. */
    private static final int FIRST_BODY_BYTES = 16 * 1024;

    private final ParserLimits limits;
    private final HeadParser headParser;
    private final @Nullable ContentStore store;

    /** Not null in the phase BODY. */
    private @Nullable Head head;

    /** Not null from the first byte of the body on. */
    private @Nullable BodyCollector body;

    /** Not null besides where the body is chunked. */
    private @Nullable ChunkedDecoder chunks;

    /** Not null where the request has been handed over, and its content follows. */
    private ContentStore.@Nullable Arriving arriving;

    private Parsed.@Nullable Refused refused;

    /** The phase in which the request was refused; it never changes again. */
    private Phase refusedIn = Phase.IDLE;

    /** The form of the refused request's response; it never changes again. */
    private @Nullable ErrorForm refusedForm;

    private @Nullable RequestStart refusedStart;

    private int consumedTo;

    public RequestParser(ParserLimits limits) {
        this(limits, false, null);
    }

    /**
     * @param servesHttps whether an https target is served (RFC 9110 section 7.4): over TLS, and
     *     for a gateway that ended TLS for the client
     * @param store for content that does not wait in memory until it is whole; null where all does
     */
    public RequestParser(ParserLimits limits, boolean servesHttps, @Nullable ContentStore store) {
        this.limits = limits;
        this.store = store;
        this.headParser = new HeadParser(limits, servesHttps);
    }

    /**
     * Reads on from where the last call stopped, up to the end of one request at most. After {@link
     * Parsed.Complete} the next call begins with the next request, unless the content {@linkplain
     * Body#arriving arrives}: then {@link Parsed.ContentEnd} comes between. {@link Parsed.Refused}
     * takes the bytes up to the wrong one; every later call returns the same and takes nothing.
     *
     * @param from index of the first new byte
     * @param to index behind the last one
     */
    public Parsed parse(byte[] bytes, int from, int to) {
        Objects.checkFromToIndex(from, to, bytes.length);
        consumedTo = from;
        if (refused != null) {
            return refused;
        }
        if (head == null) {
            consumedTo = headParser.parse(bytes, from, to);
            Refusal why = headParser.refusal();
            if (why != null) {
                return refuse(why);
            }
            head = headParser.head();
            if (head == null) {
                return Parsed.Incomplete.INCOMPLETE;
            }
            if (store != null && !isHere(head.framing(), to)) {
                arriving = store.arrive(head.request(Body.EMPTY), head.expectsContinue());
                if (arriving != null) {
                    return head.completedBy(Body.arriving(arriving));
                }
            }
        }
        return switch (head.framing()) {
            case BodyFraming.Plain plain ->
                    switch (plain) {
                        case NONE -> complete(head, Body.EMPTY);
                        case CHUNKED -> chunked(head, bytes, to);
                    };
            case BodyFraming.Length length -> withLength(head, length.bytes(), bytes, to);
            case BodyFraming.Refused doubtful ->
                    throw new IllegalStateException("an accepted head has " + doubtful);
        };
    }

    /** Whether the latest bytes were more work than content is, since their chunks are small. */
    public boolean hasSmallChunks() {
        return chunks != null && chunks.hasSmallChunks();
    }

    /** Index behind the last byte that the last call of {@link #parse} took. */
    public int consumedTo() {
        return consumedTo;
    }

    public Phase phase() {
        if (refused != null) {
            return refusedIn;
        }
        if (head != null) {
            return Phase.BODY;
        }
        return headParser.isBeforeRequest() ? Phase.IDLE : Phase.HEAD;
    }

    /**
     * Whether the client waits for {@code 100 Continue}: its head is accepted, asks for it and
     * announces content, and no byte of the content has arrived.
     */
    public boolean awaitsContinue() {
        return head != null && head.expectsContinue() && body == null;
    }

    /** The form of the server's own response to the request that it reads or has refused. */
    public ErrorForm errorForm() {
        return refusedForm != null ? refusedForm : headParser.errorForm();
    }

    /** As much as is known of the request that is being read or was refused. */
    public RequestStart requestStart() {
        return refusedStart != null ? refusedStart : headParser.start();
    }

    /** Roughly how much memory the incomplete request holds. */
    public int bufferedBytes() {
        return headParser.bufferedBytes() + (body == null ? 0 : body.bufferedBytes());
    }

    /** Whether so much of the content waits for the store to take it that no more should come. */
    public boolean isAheadOfStore() {
        return body != null && body.isAhead();
    }

    /** Whether the request that is being read has been handed over. */
    public boolean isHandedOver() {
        return arriving != null;
    }

    /** Lets go of the request that is incomplete. Nothing may be read afterwards. */
    public void discard() {
        forget();
    }

    private Parsed withLength(Head current, int length, byte[] bytes, int to) {
        int come = to - consumedTo;
        if (come == 0) {
            return Parsed.Incomplete.INCOMPLETE;
        }
        BodyCollector collector = body;
        if (collector == null) {
            collector = collector(length, Math.min(length, FIRST_BODY_BYTES));
            body = collector;
        }
        int end = come > collector.roomBytes() ? consumedTo + collector.roomBytes() : to;
        collector.take(bytes, consumedTo, end);
        consumedTo = end;
        return collector.roomBytes() == 0
                ? complete(current, collector.finish())
                : Parsed.Incomplete.INCOMPLETE;
    }

    private Parsed chunked(Head current, byte[] bytes, int to) {
        if (consumedTo == to) {
            return Parsed.Incomplete.INCOMPLETE;
        }
        BodyCollector collector = body;
        ChunkedDecoder decoder = chunks;
        if (collector == null || decoder == null) {
            collector = collector(limits.bodyBytes(), 0);
            decoder = new ChunkedDecoder(limits, collector);
            body = collector;
            chunks = decoder;
        }
        consumedTo = decoder.parse(bytes, consumedTo, to);
        Refusal why = decoder.refusal();
        if (why != null) {
            return refuse(why);
        }
        return decoder.isDone()
                ? complete(current, collector.finish())
                : Parsed.Incomplete.INCOMPLETE;
    }

    private BodyCollector collector(int mostBytes, int firstBytes) {
        return arriving == null
                ? new BodyCollector(mostBytes, firstBytes, store)
                : new BodyCollector(mostBytes, arriving);
    }

    /** Whether all content has come with the head. */
    private boolean isHere(BodyFraming framing, int to) {
        return switch (framing) {
            case BodyFraming.Plain plain -> plain == BodyFraming.Plain.NONE;
            case BodyFraming.Length length -> length.bytes() <= to - consumedTo;
            case BodyFraming.Refused doubtful -> true;
        };
    }

    private Parsed complete(Head current, Body content) {
        boolean handedOver = arriving != null;
        arriving = null;
        body = null;
        forget();
        return handedOver ? Parsed.ContentEnd.CONTENT_END : current.completedBy(content);
    }

    private Parsed refuse(Refusal why) {
        refusedIn = phase();
        refusedForm = headParser.errorForm();
        refusedStart = headParser.start();
        forget();
        Parsed.Refused verdict = new Parsed.Refused(why);
        refused = verdict;
        return verdict;
    }

    private void forget() {
        headParser.reset();
        head = null;
        if (arriving != null) {
            // Also where not a byte of the content has come.
            arriving.discard();
            arriving = null;
        }
        chunks = null;
        if (body != null) {
            body.discard();
            body = null;
        }
    }
}
