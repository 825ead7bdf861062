package dev.tutti.internal.admission;

import dev.tutti.core.admission.Newcomer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

/** A property of a node that rules test. It may have several values, or none. */
enum Attribute {
    /** Host that the connection comes from, or host that was dialled. */
    REMOTE(newcomer -> List.of(host(newcomer.remote()))),
    /** Address that the node advertises. */
    ADDRESS(newcomer -> List.of(newcomer.address())),
    NAME(newcomer -> List.of(newcomer.name())),
    CLUSTER(newcomer -> List.of(newcomer.cluster())),
    /** Subject of its certificate. */
    SUBJECT(newcomer -> newcomer.subject().stream().toList()),
    /** Subject of the authority that has signed its certificate. */
    ISSUER(newcomer -> newcomer.certificate().map(each -> each.getIssuerX500Principal().getName()).stream().toList()),
    /** Alternative names of its certificate. */
    SAN(Newcomer::alternativeNames),
    SPIFFE(newcomer -> newcomer.spiffeId().stream().toList()),
    /** Common name, alternative names and fingerprint of its certificate. */
    CERTIFICATE(Attribute::certificate);

    private static final String FINGERPRINT = "sha256:";

    private final Function<Newcomer, List<String>> values;

    Attribute(Function<Newcomer, List<String>> values) {
        this.values = values;
    }

    List<String> values(Newcomer newcomer) {
        return values.apply(newcomer);
    }

    /** Returns names of attributes as rules write them. */
    static List<String> names() {
        return Arrays.stream(values()).map(Attribute::toString).toList();
    }

    /** Returns a value as it is compared: fingerprints have several spellings. */
    static String normal(String value) {
        return value.startsWith(FINGERPRINT)
                ? FINGERPRINT + value.substring(FINGERPRINT.length()).replace(":", "").toLowerCase(Locale.ROOT)
                : value;
    }

    private static String host(String address) {
        int colon = address.lastIndexOf(':');
        String host = colon < 0 ? address : address.substring(0, colon);
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }

    private static List<String> certificate(Newcomer newcomer) {
        List<String> found = new ArrayList<>(newcomer.alternativeNames());
        newcomer.certificate().ifPresent(certificate -> {
            found.addAll(commonNames(certificate.getSubjectX500Principal()));
            found.add(fingerprint(certificate));
        });
        return found;
    }

    private static List<String> commonNames(X500Principal subject) {
        try {
            List<String> found = new ArrayList<>();
            for (Rdn part : new LdapName(subject.getName()).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN") && part.getValue() instanceof String name) {
                    found.add(name);
                }
            }
            return found;
        } catch (InvalidNameException e) {
            return List.of();
        }
    }

    private static String fingerprint(X509Certificate certificate) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
            return FINGERPRINT + HexFormat.of().formatHex(digest);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a certificate that was received can be encoded", e);
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
