package dev.handoff.launcher.logging;

import dev.handoff.http.Refusal;
import dev.handoff.http.RequestStart;
import dev.handoff.server.ServerListener;
import java.lang.System.Logger.Level;
import java.util.Map;

/**
 * Logs the option whose limit a request exceeded, since the operator may have to raise it. Other
 * refusals are for the client to mend. Called on all event loops.
 */
public final class SizeLog implements ServerListener {
    private static final System.Logger LOG = System.getLogger(SizeLog.class.getName());

    private final RepeatLimit refusals = new RepeatLimit(1, line -> LOG.log(Level.INFO, line));
    private final Map<Refusal, String> limits;

    /**
     * @param limits the options that set one, with their values
     */
    public SizeLog(Map<Refusal, String> limits) {
        this.limits = limits;
    }

    @Override
    public void onRefused(Refusal refusal, String client, RequestStart start, int bodyBytes) {
        String limit = limits.get(refusal);
        if (limit != null) {
            refusals.tell(() ->
                    "a request from %s was too large: %d %s: %s"
                            .formatted(client, refusal.status(), refusal.code(), limit));
        }
    }
}
