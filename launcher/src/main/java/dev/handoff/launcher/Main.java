package dev.handoff.launcher;

/** Where the program begins and ends. */
public final class Main {
    /** Told to stop, and every request in hand was finished. */
    static final int CLEAN = 0;

    /** It could not start, or what was in hand could not be finished. */
    static final int FAILED = 1;

    /** An option, a variable or a file is not what was expected. */
    static final int BAD_USAGE = 2;

    /** No worker has ever become ready, and nothing would change that. */
    static final int NO_WORKER = 3;

    private Main() {}

    public static void main(String[] arguments) {
        Thread.setDefaultUncaughtExceptionHandler(new LastWords());
        // Always by exit, since the event loops' threads would keep a failed start alive.
        System.exit(new HandoffCommandLine(System.getenv(), arguments).execute());
    }
}
