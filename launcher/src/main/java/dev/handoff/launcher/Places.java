package dev.handoff.launcher;

import dev.handoff.launcher.config.AllSettings;
import dev.handoff.launcher.config.Configuration;
import dev.handoff.launcher.config.CoreOptions;
import dev.handoff.launcher.config.ListenAddress;
import dev.handoff.launcher.config.StartException;
import dev.handoff.server.Listening;
import dev.handoff.server.forwarding.ClientAddress;
import dev.handoff.server.forwarding.Origin;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Where clients find the server: opens these places, and names them. First come the plain ones, or
 * the socket that was inherited in their place, then those with TLS. Any thread.
 */
final class Places {
    private Places() {}

    /**
     * What routes call them, in the order of {@link #open}: as the options do, and an inherited
     * socket by where it is bound.
     */
    static List<String> names(CoreOptions options, @Nullable InheritedSocket inherited)
            throws IOException {
        List<String> names = new ArrayList<>();
        if (inherited == null) {
            options.listen().forEach(each -> names.add(each.text()));
        } else {
            names.add(ClientAddress.format(inherited.channel().getLocalAddress()));
        }
        if (options.tls() != null) {
            options.tls().listen().forEach(each -> names.add(each.text()));
        }
        return names;
    }

    /**
     * Why not all routes can be served here: some ask for requests that come in elsewhere.
     *
     * @param names of the places where this server listens
     * @return empty if all can be
     */
    static String whatRoutesMiss(Configuration configuration, List<String> names) {
        Set<String> missing = configuration.namedPlaces();
        missing.removeAll(names);
        return missing.isEmpty()
                ? ""
                : "routes are for requests that come in at %s (listen), and this server listens at %s"
                        .formatted(String.join(" and ", missing), String.join(" and ", names));
    }

    /**
     * Listens at all of them, or at none.
     *
     * @param certificates null where none speaks TLS
     * @param workersReady when to accept on an inherited socket: until then another core may do so,
     *     whose workers are ready
     */
    static List<Listening> open(
            CoreOptions options,
            @Nullable Certificates certificates,
            @Nullable InheritedSocket inherited,
            CompletionStage<?> workersReady)
            throws StartException, IOException {
        List<Listening> places = new ArrayList<>();
        try {
            if (inherited == null) {
                for (ListenAddress each : options.listen()) {
                    places.add(open(each, AllSettings.PORT.flag()));
                }
            } else {
                places.add(Listening.borrowing(inherited.channel()).openingWhen(workersReady));
            }
            if (options.tls() != null && certificates != null) {
                for (ListenAddress each : options.tls().listen()) {
                    places.add(
                            open(each, AllSettings.TLS_LISTEN.flag())
                                    .withTls(certificates::newEngine));
                }
            }
            List<String> names = names(options, inherited);
            for (int i = 0; i < names.size(); i++) {
                places.set(i, places.get(i).named(names.get(i)));
            }
            return places;
        } catch (StartException | IOException refused) {
            for (Listening each : places) {
                each.close();
            }
            throw refused;
        }
    }

    /**
     * @param chosenBy the option with which to choose another port
     */
    private static Listening open(ListenAddress address, String chosenBy) throws StartException {
        String place =
                address instanceof ListenAddress.Tcp tcp
                        ? "port " + tcp.port() + " on " + tcp.host()
                        : address.text();
        try {
            return address.listen();
        } catch (BindException failure) {
            String why = String.valueOf(failure.getMessage());
            throw new StartException(
                    why.contains("in use")
                            ? "%s is in use (choose another with %s)".formatted(place, chosenBy)
                            : "cannot listen on " + place + ": " + why,
                    failure);
        } catch (UnknownHostException | UnresolvedAddressException failure) {
            throw new StartException(
                    "the address of %s (%s) is unknown".formatted(place, option(chosenBy)),
                    failure);
        } catch (IOException failure) {
            throw new StartException(
                    "cannot listen on " + place + ": " + failure.getMessage(), failure);
        }
    }

    private static String option(String chosenBy) {
        return chosenBy.equals(AllSettings.PORT.flag())
                ? AllSettings.HOST.flag() + " or " + AllSettings.LISTEN.flag()
                : chosenBy;
    }

    /**
     * For people.
     *
     * @param bound where the server listens, in the order of {@link #open}
     * @param inherited whether the first is a socket that the options do not name
     */
    static List<String> urls(List<SocketAddress> bound, CoreOptions options, boolean inherited) {
        List<@Nullable ListenAddress> plain = new ArrayList<>();
        if (inherited) {
            plain.add(null);
        } else {
            plain.addAll(options.listen());
        }
        List<String> urls = new ArrayList<>();
        for (int i = 0; i < plain.size(); i++) {
            urls.add(url(Origin.HTTP, bound.get(i), plain.get(i)));
        }
        if (options.tls() != null) {
            for (ListenAddress each : options.tls().listen()) {
                urls.add(url(Origin.HTTPS, bound.get(urls.size()), each));
            }
        }
        return urls;
    }

    /** A name that the user has given says more than the address that it stands for. */
    private static String url(String scheme, SocketAddress bound, @Nullable ListenAddress wanted) {
        if (!(bound instanceof InetSocketAddress inet)) {
            return ListenAddress.UNIX + bound;
        }
        return url(
                scheme,
                wanted instanceof ListenAddress.Tcp tcp
                        ? tcp.host()
                        : ClientAddress.format(inet.getAddress()),
                inet.getPort());
    }

    /** What a browser on this machine opens. */
    static String url(String scheme, String host, int port) {
        return switch (host) {
            case "0.0.0.0", "::", "0:0:0:0:0:0:0:0" ->
                    "%s://127.0.0.1:%d/ and this machine's other addresses".formatted(scheme, port);
            default ->
                    "%s://%s:%d/"
                            .formatted(scheme, host.contains(":") ? "[" + host + "]" : host, port);
        };
    }
}
