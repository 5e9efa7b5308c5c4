package dev.handoff.process;

import dev.handoff.process.dispatch.DispatchListener;
import dev.handoff.process.supervise.ProcessListener;

/**
 * Hears what happens in a pool; the pool itself logs nothing. Called on the pool's loop, but for
 * {@link #onOutput}; must not block.
 */
public interface PoolListener extends DispatchListener, ProcessListener {
    PoolListener NONE = new PoolListener() {};
}
