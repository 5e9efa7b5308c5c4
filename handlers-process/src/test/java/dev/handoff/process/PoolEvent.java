package dev.handoff.process;

import dev.handoff.process.dispatch.LeaveReason;
import dev.handoff.process.dispatch.Rejection;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.ProtocolFault;
import dev.handoff.process.supervise.PoolChange;
import dev.handoff.process.supervise.ProcessExit;
import dev.handoff.process.supervise.ProcessListener;
import dev.handoff.process.supervise.ReplaceCause;
import dev.handoff.process.supervise.WorkerError;
import java.time.Duration;
import java.util.SortedSet;

/** What a {@link PoolListener} heard. */
public sealed interface PoolEvent {
    record Joined(String worker, long pid) implements PoolEvent {}

    record Left(String worker, LeaveReason reason, int lost) implements PoolEvent {}

    record Faulted(String worker, ProtocolFault fault) implements PoolEvent {}

    record HandlerFailed(String worker, String message) implements PoolEvent {}

    record Unreachable(String worker, String server) implements PoolEvent {}

    record RequestLost(String worker, long id, String why) implements PoolEvent {}

    record UnknownResponse(String worker, long id, boolean handed) implements PoolEvent {}

    record ContentLost(String worker, long id) implements PoolEvent {}

    record BrokenStream(String worker, long id, CancelReason reason) implements PoolEvent {}

    record BrokenWebSocket(String worker, long id, String rule) implements PoolEvent {}

    record UntakenWebSocket(String worker) implements PoolEvent {}

    record TurnedAway(String code, String message) implements PoolEvent {}

    record Overload(boolean present) implements PoolEvent {}

    record Rejected(Rejection reason, long limit) implements PoolEvent {}

    record Dispatched(String worker, long waitNanos) implements PoolEvent {}

    record Answered(String worker, long handlerNanos) implements PoolEvent {}

    record AnsweredLate(String worker, long handlerNanos) implements PoolEvent {}

    record NoRoom(String worker, int bodyBytes, long limitBytes) implements PoolEvent {}

    record SlowResponse(String worker, int bodyBytes) implements PoolEvent {}

    record GivenBack(String worker) implements PoolEvent {}

    record Lost(String worker) implements PoolEvent {}

    record Cancelled(String worker, CancelReason reason) implements PoolEvent {}

    record NoWorker(Duration since) implements PoolEvent {}

    record Started(String worker, long pid) implements PoolEvent {}

    record Unconnected(String worker, long pid, SortedSet<Integer> ports) implements PoolEvent {}

    record Ready(String worker) implements PoolEvent {}

    record Exited(String worker, ProcessExit exit, long restartMillis) implements PoolEvent {}

    record NeverJoined(String worker) implements PoolEvent {}

    record KilledBeforeItJoined(String worker) implements PoolEvent {}

    record StartFailed(String worker, String reason, long restartMillis) implements PoolEvent {}

    record FirstStartFailed(String worker) implements PoolEvent {}

    record Reload(int workers) implements PoolEvent {}

    record Replaced(String old, String successor, ReplaceCause cause) implements PoolEvent {}

    record NotReplaced(String old, WorkerError error, ReplaceCause cause) implements PoolEvent {}

    record Reloaded(PoolChange outcome) implements PoolEvent {}

    record Scaled(int from, int to) implements PoolEvent {}

    record Output(String worker, ProcessListener.Output stream, String line) implements PoolEvent {}
}
