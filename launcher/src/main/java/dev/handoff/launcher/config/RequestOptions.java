package dev.handoff.launcher.config;

import dev.handoff.server.ServerOptions;
import dev.handoff.server.forwarding.TrustedProxies;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the server finds out about each request, and logs of it.
 *
 * @param trustedProxies null if no proxy is trusted
 * @param ids whether requests without an id get one
 */
public record RequestOptions(
        @Nullable TrustedProxies trustedProxies,
        boolean ids,
        AccessTarget accessLog,
        LogFormat logFormat) {

    static RequestOptions from(Options options) throws UsageException {
        List<String> networks = options.find(AllSettings.TRUSTED_PROXY);
        return new RequestOptions(
                networks == null ? null : TrustedProxies.of(networks),
                options.get(AllSettings.REQUEST_ID),
                options.get(AllSettings.ACCESS_LOG),
                options.get(AllSettings.LOG_FORMAT));
    }

    public ServerOptions apply(ServerOptions server) {
        ServerOptions withIds = server.withRequestIds(ids);
        return trustedProxies == null ? withIds : withIds.withTrustedProxies(trustedProxies);
    }
}
