package dev.handoff.process.supervise;

/** The outcome of a change to a pool's processes that an operator asked for. */
public sealed interface PoolChange {
    /**
     * It is done.
     *
     * @param workers how many were replaced, started or ended
     */
    record Done(int workers) implements PoolChange {}

    /**
     * It was given up, or is not done yet: the workers that were to be replaced go on serving, and
     * one that was added is started again and again.
     *
     * @param workers how many were replaced before
     */
    record Failed(int workers, WorkerError error) implements PoolChange {}

    /** There is nothing of that name. */
    record Unknown() implements PoolChange {}

    /** It was not even begun, or something else came first. */
    record Refused(String reason) implements PoolChange {}
}
