package dev.tutti.netty.internal.security;

import dev.tutti.address.HostPort;
import dev.tutti.address.Resolver;
import dev.tutti.core.driver.Credentials;
import dev.tutti.netty.internal.certificate.X509;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/**
 * The names in a node's certificate, as credentials. A node's name must be the common name or an alternative name; the
 * host of its address must be an alternative name if there is any.
 *
 * @param subject subject of the certificate, for people
 * @param key fingerprint of the public key
 * @param commonName common name; empty if there is none
 * @param names common name and alternative names
 * @param hosts alternative names: hosts in lower case, and literal addresses
 * @param isChecked whether they restrict the names that the node may use
 * @param isProof whether only an authority apart from the nodes can have signed them
 */
public record Names(
        String subject, String key, String commonName, TreeSet<String> names, TreeSet<String> hosts, boolean isChecked,
        boolean isProof)
        implements Credentials {

    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    static Names of(X509Certificate certificate, Trust.Rules rules) throws GeneralSecurityException {
        String subject = certificate.getSubjectX500Principal().getName();
        String commonName = "";
        try {
            for (Rdn part : new LdapName(subject).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN") && part.getValue() instanceof String name) {
                    commonName = name;
                }
            }
        } catch (InvalidNameException e) {
            throw new GeneralSecurityException("subject '" + subject + "': " + e.getMessage(), e);
        }
        TreeSet<String> names = new TreeSet<>();
        if (!commonName.isEmpty()) {
            names.add(commonName);
        }
        TreeSet<String> hosts = new TreeSet<>();
        Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
        if (alternatives != null) {
            for (List<?> alternative : alternatives) {
                int kind = (Integer) alternative.get(0);
                if ((kind == DNS_NAME || kind == IP_ADDRESS) && alternative.get(1) instanceof String host) {
                    names.add(host);
                    hosts.add(normal(host));
                }
            }
        }
        return new Names(
                subject, X509.fingerprint(certificate.getPublicKey()), commonName, names, hosts, rules.isNameChecked(),
                rules.isAuthorityApart());
    }

    @Override
    public @Nullable String objection(String name, String address) {
        if (!isChecked) {
            return null;
        }
        if (!names.contains(name)) {
            return "the certificate " + subject + " is not of the node '" + name + "' but of " + names
                    + "; set name, or make one with: tutti certs node " + name + " (tls.verify-names)";
        }
        String host = host(address);
        if (!hosts.isEmpty() && !hosts.contains(host)) {
            return "the certificate " + subject + " is not good for the host " + host + " but for " + hosts
                    + "; set bind.advertise, or make one with: tutti certs node --host " + host + " " + name
                    + " (tls.verify-names)";
        }
        return null;
    }

    @Override
    public boolean proves(String name) {
        return isProof && isChecked && names.contains(name);
    }

    private static String host(String address) {
        try {
            return normal(HostPort.parse(address).host());
        } catch (IllegalArgumentException e) {
            return address;
        }
    }

    /** Normalizes an address: literal ones have several spellings, and may have a mark and name an interface. */
    private static String normal(String text) {
        String bare = new HostPort(text, -1).machine();
        int scope = bare.indexOf('%');
        String host = scope < 0 ? bare : bare.substring(0, scope);
        InetAddress literal = Resolver.literal(host);
        return literal == null ? host.toLowerCase(Locale.ROOT) : literal.getHostAddress();
    }
}
