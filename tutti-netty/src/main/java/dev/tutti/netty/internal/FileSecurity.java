package dev.tutti.netty.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TLS from PEM files, which are read again when they have changed. Files that can't be used leave what was there. */
final class FileSecurity implements Security {

    /** How often the files are looked at, at most; only when a connection is made. */
    static final long CHECK_NANOS = 2_000_000_000L;

    private static final Logger LOG = LoggerFactory.getLogger(FileSecurity.class);

    private final Path certificate;
    private final Path key;
    private final Path authority;
    private final AtomicLong reloads = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private List<String> state;
    private Trust trust;
    private long checkedNanos;

    private FileSecurity(Path certificate, Path key, Path authority) throws IOException, GeneralSecurityException {
        this.certificate = certificate;
        this.key = key;
        this.authority = authority;
        this.state = look();
        this.trust = load();
        this.checkedNanos = System.nanoTime();
    }

    /**
     * @throws IOException that says which file is wrong and what would be right
     */
    static FileSecurity open(Path certificate, Path key, Path authority)
            throws IOException, GeneralSecurityException {
        return new FileSecurity(certificate, key, authority);
    }

    @Override
    public SSLEngine engine(long nowNanos, boolean isClient) {
        if (nowNanos - checkedNanos >= CHECK_NANOS) {
            checkedNanos = nowNanos;
            refresh();
        }
        return trust.engine(isClient);
    }

    private void refresh() {
        try {
            List<String> now = look();
            if (now.equals(state)) {
                return;
            }
            state = now;
            trust = load();
            reloads.incrementAndGet();
            LOG.info("TLS files read again, authority {}", trust.fingerprint());
        } catch (IOException | GeneralSecurityException e) {
            failures.incrementAndGet();
            LOG.error("TLS files have changed and can't be used; going on with those before: {}", e.getMessage());
        }
    }

    /** When each file was changed, and its size. */
    private List<String> look() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : List.of(certificate, key, authority)) {
            found.add(Files.exists(file) ? Files.getLastModifiedTime(file) + " " + Files.size(file) : "");
        }
        return found;
    }

    private Trust load() throws IOException, GeneralSecurityException {
        List<X509Certificate> chain = Pem.certificates(certificate);
        X509Certificate own = chain.getFirst();
        try {
            own.checkValidity();
        } catch (GeneralSecurityException e) {
            throw new IOException(certificate + ": is not valid now: " + e.getMessage(), e);
        }
        PrivateKey privateKey = Pem.privateKey(key, own.getPublicKey().getAlgorithm());
        checkPair(privateKey, own);
        return Trust.of(privateKey, chain, Pem.certificates(authority));
    }

    private void checkPair(PrivateKey privateKey, X509Certificate own) throws IOException, GeneralSecurityException {
        String algorithm =
                switch (own.getPublicKey().getAlgorithm()) {
                    case "EC" -> "SHA256withECDSA";
                    case "RSA" -> "SHA256withRSA";
                    default -> own.getPublicKey().getAlgorithm();
                };
        byte[] probe = own.getEncoded();
        Signature signing = Signature.getInstance(algorithm);
        signing.initSign(privateKey);
        signing.update(probe);
        byte[] signed = signing.sign();
        Signature verifying = Signature.getInstance(algorithm);
        verifying.initVerify(own.getPublicKey());
        verifying.update(probe);
        if (!verifying.verify(signed)) {
            throw new IOException(key + ": is not the key of the certificate in " + certificate);
        }
    }

    @Override
    public String description() {
        return "TLS 1.3, files, authority " + trust.fingerprint();
    }

    @Override
    public void count(Map<String, Long> counters) {
        counters.put("tls.reloads", reloads.get());
        counters.put("tls.reloads-failed", failures.get());
    }
}
