package dev.handoff.process;

import static dev.handoff.testing.TestLoops.PATIENCE;

import dev.handoff.process.dispatch.Departure;
import dev.handoff.process.dispatch.Rejection;
import dev.handoff.process.dispatch.Worker;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Decoded;
import dev.handoff.process.supervise.PoolChange;
import dev.handoff.process.supervise.ProcessExit;
import dev.handoff.process.supervise.ReplaceCause;
import dev.handoff.process.supervise.WorkerError;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SortedSet;
import java.util.function.Predicate;

/** Keeps what it heard, for a test to wait for. From any thread. */
public final class RecordingListener implements PoolListener {
    private final List<PoolEvent> events = new ArrayList<>();

    /** Waits for the next event of a kind, and takes it out. */
    public <T extends PoolEvent> T await(Class<T> kind) {
        return await(kind, event -> true);
    }

    public synchronized <T extends PoolEvent> T await(Class<T> kind, Predicate<T> wanted) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            for (Iterator<PoolEvent> i = events.iterator(); i.hasNext(); ) {
                PoolEvent event = i.next();
                if (kind.isInstance(event) && wanted.test(kind.cast(event))) {
                    i.remove();
                    return kind.cast(event);
                }
            }
            long millisLeft = (deadline - System.nanoTime()) / 1_000_000;
            if (millisLeft <= 0) {
                throw new AssertionError("no " + kind.getSimpleName() + " among " + events);
            }
            try {
                wait(millisLeft);
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }
    }

    /** Those that were heard and not taken out. */
    public synchronized <T extends PoolEvent> List<T> heard(Class<T> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private synchronized void hear(PoolEvent event) {
        events.add(event);
        notifyAll();
    }

    @Override
    public void onJoined(Worker worker) {
        hear(new PoolEvent.Joined(worker.id(), worker.pid()));
    }

    @Override
    public void onLeft(Worker worker, Departure departure, int lost) {
        hear(new PoolEvent.Left(worker.id(), departure.reason(), lost));
    }

    @Override
    public void onProtocolFault(Worker worker, Decoded.Refused fault) {
        hear(new PoolEvent.Faulted(worker.id(), fault.fault()));
    }

    @Override
    public void onFirstStartFailed(WorkerError error) {
        hear(new PoolEvent.FirstStartFailed(error.worker()));
    }

    @Override
    public void onHandlerFailure(Worker worker, long id, String message) {
        hear(new PoolEvent.HandlerFailed(worker.id(), message));
    }

    @Override
    public void onRequestLost(Worker worker, long id, String request, String why) {
        hear(new PoolEvent.RequestLost(worker.id(), id, why));
    }

    @Override
    public void onUnknownResponse(Worker worker, long id) {
        hear(new PoolEvent.UnknownResponse(worker.id(), id, worker.wasHanded(id)));
    }

    @Override
    public void onContentLost(Worker worker, long id, IOException why) {
        hear(new PoolEvent.ContentLost(worker.id(), id));
    }

    @Override
    public void onBrokenStream(Worker worker, long id, CancelReason reason) {
        hear(new PoolEvent.BrokenStream(worker.id(), id, reason));
    }

    @Override
    public void onBrokenWebSocket(Worker worker, long id, String rule) {
        hear(new PoolEvent.BrokenWebSocket(worker.id(), id, rule));
    }

    @Override
    public void onUntakenWebSocket(Worker worker) {
        hear(new PoolEvent.UntakenWebSocket(worker.id()));
    }

    @Override
    public void onTurnedAway(String code, String message) {
        hear(new PoolEvent.TurnedAway(code, message));
    }

    @Override
    public void onOverload(boolean present) {
        hear(new PoolEvent.Overload(present));
    }

    @Override
    public void onRejected(Rejection reason, long limit) {
        hear(new PoolEvent.Rejected(reason, limit));
    }

    @Override
    public void onDispatched(Worker worker, long waitNanos) {
        hear(new PoolEvent.Dispatched(worker.id(), waitNanos));
    }

    @Override
    public void onAnswered(Worker worker, long handlerNanos) {
        hear(new PoolEvent.Answered(worker.id(), handlerNanos));
    }

    @Override
    public void onAnsweredLate(Worker worker, long handlerNanos) {
        hear(new PoolEvent.AnsweredLate(worker.id(), handlerNanos));
    }

    @Override
    public void onNoRoom(Worker worker, int bodyBytes, long limitBytes) {
        hear(new PoolEvent.NoRoom(worker.id(), bodyBytes, limitBytes));
    }

    @Override
    public void onSlowResponse(Worker worker, int bodyBytes) {
        hear(new PoolEvent.SlowResponse(worker.id(), bodyBytes));
    }

    @Override
    public void onGivenBack(Worker worker) {
        hear(new PoolEvent.GivenBack(worker.id()));
    }

    @Override
    public void onLost(Worker worker) {
        hear(new PoolEvent.Lost(worker.id()));
    }

    @Override
    public void onCancelled(Worker worker, CancelReason reason) {
        hear(new PoolEvent.Cancelled(worker.id(), reason));
    }

    @Override
    public void onStarted(String worker, long pid) {
        hear(new PoolEvent.Started(worker, pid));
    }

    @Override
    public void onUnreachable(String worker, String server, String why) {
        hear(new PoolEvent.Unreachable(worker, server));
    }

    @Override
    public void onNoWorker(Duration since) {
        hear(new PoolEvent.NoWorker(since));
    }

    @Override
    public void onUnconnected(String worker, long pid, Duration running, SortedSet<Integer> ports) {
        hear(new PoolEvent.Unconnected(worker, pid, ports));
    }

    @Override
    public void onReady(String worker) {
        hear(new PoolEvent.Ready(worker));
    }

    @Override
    public void onExited(String worker, ProcessExit exit, long restartMillis) {
        hear(new PoolEvent.Exited(worker, exit, restartMillis));
    }

    @Override
    public void onNeverJoined(String worker) {
        hear(new PoolEvent.NeverJoined(worker));
    }

    @Override
    public void onKilledBeforeItJoined(String worker) {
        hear(new PoolEvent.KilledBeforeItJoined(worker));
    }

    @Override
    public void onStartFailed(String worker, String reason, long restartMillis) {
        hear(new PoolEvent.StartFailed(worker, reason, restartMillis));
    }

    @Override
    public void onReload(int workers) {
        hear(new PoolEvent.Reload(workers));
    }

    @Override
    public void onReplaced(String old, String successor, ReplaceCause cause) {
        hear(new PoolEvent.Replaced(old, successor, cause));
    }

    @Override
    public void onNotReplaced(String old, WorkerError error, ReplaceCause cause) {
        hear(new PoolEvent.NotReplaced(old, error, cause));
    }

    @Override
    public void onReloaded(PoolChange outcome) {
        hear(new PoolEvent.Reloaded(outcome));
    }

    @Override
    public void onScaled(int from, int to) {
        hear(new PoolEvent.Scaled(from, to));
    }

    @Override
    public void onOutput(String worker, Output stream, String line) {
        hear(new PoolEvent.Output(worker, stream, line));
    }
}
