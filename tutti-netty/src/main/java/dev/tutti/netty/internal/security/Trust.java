package dev.tutti.netty.internal.security;

import dev.tutti.core.driver.Credentials;
import dev.tutti.netty.internal.certificate.X509;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.spec.PBEParameterSpec;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * The certificate that a node presents, and the rule by which it trusts others: a certificate that one of its
 * authorities has signed, within its validity and not revoked.
 */
public final class Trust {

    private static final String[] PROTOCOLS = {"TLSv1.3"};

    /**
     * Beyond the limit of RFC 8446 (4.6.1) for a ticket, so that none is issued: a resumed session would not be
     * checked.
     */
    private static final int NO_TICKETS_SECONDS = 8 * 24 * 3_600;

    /** Label of the channel binding of TLS 1.3, from RFC 9266. */
    private static final String CHANNEL_LABEL = "EXPORTER-Channel-Binding";

    private static final byte[] NO_CONTEXT = new byte[0];
    private static final int CHANNEL_BYTES = 32;
    private static final int SALT_BYTES = 8;

    /** Thrown for a certificate that is not trusted; the message gives the reason, as seen from this end. */
    static final class DistrustException extends CertificateException {

        private static final long serialVersionUID = 1;

        DistrustException(String message) {
            super(message);
        }
    }

    /**
     * Restrictions besides the authorities.
     *
     * @param revocations lists of revoked certificates; each counts for the authority that has signed it
     * @param isNameChecked whether names in certificates restrict the names that a node may use
     * @param isAuthorityApart whether nodes do not have the key of the authority; those that share a secret do
     */
    record Rules(List<X509CRL> revocations, boolean isNameChecked, boolean isAuthorityApart) {

        static final Rules NONE = new Rules(List.of(), true, false);
    }

    /** Authorities whose certificates are trusted, and the pass of nodes that know them. */
    record Authorities(List<X509Certificate> certificates, Pass pass) {

        /** Returns authorities known by their certificates alone; {@code chain} is that of this node. */
        static Authorities of(List<X509Certificate> certificates, List<X509Certificate> chain) {
            X500Principal issuer = chain.getLast().getIssuerX500Principal();
            List<byte[]> keys = new ArrayList<>();
            for (X509Certificate each : certificates) {
                int index = each.getSubjectX500Principal().equals(issuer) ? 0 : keys.size();
                keys.add(index, each.getPublicKey().getEncoded());
            }
            return new Authorities(certificates, Pass.of(keys));
        }
    }

    private final SSLContext context;
    private final X509ExtendedTrustManager manager;
    private final List<X509Certificate> chain;
    private final List<X509Certificate> authorities;
    private final Pass pass;
    private final Rules rules;
    private final Names own;
    private final String fingerprint;

    private Trust(PrivateKey key, List<X509Certificate> chain, Authorities believed, Rules rules)
            throws GeneralSecurityException, IOException {
        this.chain = List.copyOf(chain);
        this.authorities = believed.certificates();
        this.pass = believed.pass();
        this.rules = rules;
        this.own = Names.of(chain.getFirst(), rules);
        StringBuilder fingerprints = new StringBuilder();
        for (X509Certificate authority : authorities) {
            fingerprints.append(fingerprints.isEmpty() ? "" : " and ").append(X509.fingerprint(authority.getPublicKey()));
        }
        this.fingerprint = fingerprints.toString();
        this.manager = manager(authorities);
        this.context = SSLContext.getInstance("TLSv1.3");
        context.init(managers(key, chain), new TrustManager[] {new Checked()}, null);
        context.getServerSessionContext().setSessionTimeout(NO_TICKETS_SECONDS);
    }

