package dev.tutti.core.driver;

import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Proof of identity that the other end of a connection has given: its certificate. Immutable; the same question has the
 * same answer each time.
 */
public interface Credentials {

    /** Credentials of a connection without TLS: nothing is proven, and nothing is objected to. */
    Credentials NONE = new Credentials() {
        @Override
        public String subject() {
            return "";
        }

        @Override
        public String key() {
            return "";
        }

        @Override
        public @Nullable String objection(String name, String address) {
            return null;
        }
    };

    /** Returns the subject of the certificate, for people; empty if there is none. */
    String subject();

    /** Returns a text that identifies the private key which the other end has; empty if it has none. */
    String key();

    /** Returns the verified certificate of the other end, and those between it and the authority; empty if it has none. */
    default List<X509Certificate> certificates() {
        return List.of();
    }

    /**
     * Returns bytes that both ends of the connection know, that differ for every connection, and that nobody between the two can
     * bring about: a channel binding as in RFC 9266. Empty without TLS.
     */
    default byte[] channel() {
        return new byte[0];
    }

    /**
     * Returns why the other end can't be the node of this name at this address, and what to change; null if it can.
     *
     * @param address {@code host:port}
     */
    @Nullable String objection(String name, String address);

    /**
     * Returns whether the other end is certainly the node of this name, with whatever key: an authority whose key the nodes do not
     * have has signed it.
     */
    default boolean proves(String name) {
        return false;
    }
}
