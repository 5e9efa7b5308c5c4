package dev.handoff.process.dispatch;

import dev.handoff.loop.EventLoop;
import java.util.List;

/**
 * Decides what becomes of the requests that a worker held when it left: another worker gets them,
 * or their clients get a 502. Belongs to the thread of the pool's loop.
 */
final class LostRequests {
    private final EventLoop loop;
    private final QueueAdmission admission;
    private final DispatchListener listener;

    /**
     * @param admission to the queue in which requests wait for another worker
     */
    LostRequests(EventLoop loop, QueueAdmission admission, DispatchListener listener) {
        this.loop = loop;
        this.admission = admission;
        this.listener = listener;
    }

    /**
     * Puts requests back that the worker cannot have read whole, and those that the pool's limits
     * allow to be done twice. Fails the rest of what it held.
     *
     * @param held in the order it was handed over
     * @return how many clients lose their response
     */
    int returnOrFail(WorkerConnection worker, LeaveReason reason, List<WorkerRequest> held) {
        int lost = 0;
        for (WorkerRequest request : held) {
            if (mayGoToAnother(worker, request)) {
                returnToQueue(worker, request);
            } else {
                listener.onLost(worker);
                boolean wanted = request.state == WorkerRequest.State.IN_FLIGHT;
                request.end(loop.nanoTime());
                if (wanted) {
                    lost++;
                    request.failClient(PoolFailures.ofLoss(reason));
                }
            }
        }
        return lost;
    }

    /**
     * Puts a request back for another worker: this one has not begun with it, or it may be done
     * twice.
     */
    void returnToQueue(WorkerConnection worker, WorkerRequest request) {
        listener.onGivenBack(worker);
        request.returnToQueue();
        admission.putBack(request);
    }

    /**
     * Whether a lost worker's request is handed over again. A request that the worker has, or has a
     * part of, goes to one more worker at most: it may be what ends its workers.
     */
    private static boolean mayGoToAnother(WorkerConnection lost, WorkerRequest request) {
        if (request.state != WorkerRequest.State.IN_FLIGHT || request.begun() != null) {
            return false;
        }
        if (!lost.hasReceived(request)) {
            return request.noteLossInFrame() && request.rewindForAnother();
        }
        return request.takeReplay() && request.rewindForAnother();
    }
}
