package dev.tutti.netty.internal.security;

import dev.tutti.core.Printable;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Explains in plain words why two nodes do not trust each other. */
public final class TlsTrouble {

    private static final int DEPTH_MAX = 16;

    private TlsTrouble() {}

    /** Returns the reason, printable: certificates may contain any names. */
    public static String explain(@Nullable Throwable trouble) {
        return Printable.escape(reason(trouble));
    }

    private static String reason(@Nullable Throwable trouble) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable cause = trouble; cause != null && causes.size() < DEPTH_MAX; cause = cause.getCause()) {
            causes.add(cause);
        }
        String deepest = "unknown";
        // The deepest first: those above it name the alert that was sent because of it, as if it had been received.
        for (Throwable cause : causes.reversed()) {
            String known = known(cause);
            if (!known.isEmpty()) {
                return known;
            }
            if (cause.getMessage() != null && deepest.equals("unknown")) {
                deepest = cause.getMessage();
            }
        }
        return "the TLS handshake ended: " + deepest;
    }

    /** Returns whether a handshake failed because the connection ended, and not because of an alert or a check. */
    public static boolean isConnectionEnd(Throwable trouble) {
        int depth = 0;
        for (Throwable cause = trouble; cause != null && depth < DEPTH_MAX; cause = cause.getCause(), depth++) {
            boolean isOfSocket = cause instanceof IOException && !(cause instanceof SSLException);
            if (isOfSocket || String.valueOf(cause.getMessage()).startsWith("Connection closed while SSL/TLS handshake")) {
                return true;
            }
        }
        return false;
    }

    private static String known(Throwable cause) {
        String message = cause.getMessage() == null ? "" : cause.getMessage();
        if (cause instanceof NotSslRecordException) {
            return "does not speak TLS";
        }
        if (cause instanceof Trust.DistrustException) {
            return message;
        }
        if (cause instanceof CertificateExpiredException) {
            return "its certificate has expired: " + message;
        }
        if (cause instanceof CertificateNotYetValidException) {
            return "its certificate is not valid yet: " + message;
        }
        if (message.contains("unable to find valid certification path")
                || message.contains("No trusted certificate found")
                || cause instanceof CertPathValidatorException) {
            return "its certificate is not signed by an authority that is trusted here"
                    + " (another tls.authority, or another security.secret)";
        }
        if (message.contains("Empty client certificate chain")) {
            return "it has no certificate of an authority that is trusted here";
        }
        if (message.contains("certificate_expired")) {
            return "the certificate of this node has expired";
        }
        // With TLS 1.3 a node that has no certificate of an authority the other names sends none at all.
        if (message.contains("certificate_unknown")
                || message.contains("certificate_required")
                || message.contains("bad_certificate")
                || message.contains("unknown_ca")) {
            return "it does not trust the certificate of this node (another tls.authority, or another security.secret)";
        }
        if (cause instanceof ClosedChannelException) {
            return "closed during the TLS handshake; it may not use TLS, or not trust this node";
        }
        return message.contains("handshake timed out") ? "no TLS handshake in time" : "";
    }
}
