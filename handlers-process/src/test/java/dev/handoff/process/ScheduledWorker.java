package dev.handoff.process;

import dev.handoff.http.Response;
import dev.handoff.process.protocol.FrameEncoder;
import dev.handoff.process.protocol.Message;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/**
 * A worker of a random schedule, which keeps the protocol or not as the dice fall. For the one
 * thread of the schedule.
 */
final class ScheduledWorker {
    private static final long NEVER_ASKED = 1_000_000;

    private final TestWorker connection;
    private final Function<String, ScheduledExchange> exchanges;
    private final FrameEncoder encoder = new FrameEncoder();
    private final List<Message.Request> held = new ArrayList<>();
    private final List<Long> answered = new ArrayList<>();

    /** What is still to come of a frame that was sent in part. */
    private byte[] rest = {};

    private boolean gone;

    /**
     * @param exchanges by target
     */
    ScheduledWorker(TestWorker connection, Function<String, ScheduledExchange> exchanges) {
        this.connection = connection;
        this.exchanges = exchanges;
    }

    boolean isGone() {
        return gone;
    }

    void act(Random random) throws IOException {
        switch (random.nextInt(24)) {
            case 0, 1, 2, 3, 4, 5, 6, 7 -> read();
            case 8, 9, 10, 11, 12, 13 -> respond(random);
            case 14 -> fail(random, false);
            case 15, 16 -> fail(random, true);
            case 17 -> answerWhatNobodyAsked(random);
            case 18, 19 -> send(new Message.Capacity(random.nextInt(5)));
            case 20 -> send(new Message.Drain());
            case 21 -> dieAfterAPartOf(encoder.encode(new Message.Drain()), random);
            case 22 -> breakTheProtocol(random);
            default -> startToAnswer(random);
        }
    }

    /** Answers all it can get, in order, until it has nothing. */
    void finish() throws IOException {
        read();
        sendRest();
        while (!held.isEmpty() && !gone) {
            answer(held.getFirst());
        }
    }

    /** A process that ends could have read all that had come. */
    void die() throws IOException {
        read();
        gone = true;
        connection.die();
    }

    private void read() throws IOException {
        while (connection.hasMessage()) {
            if (connection.expect(Message.class) instanceof Message.Request request) {
                exchanges.apply(request.target()).delivered();
                held.add(request);
            }
        }
        if (connection.isEnded() && !gone) {
            gone = true;
            connection.die();
        }
    }

    private void respond(Random random) throws IOException {
        if (!held.isEmpty()) {
            answer(held.get(random.nextInt(held.size())));
        }
    }

    private void answer(Message.Request request) throws IOException {
        taken(request);
        send(responseTo(request));
    }

    private void fail(Random random, boolean retry) throws IOException {
        if (!held.isEmpty()) {
            Message.Request request = held.get(random.nextInt(held.size()));
            taken(request);
            if (retry) {
                exchanges.apply(request.target()).givenBack();
            }
            send(new Message.Failure(request.id(), "why", retry));
        }
    }

    private void answerWhatNobodyAsked(Random random) throws IOException {
        long id =
                answered.isEmpty() || random.nextBoolean()
                        ? NEVER_ASKED + random.nextInt(10)
                        : answered.get(random.nextInt(answered.size()));
        send(
                random.nextBoolean()
                        ? new Message.Response(id, Response.text(200, "nobody asked"))
                        : new Message.Failure(id, "nobody asked", random.nextBoolean()));
    }

    private void startToAnswer(Random random) throws IOException {
        if (!held.isEmpty() && rest.length == 0) {
            Message.Request request = held.get(random.nextInt(held.size()));
            taken(request);
            byte[] frame = encoder.encode(responseTo(request));
            int cut = 1 + random.nextInt(frame.length - 1);
            sendBytes(Arrays.copyOf(frame, cut));
            rest = Arrays.copyOfRange(frame, cut, frame.length);
        }
    }

    private void dieAfterAPartOf(byte[] frame, Random random) throws IOException {
        sendBytes(Arrays.copyOf(frame, random.nextInt(frame.length)));
        die();
    }

    private void breakTheProtocol(Random random) throws IOException {
        byte[] noise = new byte[8 + random.nextInt(20)];
        random.nextBytes(noise);
        // More than any length may be.
        noise[0] = (byte) 0xff;
        sendRest();
        sendBytes(noise);
    }

    private void taken(Message.Request request) {
        held.remove(request);
        answered.add(request.id());
    }

    private static Message.Response responseTo(Message.Request request) {
        return new Message.Response(request.id(), Response.text(200, request.target()));
    }

    private void send(Message message) throws IOException {
        sendRest();
        sendBytes(encoder.encode(message));
    }

    private void sendRest() throws IOException {
        byte[] begun = rest;
        rest = new byte[0];
        sendBytes(begun);
    }

    private void sendBytes(byte[] bytes) throws IOException {
        if (gone) {
            return;
        }
        try {
            connection.sendBytes(bytes);
        } catch (IOException closedByTheCore) {
            die();
        }
    }
}
