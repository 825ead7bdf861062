package dev.tutti.core.admission;

import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A node that wants to come in, as an {@link AdmissionRule} sees it. Names and addresses are what the node says of itself, of at
 * most 255 characters, without control characters. With TLS the certificates are proven; without certificates and without a
 * token nothing is.
 *
 * @param remote address as connected, {@code host:port}: where a connection comes from, or the address that was dialled
 * @param isDialled whether this node has dialled it; false if it has dialled this node
 * @param cluster name of its cluster, which is that of this node
 * @param name name of the node
 * @param address address that it advertises, {@code host:port}, at which other nodes are to dial it
 * @param certificates certificate of the node, and those between it and the authority; empty without TLS. They are verified
 * @param proof proof that the node knows a token; see {@link #knowsToken}
 */
public record Newcomer(
        String remote,
        boolean isDialled,
        String cluster,
        String name,
        String address,
        List<X509Certificate> certificates,
        TokenProof proof) {

    /** Alternative names of one certificate that are looked at. */
    private static final int NAMES_MAX = 1_000;

    private static final int URI = 6;
    private static final String SPIFFE = "spiffe://";

    public Newcomer {
        certificates = List.copyOf(certificates);
    }

    /** Returns whether the node has proven that it knows {@code token}, the first line of its {@code admission.token-file}. */
    public boolean knowsToken(String token) {
        return proof.isOf(token.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the certificate of the node; empty without TLS. */
    public Optional<X509Certificate> certificate() {
        return certificates.isEmpty() ? Optional.empty() : Optional.of(certificates.getFirst());
    }

    /** Returns the subject of the node's certificate, as RFC 2253 writes it: {@code CN=ann,O=Shop}. Empty without TLS. */
    public Optional<String> subject() {
        return certificate().map(each -> each.getSubjectX500Principal().getName());
    }

    /** Returns the alternative names of the node's certificate that are texts: hosts, addresses, e-mail addresses, URIs. */
    public List<String> alternativeNames() {
        return alternativeNames(-1);
    }

    /**
     * Returns the SPIFFE id of the node's certificate: its only URI, if that begins with {@code spiffe://}. Empty if it has
     * another URI besides, which the standard forbids.
     */
    public Optional<String> spiffeId() {
        List<String> uris = alternativeNames(URI);
        return uris.size() == 1 && uris.getFirst().startsWith(SPIFFE) ? Optional.of(uris.getFirst()) : Optional.empty();
    }

    private List<String> alternativeNames(int wanted) {
        List<String> names = new ArrayList<>();
        if (certificates.isEmpty()) {
            return names;
        }
        try {
            Collection<List<?>> alternatives = certificates.getFirst().getSubjectAlternativeNames();
            if (alternatives == null) {
                return names;
            }
            for (List<?> alternative : alternatives) {
                boolean isWanted = wanted < 0 || alternative.getFirst() instanceof Integer kind && kind == wanted;
                if (isWanted && alternative.get(1) instanceof String name && names.size() < NAMES_MAX) {
                    names.add(name);
                }
            }
            return names;
        } catch (CertificateParsingException e) {
            return List.of();
        }
    }

    /** Returns the node for people: its name, its address, and the subject of its certificate. */
    @Override
    public String toString() {
        return name + " (" + address + subject().map(text -> ", " + text).orElse("") + ")";
    }
}
