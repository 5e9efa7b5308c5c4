package dev.handoff.server.forwarding;

import dev.handoff.http.ForwardedElement;
import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Judges, for one connection, what its requests say about where they come from. Belongs to the
 * loop's thread.
 *
 * <p>From a peer that is not trusted, all of it is dropped. A trusted one names the client, and the
 * fields are cut to what trusted proxies wrote. Most proxies write either {@code Forwarded} or
 * {@code X-Forwarded-For} and pass on what a client has put into the other. So where both are there
 * and differ, neither is believed, and the proxy itself counts as the client. Where they agree,
 * {@code Forwarded} is dropped all the same: a client that knows its own address can have it agree,
 * and say what it likes of the host and the protocol beside it.
 */
public final class Forwarding {
    private static final String FORWARDED = "forwarded";
    private static final String X_FORWARDED = "x-forwarded-";
    private static final String X_FORWARDED_FOR = "x-forwarded-for";
    private static final String X_FORWARDED_PROTO = "x-forwarded-proto";
    private static final String X_REAL_IP = "x-real-ip";

    private final TrustedProxies proxies;
    private final InetSocketAddress peer;
    private final Origin ofPeer;
    private final boolean trusted;

    /**
     * @param origin the client of the request
     * @param request the peer's, as the handler shall see it
     */
    public record Judged(Origin origin, Request request) {}

    public Forwarding(TrustedProxies proxies, InetSocketAddress peer) {
        this.proxies = proxies;
        this.peer = peer;
        this.ofPeer = Origin.of(peer);
        this.trusted = proxies.contains(peer.getAddress());
    }

    public boolean isPeerTrusted() {
        return trusted;
    }

    public Judged judge(Request request) {
        Headers headers = request.headers();
        if (!mentionsForwarding(headers)) {
            return ofPeer(request);
        }
        if (!trusted) {
            return ofPeer(with(without(headers).build(), request));
        }
        ForwardedChain standard = chain(headers, FORWARDED, ForwardedElement::ofForwarded);
        ForwardedChain common = chain(headers, X_FORWARDED_FOR, ForwardedElement::ofXForwardedFor);
        if (standard != null && common != null && !agree(standard, common)) {
            return ofPeer(with(without(headers).build(), request));
        }
        Headers.Builder cut = without(headers);
        ForwardedChain chain = common == null ? standard : common;
        addBelieved(common == null ? FORWARDED : X_FORWARDED_FOR, chain, cut);
        addCompanions(headers, common, cut);
        InetSocketAddress client = chain == null ? peer : chain.client();
        addRealIp(headers, client, cut);
        Headers believed = cut.build();
        String scheme = scheme(believed, common == null ? standard : null);
        Origin origin = new Origin(ClientAddress.format(client), client.getAddress(), scheme);
        return new Judged(origin, with(believed, request));
    }

    /**
     * What the first proxy that is believed says that its client has spoken.
     *
     * @param standard what {@code Forwarded} says, where it is believed
     */
    private static String scheme(Headers believed, @Nullable ForwardedChain standard) {
        if (standard != null && !standard.proto().isEmpty()) {
            return Origin.schemeOf(standard.proto());
        }
        String list = believed.first(X_FORWARDED_PROTO);
        int comma = list == null ? -1 : list.indexOf(',');
        return Origin.schemeOf(list == null || comma < 0 ? list : list.substring(0, comma));
    }

    private Judged ofPeer(Request request) {
        return new Judged(ofPeer, request);
    }

    private @Nullable ForwardedChain chain(
            Headers headers, String name, ForwardedChain.Reader reader) {
        List<String> lines = headers.all(name);
        return lines.isEmpty() ? null : ForwardedChain.of(lines, reader, peer, proxies);
    }

    /** About the address: only one of the two fields may name the port. */
    private static boolean agree(ForwardedChain one, ForwardedChain other) {
        return one.client().getAddress().equals(other.client().getAddress());
    }

    private static void addBelieved(
            String name, @Nullable ForwardedChain chain, Headers.Builder headers) {
        if (chain != null && !chain.believed().isEmpty()) {
            headers.add(name, chain.believed());
        }
    }

    /**
     * X-Forwarded-Proto, -Host and the like: what the proxy sets as one value stays; a list stays
     * if it has a value for each address, and is cut in the same place. In any other list it is
     * unknown which value belongs to which address.
     */
    private static void addCompanions(
            Headers headers, @Nullable ForwardedChain chain, Headers.Builder cut) {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.name(i);
            if (!isCompanion(name) || !seen.add(name)) {
                continue;
            }
            List<ForwardedElement> values =
                    ForwardedElement.ofXForwardedFor(String.join(",", headers.all(name)));
            if (values.size() == 1) {
                cut.add(name, values.getFirst().text());
            } else if (chain != null && values.size() == chain.writtenElements()) {
                List<String> kept =
                        values
                                .subList(
                                        chain.writtenElements() - chain.believedElements(),
                                        chain.writtenElements())
                                .stream()
                                .map(ForwardedElement::text)
                                .toList();
                cut.add(name, String.join(", ", kept));
            }
        }
    }

    /** X-Real-IP stays where it names the client, and does not contradict what else is said. */
    private static void addRealIp(Headers headers, InetSocketAddress client, Headers.Builder cut) {
        List<String> lines = headers.all(X_REAL_IP);
        InetSocketAddress named = lines.size() == 1 ? ForwardedNode.parse(lines.getFirst()) : null;
        if (named != null && named.getAddress().equals(client.getAddress())) {
            cut.add(X_REAL_IP, lines.getFirst());
        }
    }

    private static boolean mentionsForwarding(Headers headers) {
        for (int i = 0; i < headers.size(); i++) {
            if (isForwarding(headers.name(i))) {
                return true;
            }
        }
        return false;
    }

    private static Headers.Builder without(Headers headers) {
        Headers.Builder kept = new Headers.Builder();
        for (int i = 0; i < headers.size(); i++) {
            if (!isForwarding(headers.name(i))) {
                kept.add(headers.name(i), headers.value(i));
            }
        }
        return kept;
    }

    private static boolean isForwarding(String name) {
        return name.equals(FORWARDED) || name.startsWith(X_FORWARDED) || name.equals(X_REAL_IP);
    }

    private static boolean isCompanion(String name) {
        return name.startsWith(X_FORWARDED) && !name.equals(X_FORWARDED_FOR);
    }

    private static Request with(Headers headers, Request request) {
        return new Request(
                request.method(), request.target(), request.version(), headers, request.body());
    }
}
