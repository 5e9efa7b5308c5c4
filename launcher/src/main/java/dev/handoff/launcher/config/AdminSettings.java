package dev.handoff.launcher.config;

import dev.handoff.admin.api.AccessToken;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the admin server listens, and which token it asks for.
 *
 * @param port null if nobody chose one
 * @param tokenFile null if every process of this machine may call it
 */
public record AdminSettings(String host, @Nullable Integer port, @Nullable Path tokenFile) {

    /** Null for no admin server. */
    static @Nullable AdminSettings from(Options options) throws UsageException {
        if (options.get(AllSettings.NO_ADMIN)) {
            return null;
        }
        AdminSettings chosen =
                new AdminSettings(
                        options.get(AllSettings.ADMIN_HOST),
                        options.find(AllSettings.ADMIN_PORT),
                        options.find(AllSettings.ADMIN_TOKEN_FILE));
        if (chosen.tokenFile == null && !chosen.isLoopback()) {
            throw new UsageException(
                    "%s is '%s', which other machines can reach: then the admin server needs a token (%s FILE)"
                            .formatted(
                                    options.source(AllSettings.ADMIN_HOST),
                                    chosen.host,
                                    AllSettings.ADMIN_TOKEN_FILE.flag()));
        }
        return chosen;
    }

    /** The token that callers have to show; null for none. Creates the file if there is none. */
    public @Nullable AccessToken readOrMakeToken() throws StartException {
        if (tokenFile == null) {
            return null;
        }
        String token = AdminToken.readOrMake(tokenFile);
        AdminToken.warnIfOthersCanRead(tokenFile);
        return AccessToken.of(token);
    }

    /** Whether the user chose anything about it, so that a start without it is a failure. */
    public boolean isAskedFor() {
        return port != null || tokenFile != null || !host.equals(AllSettings.ADMIN_HOST.preset());
    }

    public int portOrUsual() {
        return port == null ? AllSettings.ADMIN_PORT_UNASKED : port;
    }

    private boolean isLoopback() throws UsageException {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException unknown) {
            throw new UsageException(
                    "the address of '%s' (%s) is unknown"
                            .formatted(host, AllSettings.ADMIN_HOST.flag()));
        }
    }
}
