package dev.handoff.process;

/**
 * Hears what happens in a pool; the pool itself logs nothing. Called on the pool's loop, but for
 * {@link #onOutput}; must not block.
 */
public interface PoolListener extends DispatchListener, ProcessListener {
    PoolListener NONE = new PoolListener() {};
}
