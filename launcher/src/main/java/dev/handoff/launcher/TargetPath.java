package dev.handoff.launcher;

/** What the log shows of a request's target. */
final class TargetPath {
    private TargetPath() {}

    /** The target without its query, which may hold secrets. */
    static String of(String target) {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }
}
