package dev.tutti.netty.internal;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;

/**
 * What a node shows others and whom it believes: anybody whose certificate one of its authorities has signed, whatever
 * the name in it.
 */
record Trust(SSLContext context, String fingerprint) {

    private static final String[] PROTOCOLS = {"TLSv1.3"};

    static Trust of(PrivateKey key, List<X509Certificate> chain, List<X509Certificate> authorities)
            throws GeneralSecurityException, IOException {
        char[] password = new char[0];
        KeyStore own = KeyStore.getInstance("PKCS12");
        own.load(null, password);
        own.setKeyEntry("node", key, password, chain.toArray(X509Certificate[]::new));
        KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
        keys.init(own, password);

        KeyStore believed = KeyStore.getInstance("PKCS12");
        believed.load(null, password);
        for (int index = 0; index < authorities.size(); index++) {
            believed.setCertificateEntry("authority-" + index, authorities.get(index));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(believed);

        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return new Trust(context, X509.fingerprint(authorities.getFirst().getPublicKey()));
    }

    SSLEngine engine(boolean isClient) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(isClient);
        engine.setEnabledProtocols(PROTOCOLS);
        if (!isClient) {
            engine.setNeedClientAuth(true);
        }
        return engine;
    }
}
