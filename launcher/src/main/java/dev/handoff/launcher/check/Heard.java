package dev.handoff.launcher.check;

import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.ProtocolFault;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a worker has said on one connection so far, judged as the core does. For the thread of the
 * case.
 */
final class Heard {
    private final Terms terms;
    private final Transcript transcript;

    /** By id, those that are over included until {@link #forgetAnswered}. */
    private final Map<Long, Answer> answers = new LinkedHashMap<>();

    private @Nullable String stray;

    private Message.@Nullable Hello hello;
    private int window;
    private int pongs;
    private boolean drains;
    private @Nullable String fault;
    private @Nullable String end;

    Heard(Terms terms, Transcript transcript) {
        this.terms = terms;
        this.transcript = transcript;
    }

    void take(FrameSource.Came came) {
        switch (came) {
            case FrameSource.Whole whole -> {
                transcript.came(whole.shown());
                // A decoder that reads a worker gives what a worker says.
                take((Message.FromWorker) whole.message(), whole.json());
            }
            case FrameSource.Fault(var refused, String shown) -> {
                transcript.came(shown);
                fault =
                        "a frame broke the rule "
                                + refused.fault().wireName()
                                + ": "
                                + refused.inWords();
            }
            case FrameSource.End(String how) -> {
                transcript.came("the end of the connection");
                end = how;
            }
        }
    }

    private void take(Message.FromWorker message, String json) {
        if (hello == null && !(message instanceof Message.Hello)) {
            fault = rule(ProtocolFault.OUT_OF_ORDER);
            return;
        }
        switch (message) {
            case Message.Hello said -> {
                if (hello != null) {
                    fault = rule(ProtocolFault.OUT_OF_ORDER);
                }
                hello = said;
                window = said.concurrency();
            }
            case Message.Capacity capacity -> window = capacity.concurrency();
            case Message.Drain _ -> drains = true;
            case Message.Pong _ -> pongs++;
            case Message.Credit(long id, long bytes) -> {
                Answer answer = answers.get(id);
                if (answer != null) {
                    answer.uploadGranted(bytes);
                }
            }
            case Message.OfRequest said -> take(said, json);
        }
    }

    private void take(Message.OfRequest said, String json) {
        if (!mayBe(said)) {
            fault = rule(ProtocolFault.UNNAMED_FEATURE);
            return;
        }
        Answer answer = answers.get(said.id());
        if (answer == null || answer.isOver()) {
            stray = stray == null ? json : stray;
        } else {
            answer.take(said, json);
        }
    }

    /** Whether a message belongs to the version, or to a feature that both have named. */
    private boolean mayBe(Message.OfRequest said) {
        return switch (said) {
            case Message.WebSocketMessage message ->
                    has(Message.WEBSOCKETS) && (!message.unfinished() || has(Message.FRAGMENTS));
            case Message.Close _ -> has(Message.WEBSOCKETS);
            case Message.Response response when response.response().status() == 101 ->
                    has(Message.WEBSOCKETS) || !response.more();
            case Message.Response response -> !response.more() || has(Message.STREAMS);
            case Message.Data _ -> has(Message.STREAMS);
            case Message.Failure _ -> true;
        };
    }

    private static String rule(ProtocolFault broken) {
        return "a frame broke the rule " + broken.wireName() + ": " + broken.message();
    }

    /** Null before it came. */
    Message.@Nullable Hello hello() {
        return hello;
    }

    /** Whether hello and welcome both name a feature. */
    boolean has(String feature) {
        Message.Hello said = hello;
        return said != null
                && said.features().contains(feature)
                && terms.features().contains(feature);
    }

    int window() {
        return window;
    }

    /** Whether it has said drain. */
    boolean drains() {
        return drains;
    }

    int pongs() {
        return pongs;
    }

    void forgetPongs(int count) {
        pongs -= count;
    }

    /** Notes that a request with this id is sent: an answer is awaited. */
    Answer expect(long id) {
        Message.Hello said = hello;
        Answer answer = new Answer(id, terms.streamBytes(), said == null ? 0 : said.streamBytes());
        answers.put(id, answer);
        return answer;
    }

    /** How many requests take a place in the window. */
    long inWindow() {
        return answers.values().stream().filter(Answer::isInWindow).count();
    }

    /** The requests that are not answered. */
    List<Answer> held() {
        return answers.values().stream().filter(each -> !each.isOver()).toList();
    }

    /** Forgets what is over, so that another case finds nothing of it. */
    void forgetAnswered() {
        answers.values().removeIf(Answer::isOver);
        stray = null;
        pongs = 0;
    }

    /** The first response to an id that awaits none, as the worker wrote it; null for none. */
    @Nullable String stray() {
        return stray;
    }

    /** What a frame did that ends the connection, or null. */
    @Nullable String fault() {
        return fault;
    }

    /** Whether nothing more can come. */
    boolean isOver() {
        return end != null || fault != null;
    }

    /** How it ended, or an empty text. */
    String howItEnded() {
        return fault != null ? fault : end != null ? end : "";
    }
}
