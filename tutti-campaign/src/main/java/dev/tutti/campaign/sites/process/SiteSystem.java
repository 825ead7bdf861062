package dev.tutti.campaign.sites.process;

import java.util.function.Consumer;

/** A member of a group that spans sites, of tutti or of a peer. Thread-safe. */
interface SiteSystem {

    /** Kinds of systems. */
    enum Kind {
        TUTTI,
        /** RELAY3 of JGroups. */
        RELAY3
    }

    /**
     * Joins.
     *
     * @param onMessage is called with the content of each message of any site, one at a time for each sender
     */
    static SiteSystem open(Settings settings, Consumer<byte[]> onMessage) {
        return switch (Kind.valueOf(settings.get("system", Kind.TUTTI.name()))) {
            case TUTTI -> new TuttiSite(settings, onMessage);
            case RELAY3 -> new Relay3Site(settings, onMessage);
        };
    }

    /**
     * Sends to all members of all sites. Returns when the message is accepted.
     *
     * @throws RefusedException if it was not
     */
    void send(byte[] message) throws RefusedException;

    /** Returns the number of sites that are connected, this one included, as far as this member knows. */
    long sitesUp();

    /** Returns whether this member passes on the messages of its site. */
    boolean isFirst();

    /** Returns the number of messages that this member keeps for other sites; 0 if that is not known. */
    long retained();

    /** A message was not accepted. */
    final class RefusedException extends Exception {

        private static final long serialVersionUID = 1;

        RefusedException(Throwable cause) {
            super(String.valueOf(cause.getMessage()), cause);
        }
    }
}
