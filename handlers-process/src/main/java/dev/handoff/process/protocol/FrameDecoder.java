package dev.handoff.process.protocol;

import dev.handoff.http.Body;
import dev.handoff.http.SpareArrays;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the frames in a stream of bytes and reads them:
 *
 * <pre>
 *   PREFIX --lengths within limits--> JSON --a message--> BODY --> PREFIX
 *      \______________________________/
 *                  | a broken rule
 *                  v
 *               REFUSED
 * </pre>
 *
 * Each connection has its own; it is not thread-safe. A part that lies whole in the caller's array
 * is read there. An incomplete part is kept as far as it has arrived, so memory follows the bytes
 * that arrived, never a declared length.
 */
public final class FrameDecoder {
    static final int PREFIX_BYTES = 8;

    private static final VarHandle BIG_ENDIAN_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    /** The first four bytes of HTTP messages, read as the length that they would be. */
    private static final Set<String> HTTP_BEGINNINGS =
            Set.of(
                    "GET ", "HEAD", "POST", "PUT ", "PATC", "DELE", "OPTI", "TRAC", "CONN", "PRI ",
                    "HTTP");

    private enum Stage {
        PREFIX,
        JSON,
        BODY,
        REFUSED
    }

    private final FrameLimits limits;
    private final Peer from;
    private final JsonHeadParser parser = new JsonHeadParser();
    private final KnownHeads known = new KnownHeads();
    private final FramePart part;

    private Stage stage = Stage.PREFIX;
    private int bodyBytes;
    private int consumedTo;

    /** In {@link Stage#BODY}: the message of this body, or null if it will be ignored. */
    private @Nullable Message message;

    private Decoded.@Nullable Refused refusal;

    /**
     * @param limits what the decoding side accepts
     * @param from the sender: the core refuses unknown types, a worker ignores them
     */
    public FrameDecoder(FrameLimits limits, Peer from) {
        this(limits, from, SpareArrays.NONE);
    }

    /**
     * @param spare for bodies as large as such an array, which are {@linkplain Body#lent lent}
     */
    public FrameDecoder(FrameLimits limits, Peer from, SpareArrays spare) {
        this.part = new FramePart(spare);
        this.limits = limits;
        this.from = from;
        part.begin(PREFIX_BYTES);
    }

    /**
     * Takes bytes up to the end of one frame; {@link #consumedTo()} says how many. After {@link
     * Decoded.Refused} it takes everything and only repeats itself.
     *
     * @param bytes never kept; the decoder copies what has to wait
     */
    public Decoded decode(byte[] bytes, int from, int to) {
        consumedTo = from;
        try {
            while (stage != Stage.REFUSED && gather(bytes, to)) {
                Message complete = endPart();
                if (complete != null) {
                    return new Decoded.Complete(complete);
                }
            }
        } catch (BrokenRule broken) {
            stage = Stage.REFUSED;
            part.begin(0);
            message = null;
            refusal = broken.toRefused();
        }
        if (refusal != null) {
            consumedTo = to;
            return refusal;
        }
        return Decoded.Incomplete.INCOMPLETE;
    }

    /** The index after the last byte that the latest {@link #decode} took. */
    public int consumedTo() {
        return consumedTo;
    }

    /** Whether a frame has begun and is not complete. */
    public boolean inFrame() {
        return switch (stage) {
            case PREFIX -> part.hasBegun();
            case JSON, BODY -> true;
            case REFUSED -> false;
        };
    }

    /** The memory held for an incomplete frame. */
    public int bufferedBytes() {
        return part.heldBytes();
    }

    /**
     * The size of the part of the frame, JSON or body, that is incomplete; 0 if it is the prefix.
     */
    public int partBytes() {
        return stage == Stage.PREFIX || stage == Stage.REFUSED ? 0 : part.sizeBytes();
    }

    /** How much of that part has arrived. */
    public int partCameBytes() {
        return part.cameBytes();
    }

    /** The message whose body is incomplete; null in every other part of a frame. */
    public @Nullable Message awaitingBody() {
        return message;
    }

