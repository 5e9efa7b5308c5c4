package dev.handoff.loop;

import java.io.IOException;

/** One listener for two. Where one throws, the other hears it all the same. */
record BothLoopListeners(LoopListener first, LoopListener second) implements LoopListener {
    @Override
    public LoopListener ofLoop(int index) {
        return new BothLoopListeners(first.ofLoop(index), second.ofLoop(index));
    }

    @Override
    public void onTurn(EventLoop loop, long waitedNanos, long workedNanos) {
        try {
            first.onTurn(loop, waitedNanos, workedNanos);
        } finally {
            second.onTurn(loop, waitedNanos, workedNanos);
        }
    }

    @Override
    public void onFailure(EventLoop loop, Throwable failure) {
        try {
            first.onFailure(loop, failure);
        } finally {
            second.onFailure(loop, failure);
        }
    }

    @Override
    public void onAcceptFailed(EventLoop loop, IOException failure) {
        try {
            first.onAcceptFailed(loop, failure);
        } finally {
            second.onAcceptFailed(loop, failure);
        }
    }
}
