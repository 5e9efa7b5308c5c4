package dev.handoff.server.forwarding;

import dev.handoff.http.ClientFields;
import dev.handoff.http.ForwardedElement;
import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Judges, for one connection, what its requests say about where they come from. Belongs to the
 * loop's thread.
 *
 * <p>From a peer that is not trusted, all of it is dropped, and from everybody what could be taken
 * for it, such as {@code x_forwarded_for}. A trusted one names the client, and the fields are cut
 * to what trusted proxies wrote. Most proxies write either {@code Forwarded} or {@code
 * X-Forwarded-For} and pass on what a client has put into the other. So where both are there and
 * differ, neither is believed, and the proxy itself counts as the client. Where they agree, {@code
 * Forwarded} is dropped all the same: a client that knows its own address can have it agree, and
 * say what it likes of the host and the protocol beside it.
 *
 * <p>Where a proxy speaks for a client and does not say for whom, or not in a way that can be
 * believed, the proxy stands for it in logs and frames. But the client has no address: it must not
 * pass for the proxy where that may do more than others.
 */
public final class Forwarding {
    private static final String FORWARDED = "forwarded";
    private static final String X_FORWARDED = "x-forwarded-";
    private static final String X_FORWARDED_FOR = "x-forwarded-for";
    private static final String X_FORWARDED_PROTO = "x-forwarded-proto";
    private static final String X_REAL_IP = "x-real-ip";
    private static final Set<String> CERTIFICATE = Set.of("client-cert", "client-cert-chain");

    private final TrustedProxies proxies;

    /** Null for one without an address, as behind a Unix socket. */
    private final @Nullable InetSocketAddress peer;

    private final Origin ofPeer;
    private final boolean trusted;

    /** Stands for all clients of proxies that hide them: nobody has this address. */
    private static final InetAddress HIDDEN = InetAddress.ofLiteral("0.0.0.0");

    /**
     * @param origin the client of the request
     * @param counted whom the request counts for, where each client may have so many; null where
     *     the connection counts already
     * @param request the peer's, as the handler shall see it
     */
    public record Judged(Origin origin, @Nullable InetAddress counted, Request request) {}

    /**
     * @param peer the other end of the connection
     * @param ofPeer the same as an origin: what counts where no proxy says more
     */
    public Forwarding(TrustedProxies proxies, SocketAddress peer, Origin ofPeer) {
        this.proxies = proxies;
        this.peer = peer instanceof InetSocketAddress inet ? inet : null;
        this.ofPeer = ofPeer;
        this.trusted = proxies.contains(peer);
    }

    public boolean isPeerTrusted() {
        return trusted;
    }

    public Judged judge(Request request) {
        Headers headers = request.headers();
        if (!speakOfClient(headers)) {
            return ofPeer(request);
        }
        if (!trusted) {
            return ofPeer(with(without(headers).build(), request));
        }
        return judge(headers, request);
    }

    private Judged judge(Headers headers, Request request) {
        if (!mentionsForwarding(headers)) {
            Headers.Builder kept = without(headers);
            addCertificate(headers, kept);
            return ofPeer(with(kept.build(), request));
        }
        ForwardedChain standard = chain(headers, FORWARDED, ForwardedElement::ofForwarded);
        ForwardedChain common = chain(headers, X_FORWARDED_FOR, ForwardedElement::ofXForwardedFor);
        if (standard != null && common != null && !agree(standard, common)) {
            Origin hidden =
                    new Origin(ofPeer.client(), null, Origin.HTTP, ofPeer.place(), true, null);
            return new Judged(hidden, HIDDEN, with(without(headers).build(), request));
        }
        Headers.Builder cut = without(headers);
        ForwardedChain chain = common == null ? standard : common;
        addBelieved(common == null ? FORWARDED : X_FORWARDED_FOR, chain, cut);
        addCompanions(headers, common, cut);
        @Nullable InetSocketAddress client = chain == null ? peer : chain.client();
        addRealIp(headers, client, cut);
        addCertificate(headers, cut);
        Headers believed = cut.build();
        String scheme = scheme(believed, common == null ? standard : null);
        String written = client == null ? ofPeer.client() : ClientAddress.format(client);
        InetAddress address = isKnown(chain) ? address(client) : null;
        return new Judged(
                new Origin(written, address, scheme, ofPeer.place(), true, null),
                address == null && chain != null ? HIDDEN : address,
                with(believed, request));
    }

    /** Without a chain the proxy itself asks. */
    private static boolean isKnown(@Nullable ForwardedChain chain) {
        return chain == null || chain.known();
    }

    /**
     * What the first proxy that is believed says that its client has spoken; if it says nothing,
     * what is spoken here.
     *
     * @param standard what {@code Forwarded} says, where it is believed
     */
    private String scheme(Headers believed, @Nullable ForwardedChain standard) {
        if (standard != null && !standard.proto().isEmpty()) {
            return Origin.schemeOf(standard.proto());
        }
        String list = believed.first(X_FORWARDED_PROTO);
        if (list == null) {
            return ofPeer.scheme();
        }
        int comma = list.indexOf(',');
        return Origin.schemeOf(comma < 0 ? list : list.substring(0, comma));
    }

    private Judged ofPeer(Request request) {
        return new Judged(ofPeer, null, request);
    }

    private @Nullable ForwardedChain chain(
            Headers headers, String name, ForwardedChain.Reader reader) {
        List<String> lines = headers.all(name);
        return lines.isEmpty() ? null : ForwardedChain.of(lines, reader, peer, proxies);
    }

    /** About the address: only one of the two fields may name the port. */
    private static boolean agree(ForwardedChain one, ForwardedChain other) {
        return Objects.equals(address(one.client()), address(other.client()));
    }

    private static @Nullable InetAddress address(@Nullable InetSocketAddress client) {
        return client == null ? null : client.getAddress();
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
    private static void addRealIp(
            Headers headers, @Nullable InetSocketAddress client, Headers.Builder cut) {
        List<String> lines = headers.all(X_REAL_IP);
        InetSocketAddress named = lines.size() == 1 ? ForwardedNode.parse(lines.getFirst()) : null;
        if (named != null && client != null && named.getAddress().equals(client.getAddress())) {
            cut.add(X_REAL_IP, lines.getFirst());
        }
    }

    /** What the proxy says of its client's certificate (RFC 9440). */
    private static void addCertificate(Headers headers, Headers.Builder cut) {
        for (int i = 0; i < headers.size(); i++) {
            if (CERTIFICATE.contains(headers.name(i))) {
                cut.add(headers.name(i), headers.value(i));
            }
        }
    }

    private static boolean speakOfClient(Headers headers) {
        for (int i = 0; i < headers.size(); i++) {
            if (ClientFields.isTakenForOne(headers.name(i))) {
                return true;
            }
        }
        return false;
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
            if (!ClientFields.isTakenForOne(headers.name(i))) {
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
