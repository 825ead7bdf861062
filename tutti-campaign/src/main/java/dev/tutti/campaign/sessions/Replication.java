package dev.tutti.campaign.sessions;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Session replication of a Tomcat, with the settings in its documentation. */
enum Replication {
    /** TuttiManager with TLS from a secret. */
    TUTTI,
    /** TuttiManager without TLS. */
    TUTTI_PLAIN,
    /** TuttiManager with TLS whose requests do not wait for the other nodes, as those of DeltaManager do by default. */
    TUTTI_ASYNC,
    /** TuttiManager with TLS of which two nodes hold each session. */
    TUTTI_COPIES,
    /** As {@link #TUTTI_COPIES}, with nodes in zones: the first two in one, the next two in another, and so on. */
    TUTTI_ZONES,
    /** As {@link #TUTTI}, with the objects of idle sessions kept. */
    TUTTI_KEPT,
    /** As {@link #TUTTI_COPIES}, with the objects of idle sessions kept. */
    TUTTI_COPIES_KEPT,
    /** Tomcat's DeltaManager as documented: asynchronous, to all nodes. */
    DELTA,
    /** DeltaManager that waits until the other nodes have handled a change. */
    DELTA_SYNC,
    /** Tomcat's BackupManager: one copy at another node. */
    BACKUP;

    private static final int NODES_OF_ZONE = 2;

    static Replication parse(String name) {
        return valueOf(name.strip().toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    boolean isTutti() {
        return waits() || this == TUTTI_ASYNC;
    }

    /** Returns whether it is tutti, and what a client was told must be at every node. */
    boolean waits() {
        return this == TUTTI || this == TUTTI_PLAIN || hasCopies() || isKept();
    }

    private boolean hasCopies() {
        return this == TUTTI_COPIES || this == TUTTI_COPIES_KEPT || this == TUTTI_ZONES;
    }

    /** Returns whether two nodes are in one zone, so that no session may be lost with both. */
    boolean isOneZone(int one, int other) {
        return this == TUTTI_ZONES && zone(one).equals(zone(other));
    }

    private static String zone(int node) {
        return "z" + node / NODES_OF_ZONE;
    }

    private boolean isKept() {
        return this == TUTTI_KEPT || this == TUTTI_COPIES_KEPT;
    }

    /** Returns the element for the context of each application; empty if there is none. */
    String manager(int node, List<Place> places) {
        if (!isTutti()) {
            return "";
        }
        String seeds = places.stream().map(Place::address).collect(Collectors.joining(","));
        Place place = places.get(node);
        return "<Manager className=\"dev.tutti.tomcat.TuttiManager\" cluster=\"sessions-run\" bind=\"" + place.host() + "\" port=\""
                + place.nodePort() + "\" seeds=\"" + seeds + "\""
                + (this == TUTTI_ASYNC ? " acknowledgement=\"none\"" : "")
                + (hasCopies() ? " copies=\"2\"" : "")
                + (this == TUTTI_ZONES ? " settings=\"attributes=zone=" + zone(node) + "\"" : "")
                + (isKept() ? " objectTimeout=\"0 s\"" : "")
                + (this != TUTTI_PLAIN ? " secret=\"w4Nq8-Tb2Xk7_Hs9Vd3Jm6Pz1Lf5Gy0Rc\"" : "") + "/>";
    }

    /** Returns the element for the host of each Tomcat; empty if there is none. */
    String cluster(int node, List<Place> places) {
        if (isTutti()) {
            return "";
        }
        StringBuilder members = new StringBuilder();
        for (int other = 0; other < places.size(); other++) {
            members.append(member(other == node ? "LocalMember" : "Member", other, places.get(other)));
        }
        // 8 is asynchronous; 6 waits for an acknowledgement of each message, sent when it has been handled.
        int options = this == DELTA_SYNC ? 6 : 8;
        String manager = this == BACKUP
                ? "<Manager className=\"org.apache.catalina.ha.session.BackupManager\" notifyListenersOnReplication=\"true\"/>"
                : "<Manager className=\"org.apache.catalina.ha.session.DeltaManager\" expireSessionsOnShutdown=\"false\""
                        + " notifyListenersOnReplication=\"true\"/>";
        return """
                <Cluster className="org.apache.catalina.ha.tcp.SimpleTcpCluster" channelSendOptions="%d">
                  %s
                  <Channel className="org.apache.catalina.tribes.group.GroupChannel">
                    <Membership className="org.apache.catalina.tribes.membership.StaticMembershipService">
                      %s
                    </Membership>
                    <Receiver className="org.apache.catalina.tribes.transport.nio.NioReceiver" address="%s"
                              port="%d" autoBind="0" selectorTimeout="5000" maxThreads="6"/>
                    <Sender className="org.apache.catalina.tribes.transport.ReplicationTransmitter">
                      <Transport className="org.apache.catalina.tribes.transport.nio.PooledParallelSender"/>
                    </Sender>
                    <Interceptor className="org.apache.catalina.tribes.group.interceptors.TcpFailureDetector"/>
                    <Interceptor className="org.apache.catalina.tribes.group.interceptors.MessageDispatchInterceptor"/>
                  </Channel>
                  <Valve className="org.apache.catalina.ha.tcp.ReplicationValve" filter=""/>
                  <ClusterListener className="org.apache.catalina.ha.session.ClusterSessionListener"/>
                </Cluster>
                """.formatted(options, manager, members, places.get(node).host(), places.get(node).nodePort());
    }

    private static String member(String kind, int node, Place place) {
        StringBuilder id = new StringBuilder();
        for (int index = 0; index < 16; index++) {
            id.append(index == 0 ? "" : ",").append(index == 15 ? node + 1 : 0);
        }
        return "<" + kind + " className=\"org.apache.catalina.tribes.membership.StaticMember\" port=\"" + place.nodePort()
                + "\" host=\"" + place.host() + "\" domain=\"sessions-run\" uniqueId=\"{" + id + "}\"/>\n";
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
