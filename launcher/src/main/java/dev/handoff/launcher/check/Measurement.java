package dev.handoff.launcher.check;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * How fast a worker answers with its window full.
 *
 * @param perSecond responses
 * @param p99Nanos 99 of 100 responses came within this time
 * @param toWorkerBytes the mean size of a request, all of its frame
 * @param fromWorkerBytes the mean size of a response
 */
record Measurement(
        int window, double perSecond, long p99Nanos, double toWorkerBytes, double fromWorkerBytes) {
    private static final int MOST_AT_ONCE = 1000;

    private record Sent(Answer answer, long nanos) {}

    static Measurement of(Stage stage, Duration longest) throws RuleBroken, InterruptedException {
        Conversation worker = stage.worker();
        int window = Math.min(worker.window(), MOST_AT_ONCE);
        Asked asked = Asked.get(stage.target());
        Deque<Sent> held = new ArrayDeque<>();
        long[] times = new long[1024];
        int count = 0;
        long sentBytes = 0;
        long cameBefore = worker.cameBytes();
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < longest.toNanos() || !held.isEmpty()) {
            boolean goesOn = System.nanoTime() - begun < longest.toNanos();
            while (goesOn && held.size() < window) {
                Answer answer = worker.expect(worker.nextId());
                Frame frame = Frame.of(asked.message(answer.id()));
                sentBytes += frame.bytes().length;
                held.addLast(new Sent(answer, System.nanoTime()));
                worker.send(frame);
            }
            Sent oldest = held.removeFirst();
            worker.await(oldest.answer());
            times = count == times.length ? Arrays.copyOf(times, 2 * count) : times;
            times[count++] = System.nanoTime() - oldest.nanos();
            worker.heard().forgetAnswered();
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        Arrays.sort(times, 0, count);
        return new Measurement(
                window,
                count / seconds,
                times[(int) Math.min(count - 1L, count * 99L / 100)],
                (double) sentBytes / count,
                (double) (worker.cameBytes() - cameBefore) / count);
    }
}