    /**
     * Drops the incomplete body: its bytes are read and thrown away, and the complete message has
     * no body.
     */
    public void dropBody() {
        if (stage == Stage.BODY) {
            part.drop();
        }
    }

    /** Whether the incomplete body is dropped. */
    public boolean dropsBody() {
        return part.isDropped();
    }

    private boolean gather(byte[] bytes, int to) {
        consumedTo = part.add(bytes, consumedTo, to);
        return part.isComplete();
    }

    private @Nullable Message endPart() throws BrokenRule {
        return switch (stage) {
            case PREFIX -> endPrefix();
            case JSON -> endJson();
            case BODY -> endBody();
            case REFUSED -> throw new IllegalStateException("refused already");
        };
    }

    private @Nullable Message endPrefix() throws BrokenRule {
        int jsonBytes = readInt(0);
        bodyBytes = readInt(Integer.BYTES);
        if (jsonBytes >= 0 && jsonBytes < FrameLimits.SHORTEST_JSON_BYTES) {
            throw badLength(ProtocolFault.FRAME_JSON_TOO_SHORT, jsonBytes, jsonBytes + " bytes");
        }
        if (isOver(jsonBytes, limits.jsonBytes())) {
            throw tooLongJson(jsonBytes);
        }
        if (isOver(bodyBytes, limits.bodyBytes())) {
            throw badLength(
                    ProtocolFault.FRAME_BODY_TOO_LONG,
                    jsonBytes,
                    tooLong(bodyBytes, limits.bodyBytes()));
        }
        stage = Stage.JSON;
        part.begin(jsonBytes);
        return null;
    }

    private @Nullable Message endJson() throws BrokenRule {
        byte[] bytes = part.bytes();
        int end = part.start() + part.sizeBytes();
        Message head = readHead(bytes, part.start(), end);
        if (bodyBytes == 0) {
            beginFrame();
            return head;
        }
        message = head;
        stage = Stage.BODY;
        part.begin(bodyBytes);
        return null;
    }

    private @Nullable Message readHead(byte[] bytes, int start, int end) throws BrokenRule {
        Message.Response again = known.find(bytes, start, end);
        if (again != null) {
            return again;
        }
        try {
            Message read = MessageReader.read(parser.parse(bytes, start, end), from, bodyBytes);
            if (read instanceof Message.Response response) {
                known.keep(bytes, start, end, response);
            }
            return read;
        } catch (BrokenRule broken) {
            throw broken.in(parser.subject());
        } finally {
            parser.forget();
        }
    }

    private @Nullable Message endBody() {
        Message head = message;
        Message whole = head == null ? null : MessageReader.withBody(head, part.toBody());
        beginFrame();
        return whole;
    }

    private void beginFrame() {
        message = null;
        stage = Stage.PREFIX;
        part.begin(PREFIX_BYTES);
    }

    private BrokenRule tooLongJson(int jsonBytes) {
        String beginning = asText(jsonBytes);
        if (HTTP_BEGINNINGS.contains(beginning)) {
            return new BrokenRule(
                    ProtocolFault.LOOKS_LIKE_HTTP,
                    "\"" + beginning + "\": HTTP clients belong on the HTTP port");
        }
        return badLength(
                ProtocolFault.FRAME_JSON_TOO_LONG,
                jsonBytes,
                tooLong(jsonBytes, limits.jsonBytes()));
    }

    private BrokenRule badLength(ProtocolFault fault, int jsonBytes, String found) {
        return new BrokenRule(fault, PrefixHint.explain(found, jsonBytes, bodyBytes, limits));
    }

    private static String tooLong(int bytes, int limit) {
        return Integer.toUnsignedString(bytes) + " bytes, at most " + limit + " accepted";
    }

    private static boolean isOver(int unsigned, int limit) {
        return Integer.compareUnsigned(unsigned, limit) > 0;
    }

    private static String asText(int fourBytes) {
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt(fourBytes).array();
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Unsigned: to be compared as such. */
    private int readInt(int offset) {
        byte[] bytes = part.bytes();
        return (int) BIG_ENDIAN_INT.get(bytes, part.start() + offset);
    }
}
