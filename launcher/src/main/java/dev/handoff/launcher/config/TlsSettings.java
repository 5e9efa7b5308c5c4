package dev.handoff.launcher.config;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where TLS is spoken, and the files for that.
 *
 * @param certificates one chain for each name or set of names; the first is for all others
 * @param keys in the same order
 * @param clientCa whose certificates clients have to show; null if they need none
 */
public record TlsSettings(
        List<ListenAddress> listen,
        List<Path> certificates,
        List<Path> keys,
        @Nullable Path clientCa) {

    public TlsSettings {
        listen = List.copyOf(listen);
        certificates = List.copyOf(certificates);
        keys = List.copyOf(keys);
    }

    /** Null where no TLS is spoken. */
    static @Nullable TlsSettings from(Options options) throws UsageException {
        List<ListenAddress> listen = options.find(AllSettings.TLS_LISTEN);
        List<Path> certificates = options.find(AllSettings.TLS_CERTIFICATE);
        List<Path> keys = options.find(AllSettings.TLS_KEY);
        Path clientCa = options.find(AllSettings.TLS_CLIENT_CA);
        if (listen == null) {
            refuseAlone(options, AllSettings.TLS_CERTIFICATE, certificates);
            refuseAlone(options, AllSettings.TLS_KEY, keys);
            refuseAlone(options, AllSettings.TLS_CLIENT_CA, clientCa);
            return null;
        }
        if (certificates == null || keys == null) {
            throw new UsageException(
                    "%s needs a certificate and its key: %s FILE %s FILE"
                            .formatted(
                                    options.source(AllSettings.TLS_LISTEN),
                                    AllSettings.TLS_CERTIFICATE.flag(),
                                    AllSettings.TLS_KEY.flag()));
        }
        if (certificates.size() != keys.size()) {
            throw new UsageException(
                    "%s has %d files and %s has %d: each certificate needs its key, in the same order"
                            .formatted(
                                    options.source(AllSettings.TLS_CERTIFICATE),
                                    certificates.size(),
                                    options.source(AllSettings.TLS_KEY),
                                    keys.size()));
        }
        return new TlsSettings(listen, certificates, keys, clientCa);
    }

    private static void refuseAlone(Options options, Setting<?> setting, @Nullable Object value)
            throws UsageException {
        if (value != null) {
            throw new UsageException(
                    "%s has no effect without %s ADDRESSES"
                            .formatted(options.source(setting), AllSettings.TLS_LISTEN.flag()));
        }
    }
}