    /**
     * Returns what presents the key. A store can hold a key only encrypted, and this one never leaves the memory, so the
     * encryption takes as little time as it may. The manager named PKIX would decrypt the key again in each handshake,
     * with thousands of rounds usually, which takes longer than the rest of the handshake.
     */
    private static KeyManager[] managers(PrivateKey key, List<X509Certificate> chain)
            throws GeneralSecurityException, IOException {
        char[] password = new char[0];
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, password);
        store.setEntry(
                "node",
                new KeyStore.PrivateKeyEntry(key, chain.toArray(X509Certificate[]::new)),
                new KeyStore.PasswordProtection(
                        password, "PBEWithHmacSHA256AndAES_256", new PBEParameterSpec(new byte[SALT_BYTES], 1)));
        KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
        keys.init(store, password);
        return keys.getKeyManagers();
    }

    static Trust of(PrivateKey key, List<X509Certificate> chain, List<X509Certificate> authorities)
            throws GeneralSecurityException, IOException {
        return of(key, chain, Authorities.of(authorities, chain), Rules.NONE);
    }

    static Trust of(PrivateKey key, List<X509Certificate> chain, Authorities authorities, Rules rules)
            throws GeneralSecurityException, IOException {
        return new Trust(key, chain, authorities, rules);
    }

    private static X509ExtendedTrustManager manager(List<X509Certificate> authorities)
            throws GeneralSecurityException, IOException {
        KeyStore believed = KeyStore.getInstance("PKCS12");
        believed.load(null, new char[0]);
        for (int index = 0; index < authorities.size(); index++) {
            believed.setCertificateEntry("authority-" + index, authorities.get(index));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(believed);
        for (TrustManager each : factory.getTrustManagers()) {
            if (each instanceof X509ExtendedTrustManager extended) {
                return extended;
            }
        }
        throw new GeneralSecurityException("this JDK has no PKIX trust manager for engines");
    }

    SSLContext context() {
        return context;
    }

    /** Returns the fingerprint of the authorities' keys, for people to compare. */
    String fingerprint() {
        return fingerprint;
    }

    /** Returns the certificate that is presented, then those between it and the authority. */
    List<X509Certificate> chain() {
        return chain;
    }

    /** Returns the names in the certificate that is presented. */
    public Names own() {
        return own;
    }

    /** Returns an engine for one connection. A client's engine shows a pass. */
    SSLEngine engine(boolean isClient) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(isClient);
        engine.setEnabledProtocols(PROTOCOLS);
        if (isClient) {
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {pass.issue()});
            engine.setSSLParameters(parameters);
        } else {
            engine.setNeedClientAuth(true);
        }
        return engine;
    }

    /** Returns the pass that other nodes show. */
    public Pass pass() {
        return pass;
    }

    /**
     * Returns the credentials of the other end of a connection.
     *
     * @param chain its certificates, verified
     * @param session session of the connection, whose handshake is over
     */
    public Credentials credentials(List<X509Certificate> chain, SSLSession session)
            throws GeneralSecurityException, SSLException {
        byte[] channel = session instanceof ExtendedSSLSession extended
                ? extended.exportKeyingMaterialData(CHANNEL_LABEL, NO_CONTEXT, CHANNEL_BYTES)
                : new byte[0];
        return new ChannelCredentials(Names.of(chain.getFirst(), rules), List.copyOf(chain), channel);
    }

    /**
     * Returns the reason why a chain is not trusted any more; null if it is.
     *
     * @param isWhole whether signatures are checked too, which costs a millisecond
     */
    public @Nullable String objection(List<X509Certificate> chain, Instant now, boolean isWhole) {
        try {
            checkRules(chain, now);
            if (isWhole) {
                manager.checkClientTrusted(chain.toArray(X509Certificate[]::new), "UNKNOWN");
            }
            return null;
        } catch (CertificateException e) {
            return TlsTrouble.explain(e);
        }
    }

    private void checkRules(List<X509Certificate> chain, Instant now) throws CertificateException {
        for (X509Certificate each : chain) {
            if (now.isAfter(each.getNotAfter().toInstant())) {
                throw new DistrustException("its certificate has expired: it was good until "
                        + each.getNotAfter().toInstant());
            }
            each.checkValidity(Date.from(now));
            for (X509CRL list : rules.revocations()) {
                if (list.getIssuerX500Principal().equals(each.getIssuerX500Principal()) && list.isRevoked(each)) {
                    throw new DistrustException("its certificate is revoked: "
                            + each.getSubjectX500Principal().getName() + ", serial "
                            + each.getSerialNumber().toString(16) + " (tls.revoked)");
                }
            }
        }
    }

    @Override
    public String toString() {
        return authorities.stream()
                .map(each -> each.getSubjectX500Principal().getName())
                .collect(Collectors.joining(", "));
    }

    /** The JDK's check, followed by the rules. */
    private final class Checked extends X509ExtendedTrustManager {

        private void check(X509Certificate[] chain) throws CertificateException {
            checkRules(Arrays.asList(chain), Instant.now());
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
            manager.checkClientTrusted(chain, type, socket);
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
            manager.checkServerTrusted(chain, type, socket);
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            manager.checkClientTrusted(chain, type, engine);
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            manager.checkServerTrusted(chain, type, engine);
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            manager.checkClientTrusted(chain, type);
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            manager.checkServerTrusted(chain, type);
            check(chain);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return manager.getAcceptedIssuers();
        }
    }
}
