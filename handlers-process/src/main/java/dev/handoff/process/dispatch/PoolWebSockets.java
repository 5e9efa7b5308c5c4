package dev.handoff.process.dispatch;

import dev.handoff.http.Body;
import dev.handoff.http.Response;
import dev.handoff.http.websocket.CloseCode;
import dev.handoff.loop.EventLoop;
import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.Exchange;
import dev.handoff.server.WebSocketListener;
import org.jspecify.annotations.Nullable;

/**
 * Brings messages between the WebSockets of clients and the workers of a pool, and tells each side
 * of the other's end. Belongs to the thread of the pool's loop.
 */
final class PoolWebSockets {
    private static final int SWITCHING_PROTOCOLS = 101;

    private final EventLoop loop;
    private final Cancellation cancellation;
    private final DispatchListener listener;

    PoolWebSockets(EventLoop loop, Cancellation cancellation, DispatchListener listener) {
        this.loop = loop;
        this.cancellation = cancellation;
        this.listener = listener;
    }

    /** Whether that response makes a WebSocket of the request. */
    static boolean isAccepted(WorkerRequest request, Response head) {
        return head.status() == SWITCHING_PROTOCOLS
                && request.asksForWebSocket
                && request.begun() == null;
    }

    /**
     * The worker has accepted. Where the client left meanwhile, the cancel may have crossed the
     * worker's response: the worker then hears of a close, as of any client that leaves.
     */
    void accepted(WorkerRequest.Holder worker, WorkerRequest request, Response head) {
        WorkerWebSocket webSocket = new WorkerWebSocket(loop.nanoTime());
        if (request.state == WorkerRequest.State.IN_FLIGHT) {
            Exchange exchange = request.exchange();
            // The server may refuse the response, and tell of the end before it returns.
            request.begin(webSocket);
            webSocket.connect(exchange.accept(head.headers(), new Client(request)));
        } else {
            request.begin(webSocket);
            worker.closeWebSocket(request, CloseCode.ABNORMAL, "");
        }
    }

    /** The client's side of a WebSocket, on the loop of its connection. */
    private final class Client implements WebSocketListener {
        private final WorkerRequest request;

        Client(WorkerRequest request) {
            this.request = request;
        }

        @Override
        public void onMessage(boolean text, Body message) {
            loop.tryRun(() -> messageFromClient(request, text, message));
        }

        @Override
        public void onRoom(long costBytes) {
            loop.tryRun(() -> request.clientMadeRoom(costBytes));
        }

        @Override
        public boolean answersLater() {
            return true;
        }

        @Override
        public void onClosed(int code, String reason) {
            loop.tryRun(() -> clientClosed(request, code, reason));
        }
    }

    private static void messageFromClient(WorkerRequest request, boolean text, Body message) {
        WorkerRequest.Holder worker = request.worker;
        if (worker != null && request.state == WorkerRequest.State.IN_FLIGHT) {
            worker.giveMessage(request, text, message);
        }
    }

    private void clientClosed(WorkerRequest request, int code, String reason) {
        WorkerWebSocket webSocket = request.webSocket();
        boolean isNews = webSocket != null && !webSocket.isClosed();
        if (isNews && request.state == WorkerRequest.State.IN_FLIGHT) {
            cancellation.closeWebSocket(request, code, reason);
        }
    }

    /** The worker sent a message, or a fragment of one. */
    void messageCame(Worker worker, WorkerRequest request, Message.WebSocketMessage message) {
        WorkerWebSocket webSocket = request.webSocket();
        if (request.state != WorkerRequest.State.IN_FLIGHT) {
            passOnLate(webSocket, message);
        } else if (webSocket == null) {
            breakRule(worker, request, false, "it sent a message before it accepted");
        } else if (!webSocket.mayCome()) {
            breakOff(worker, request, false, CancelReason.SLOW_CLIENT);
        } else if (!webSocket.isTextRight(message)) {
            breakRule(worker, request, false, "it sent text that is not UTF-8");
        } else {
            webSocket.write(message);
        }
    }

    /** The client broke a rule, or is gone: answers to what it sent before go to it if they can. */
    private static void passOnLate(
            @Nullable WorkerWebSocket webSocket, Message.WebSocketMessage message) {
        if (webSocket != null && webSocket.mayCome() && webSocket.isTextRight(message)) {
            webSocket.write(message);
        }
    }

    /** The worker closed, and holds it no more. */
    void closed(Worker worker, WorkerRequest request, int code, String reason) {
        WorkerWebSocket webSocket = request.webSocket();
        if (request.state != WorkerRequest.State.IN_FLIGHT) {
            if (webSocket != null) {
                webSocket.close(0, "");
            }
        } else if (webSocket == null) {
            breakRule(worker, request, true, "it closed before it accepted");
        } else if (WorkerWebSocket.mayClose(code, reason)) {
            webSocket.close(code, reason);
        } else {
            breakRule(worker, request, true, "it closed with code %d".formatted(code));
        }
    }

    /**
     * The worker sent what it may not.
     *
     * @param last whether that ended it
     */
    void breakOff(Worker worker, WorkerRequest request, boolean last, CancelReason reason) {
        listener.onBrokenWebSocket(
                worker,
                request.id,
                reason == CancelReason.SLOW_CLIENT
                        ? "it sent a message without credit"
                        : "it sent what does not belong to a WebSocket");
        cancellation.breakOff(request, last, reason);
    }

    private void breakRule(Worker worker, WorkerRequest request, boolean last, String rule) {
        listener.onBrokenWebSocket(worker, request.id, rule);
        cancellation.breakOff(request, last, CancelReason.BAD_RESPONSE);
    }
}
