package dev.handoff.admin.stats;

import dev.handoff.loop.LoopListener;
import dev.handoff.process.PoolListener;
import dev.handoff.server.ServerListener;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Listens to a server, its loops and its pools, and counts. Each loop writes only its own counters,
 * so that counting takes no lock; {@link Statistics} reads.
 */
public final class Counters {
    private final List<LoopCounters> loops;

    /**
     * @param loopCount how many loops the server and the pools share
     */
    public Counters(int loopCount) {
        loops = IntStream.range(0, loopCount).mapToObj(LoopCounters::new).toList();
    }

    /** The listener for the HTTP server. */
    public ServerListener serverListener() {
        ClientCounters accepting = loops.getFirst().clients();
        return new ServerListener() {
            @Override
            public ServerListener forLoop(int index) {
                return loops.get(index).clients();
            }

            @Override
            public void onAccepted(int open) {
                accepting.onAccepted(open);
            }

            @Override
            public void onClientLimit(String client) {
                accepting.onClientLimit(client);
            }

            @Override
            public void onAcceptPaused() {
                accepting.onAcceptPaused();
            }

            @Override
            public void onAcceptResumed() {
                accepting.onAcceptResumed();
            }
        };
    }

    /** The listener for the loops. */
    public LoopListener loopListener() {
        return new LoopListener() {
            @Override
            public LoopListener ofLoop(int index) {
                return loops.get(index).turns();
            }
        };
    }

    /**
     * The listener for a pool. Pools of one name that follow each other are counted as one.
     *
     * @param loop the number of the loop that the pool lives on
     */
    public PoolListener poolListener(String pool, int loop) {
        return loops.get(loop).pool(pool);
    }

    LoopCounters loop(int index) {
        return loops.get(index);
    }
}
