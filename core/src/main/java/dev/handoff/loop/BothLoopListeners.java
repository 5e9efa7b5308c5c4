package dev.handoff.loop;

import java.io.IOException;

/** Passes each event to two listeners. If one throws, the other hears the event all the same. */
public record BothLoopListeners(LoopListener first, LoopListener second) implements LoopListener {
    @Override
    public LoopListener ofLoop(int index) {
        return new BothLoopListeners(first.ofLoop(index), second.ofLoop(index));
    }

    @Override
    public void onTurn(long waitedNanos, long workedNanos) {
        try {
            first.onTurn(waitedNanos, workedNanos);
        } finally {
            second.onTurn(waitedNanos, workedNanos);
        }
    }

    @Override
    public void onFailure(Throwable failure) {
        try {
            first.onFailure(failure);
        } finally {
            second.onFailure(failure);
        }
    }

    @Override
    public void onAcceptFailed(IOException failure) {
        try {
            first.onAcceptFailed(failure);
        } finally {
            second.onAcceptFailed(failure);
        }
    }
}
