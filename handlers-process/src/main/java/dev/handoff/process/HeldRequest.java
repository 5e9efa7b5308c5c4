package dev.handoff.process;

import java.time.Duration;

/**
 * A request that a worker holds, as it was at one moment.
 *
 * @param age since the whole request was here
 * @param cancelled nobody waits for its answer any more
 */
public record HeldRequest(
        String worker, String method, String target, Duration age, boolean cancelled) {

    static HeldRequest of(PoolRequest request, long nowNanos) {
        WorkerConnection worker = request.worker;
        return new HeldRequest(
                worker == null ? "" : worker.id(),
                request.method,
                request.target,
                // The client's loop may have read its clock later than this one did.
                Duration.ofNanos(Math.max(0, nowNanos - request.arrivedNanos)),
                request.state == PoolRequest.State.CANCELLED);
    }
}
