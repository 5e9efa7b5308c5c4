package dev.handoff.launcher.logging;

/** What the log shows of a request's target. */
public final class TargetPath {
    private TargetPath() {}

    /** The target without its query, which may hold secrets. */
    public static String of(String target) {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }
}
