package dev.handoff.process.dispatch;

import dev.handoff.http.ErrorForm;
import dev.handoff.http.ErrorMessage;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.server.Failure;

/** The failures that a client is told of when a worker did not answer its request. */
final class PoolFailures {
    static final Failure WORKER_LOST =
            new Failure(502, "worker_lost", "The worker went away before it answered.", 0);
    static final Failure WORKER_FAULT =
            new Failure(502, "worker_fault", "The worker broke the protocol.", 0);
    static final Failure HANDLER_FAILED =
            new Failure(500, "handler_failed", "The handler failed.", 0);

    static final Failure RESPONSES_FULL =
            new Failure(
                    503,
                    "responses_full",
                    "Responses fill all the memory that they may take (--max-buffered).",
                    1);

    static final Failure SLOW_CLIENT =
            new Failure(
                    502,
                    "slow_client",
                    "The worker sent more than its client took; it has to wait for credit.",
                    0);

    static final Failure WORKER_LEAVES =
            new Failure(
                    503,
                    "worker_drained",
                    "The worker had to leave before the request or its response was complete.",
                    1);

    static final Failure CONTENT_LOST =
            new Failure(
                    500, "content_lost", "The file that holds the content could not be read.", 0);

    private static final ErrorMessage NO_WORKER_TAKES_IT =
            new ErrorMessage(413, "no_worker_takes_it", "No worker takes content of this size.");

    private PoolFailures() {}

    /** For content that is larger than what any worker of the pool says it takes. */
    static Response noWorkerTakesIt(Request request) {
        return NO_WORKER_TAKES_IT.response(ErrorForm.of(request.method(), request.headers()));
    }

    /** For a request whose worker left for this reason. */
    static Failure ofLoss(LeaveReason reason) {
        return switch (reason) {
            case PROTOCOL_FAULT, FRAME_TIMEOUT -> WORKER_FAULT;
            case DRAINED, CLOSED, STUCK, KILLED, STOPPED -> WORKER_LOST;
        };
    }
}
