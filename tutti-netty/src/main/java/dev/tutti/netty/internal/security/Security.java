package dev.tutti.netty.internal.security;

import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.reload.ReloadedFiles;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Source of TLS engines. The files behind it are read again when they have changed; if they can't be used, the previous
 * certificates stay in force. {@link #refresh} is for one thread at a time, the rest for any.
 */
public final class Security {

    private static final Logger LOG = LoggerFactory.getLogger(Security.class);

    /** Certificates and rules, from files or from a secret. */
    interface Source {

        /** Returns the files that it is made of. */
        List<Path> files();

        /** @throws IOException if a file is wrong; the message says which, and what would be right */
        Trust load() throws IOException, GeneralSecurityException;

        /** Returns the kind of source, for people. */
        String kind();
    }

    private final Source source;
    private final AtomicLong reloads = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final ReloadedFiles<Trust> files;

    Security(Source source) throws IOException, GeneralSecurityException {
        this.source = source;
        this.files = new ReloadedFiles<>(source.files(), source::load);
    }

    /** Returns whether TLS is set, at least in part. */
    public static boolean isSet(Settings settings) {
        return FileSource.isSet(settings) || SecretSource.isSet(settings);
    }

    /**
     * @param address address at which others dial the node
     * @return null if no TLS is set
     * @throws TransportException if it is set in part, or can't be used
     */
    public static @Nullable Security open(Settings settings, String address) {
        boolean hasFiles = FileSource.isSet(settings);
        boolean hasSecret = SecretSource.isSet(settings);
        if (hasFiles && hasSecret) {
            throw new TransportException("security.secret or security.secret-file and tls.* are both set; use the secret or the"
                    + " files");
        }
        if (!hasFiles && !hasSecret) {
            return null;
        }
        try {
            Security security = new Security(hasFiles ? FileSource.of(settings) : SecretSource.of(settings, address));
            String objection = security.trust().own().objection(security.name(settings, address), address);
            if (objection != null) {
                throw new TransportException("name, bind.advertise: " + objection);
            }
            return security;
        } catch (IOException | GeneralSecurityException | InvalidPathException e) {
            throw new TransportException((hasFiles ? "tls: " : SecretSource.setting(settings) + ": ") + e.getMessage(), e);
        }
    }

    private String name(Settings settings, String address) {
        String name = settings.get(TransportSettings.NAME);
        if (name.isEmpty()) {
            name = trust().own().commonName();
        }
        return name.isEmpty() ? address : name;
    }

    /** Returns the certificates in force. */
    public Trust trust() {
        return files.value();
    }

    /** Makes an engine for one connection: TLS 1.3, both sides authenticated. */
    public SSLEngine engine(boolean isClient) {
        return trust().engine(isClient);
    }

    /** Checks the files and reads changed ones; returns whether other certificates are in force now. Blocks. */
    public boolean refresh() {
        try {
            if (!files.refresh()) {
                return false;
            }
            reloads.incrementAndGet();
            LOG.info("TLS files read again, authority {}", trust().fingerprint());
            return true;
        } catch (IOException | GeneralSecurityException e) {
            failures.incrementAndGet();
            LOG.error("TLS files have changed and can't be used; going on with those before: {}", e.getMessage());
            return false;
        }
    }

    /** Returns a description for people. */
    public String description() {
        return "TLS 1.3, " + source.kind() + ", authority " + trust().fingerprint();
    }

    /** Adds {@code tls.*} numbers. */
    public void count(Map<String, Long> counters) {
        counters.put("tls.reloads", reloads.get());
        counters.put("tls.reloads-failed", failures.get());
    }
}
