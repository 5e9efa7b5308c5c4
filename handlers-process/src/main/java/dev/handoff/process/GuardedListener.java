package dev.handoff.process;

import dev.handoff.loop.EventLoop;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Decoded;
import java.time.Duration;

/**
 * A pool's listener, called so that one that throws costs no request and no worker: the exception
 * is thrown again in a task of the pool's loop, whose own listener hears of it. On any thread.
 */
final class GuardedListener implements PoolListener {
    private final PoolListener listener;
    private final EventLoop loop;

    GuardedListener(PoolListener listener, EventLoop loop) {
        this.listener = listener;
        this.loop = loop;
    }

    @Override
    public void onJoined(WorkerConnection worker) {
        tell(() -> listener.onJoined(worker));
    }

    @Override
    public void onLeft(WorkerConnection worker, LeaveReason reason, int lost) {
        tell(() -> listener.onLeft(worker, reason, lost));
    }

    @Override
    public void onProtocolFault(WorkerConnection worker, Decoded.Refused fault) {
        tell(() -> listener.onProtocolFault(worker, fault));
    }

    @Override
    public void onHandlerFailure(WorkerConnection worker, long id, String message) {
        tell(() -> listener.onHandlerFailure(worker, id, message));
    }

    @Override
    public void onUnknownId(WorkerConnection worker, long id) {
        tell(() -> listener.onUnknownId(worker, id));
    }

    @Override
    public void onTurnedAway(String code, String message) {
        tell(() -> listener.onTurnedAway(code, message));
    }

    @Override
    public void onOverload(boolean present) {
        tell(() -> listener.onOverload(present));
    }

    @Override
    public void onRejected(Rejection reason) {
        tell(() -> listener.onRejected(reason));
    }

    @Override
    public void onDispatched(WorkerConnection worker, long waitNanos) {
        tell(() -> listener.onDispatched(worker, waitNanos));
    }

    @Override
    public void onAnswered(WorkerConnection worker, long handlerNanos) {
        tell(() -> listener.onAnswered(worker, handlerNanos));
    }

    @Override
    public void onAnsweredLate(WorkerConnection worker, long handlerNanos) {
        tell(() -> listener.onAnsweredLate(worker, handlerNanos));
    }

    @Override
    public void onGivenBack(WorkerConnection worker) {
        tell(() -> listener.onGivenBack(worker));
    }

    @Override
    public void onLost(WorkerConnection worker) {
        tell(() -> listener.onLost(worker));
    }

    @Override
    public void onCancelled(WorkerConnection worker, CancelReason reason) {
        tell(() -> listener.onCancelled(worker, reason));
    }

    @Override
    public void onStarted(String worker, long pid) {
        tell(() -> listener.onStarted(worker, pid));
    }

    @Override
    public void onNotReady(String worker, Duration timeout) {
        tell(() -> listener.onNotReady(worker, timeout));
    }

    @Override
    public void onExited(String worker, ProcessExit exit, long restartMillis) {
        tell(() -> listener.onExited(worker, exit, restartMillis));
    }

    @Override
    public void onStartFailed(String worker, String reason, long restartMillis) {
        tell(() -> listener.onStartFailed(worker, reason, restartMillis));
    }

    @Override
    public void onReload(int workers) {
        tell(() -> listener.onReload(workers));
    }

    @Override
    public void onReplaced(String old, String successor, ReplaceCause cause) {
        tell(() -> listener.onReplaced(old, successor, cause));
    }

    @Override
    public void onNotReplaced(String old, WorkerError error, ReplaceCause cause) {
        tell(() -> listener.onNotReplaced(old, error, cause));
    }

    @Override
    public void onReloaded(PoolChange outcome) {
        tell(() -> listener.onReloaded(outcome));
    }

    @Override
    public void onScaled(int from, int to) {
        tell(() -> listener.onScaled(from, to));
    }

    @Override
    public void onOutput(String worker, Output stream, String line) {
        tell(() -> listener.onOutput(worker, stream, line));
    }

    private void tell(Runnable event) {
        try {
            event.run();
        } catch (Throwable failure) {
            loop.execute(() -> {
                throw new IllegalStateException("a pool's listener failed", failure);
            });
        }
    }
}
