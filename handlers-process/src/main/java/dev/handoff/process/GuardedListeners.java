package dev.handoff.process;

import dev.handoff.loop.EventLoop;
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
import java.util.List;
import java.util.SortedSet;
import java.util.function.Consumer;

/**
 * A pool's listeners, called so that one that throws costs no request, no worker and no other
 * listener: the exception is thrown again in a task of the pool's loop, whose own listener hears of
 * it. On any thread.
 */
final class GuardedListeners implements PoolListener {
    private final List<PoolListener> listeners;
    private final EventLoop loop;

    GuardedListeners(List<PoolListener> listeners, EventLoop loop) {
        this.listeners = List.copyOf(listeners);
        this.loop = loop;
    }

    @Override
    public void onJoined(Worker worker) {
        tell(listener -> listener.onJoined(worker));
    }

    @Override
    public void onLeft(Worker worker, Departure departure, int lost) {
        tell(listener -> listener.onLeft(worker, departure, lost));
    }

    @Override
    public void onProtocolFault(Worker worker, Decoded.Refused fault) {
        tell(listener -> listener.onProtocolFault(worker, fault));
    }

    @Override
    public void onHandlerFailure(Worker worker, long id, String message) {
        tell(listener -> listener.onHandlerFailure(worker, id, message));
    }

    @Override
    public void onRequestLost(Worker worker, long id, String request, String why) {
        tell(listener -> listener.onRequestLost(worker, id, request, why));
    }

    @Override
    public void onUnknownResponse(Worker worker, long id) {
        tell(listener -> listener.onUnknownResponse(worker, id));
    }

    @Override
    public void onContentLost(Worker worker, long id, IOException why) {
        tell(listener -> listener.onContentLost(worker, id, why));
    }

    @Override
    public void onBrokenWebSocket(Worker worker, long id, String rule) {
        tell(listener -> listener.onBrokenWebSocket(worker, id, rule));
    }

    @Override
    public void onUntakenWebSocket(Worker worker) {
        tell(listener -> listener.onUntakenWebSocket(worker));
    }

    @Override
    public void onBrokenStream(Worker worker, long id, CancelReason reason) {
        tell(listener -> listener.onBrokenStream(worker, id, reason));
    }

    @Override
    public void onTurnedAway(String code, String message) {
        tell(listener -> listener.onTurnedAway(code, message));
    }

    @Override
    public void onOverload(boolean present) {
        tell(listener -> listener.onOverload(present));
    }

    @Override
    public void onRejected(Rejection reason, long limit) {
        tell(listener -> listener.onRejected(reason, limit));
    }

    /** Happens to every request, so that it is told without an object for the telling. */
    @Override
    public void onDispatched(Worker worker, long waitNanos) {
        for (int i = 0; i < listeners.size(); i++) {
            try {
                listeners.get(i).onDispatched(worker, waitNanos);
            } catch (Throwable failure) {
                throwLater(failure);
            }
        }
    }

    /** As {@link #onDispatched}. */
    @Override
    public void onAnswered(Worker worker, long handlerNanos) {
        for (int i = 0; i < listeners.size(); i++) {
            try {
                listeners.get(i).onAnswered(worker, handlerNanos);
            } catch (Throwable failure) {
                throwLater(failure);
            }
        }
    }

    @Override
    public void onAnsweredLate(Worker worker, long handlerNanos) {
        tell(listener -> listener.onAnsweredLate(worker, handlerNanos));
    }

    @Override
    public void onNoRoom(Worker worker, int bodyBytes, long limitBytes) {
        tell(listener -> listener.onNoRoom(worker, bodyBytes, limitBytes));
    }

    @Override
    public void onSlowResponse(Worker worker, int bodyBytes) {
        tell(listener -> listener.onSlowResponse(worker, bodyBytes));
    }

    @Override
    public void onGivenBack(Worker worker) {
        tell(listener -> listener.onGivenBack(worker));
    }

    @Override
    public void onLost(Worker worker) {
        tell(listener -> listener.onLost(worker));
    }

    @Override
    public void onCancelled(Worker worker, CancelReason reason) {
        tell(listener -> listener.onCancelled(worker, reason));
    }

    @Override
    public void onStarted(String worker, long pid) {
        tell(listener -> listener.onStarted(worker, pid));
    }

    @Override
    public void onUnreachable(String worker, String server, String why) {
        tell(listener -> listener.onUnreachable(worker, server, why));
    }

    @Override
    public void onNoWorker(Duration since) {
        tell(listener -> listener.onNoWorker(since));
    }

    @Override
    public void onUnconnected(String worker, long pid, Duration running, SortedSet<Integer> ports) {
        tell(listener -> listener.onUnconnected(worker, pid, running, ports));
    }

    @Override
    public void onReady(String worker) {
        tell(listener -> listener.onReady(worker));
    }

    @Override
    public void onNotReady(String worker, Duration timeout) {
        tell(listener -> listener.onNotReady(worker, timeout));
    }

    @Override
    public void onExited(String worker, ProcessExit exit, long restartMillis) {
        tell(listener -> listener.onExited(worker, exit, restartMillis));
    }

    @Override
    public void onNeverJoined(String worker) {
        tell(listener -> listener.onNeverJoined(worker));
    }

    @Override
    public void onKilledBeforeItJoined(String worker) {
        tell(listener -> listener.onKilledBeforeItJoined(worker));
    }

    @Override
    public void onStartFailed(String worker, String reason, long restartMillis) {
        tell(listener -> listener.onStartFailed(worker, reason, restartMillis));
    }

    @Override
    public void onFirstStartFailed(WorkerError error) {
        tell(listener -> listener.onFirstStartFailed(error));
    }

    @Override
    public void onReload(int workers) {
        tell(listener -> listener.onReload(workers));
    }

    @Override
    public void onReplaced(String old, String successor, ReplaceCause cause) {
        tell(listener -> listener.onReplaced(old, successor, cause));
    }

    @Override
    public void onNotReplaced(String old, WorkerError error, ReplaceCause cause) {
        tell(listener -> listener.onNotReplaced(old, error, cause));
    }

    @Override
    public void onReloaded(PoolChange outcome) {
        tell(listener -> listener.onReloaded(outcome));
    }

    @Override
    public void onScaled(int from, int to) {
        tell(listener -> listener.onScaled(from, to));
    }

    @Override
    public void onOutput(String worker, Output stream, String line) {
        tell(listener -> listener.onOutput(worker, stream, line));
    }

    private void tell(Consumer<PoolListener> event) {
        for (int i = 0; i < listeners.size(); i++) {
            tell(listeners.get(i), event);
        }
    }

    private void tell(PoolListener listener, Consumer<PoolListener> event) {
        try {
            event.accept(listener);
        } catch (Throwable failure) {
            throwLater(failure);
        }
    }

    private void throwLater(Throwable failure) {
        loop.tryExecute(() -> {
            throw new IllegalStateException("a pool's listener failed", failure);
        });
    }
}
