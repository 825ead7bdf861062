package dev.tutti.rendezvous.internal.registry;

/** A node that is present at the server, as long as its control stream is open. */
public final class ListedNode {

    /** Sends lines to the node. */
    public interface Control {

        /**
         * Tells the node that another one wants a connection with it.
         *
         * @param from address from which the other one has come, for people
         */
        void connect(String ticket, String from);

        /** Ends the stream: a newer one of the same address takes its place. */
        void replace();
    }

    final String cluster;
    final String address;
    final String host;
    final boolean isRelayed;
    final Control control;

    ListedNode(String cluster, String address, String host, boolean isRelayed, Control control) {
        this.cluster = cluster;
        this.address = address;
        this.host = host;
        this.isRelayed = isRelayed;
        this.control = control;
    }

    public String address() {
        return address;
    }

    /** Returns whether others may reach the node through the server. */
    public boolean isRelayed() {
        return isRelayed;
    }
}
