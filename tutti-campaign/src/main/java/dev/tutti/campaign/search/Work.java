package dev.tutti.campaign.search;

import dev.tutti.campaign.cluster.Band;
import dev.tutti.campaign.cluster.SimulatedCluster;
import dev.tutti.campaign.cluster.Traffic;
import dev.tutti.core.Packet;
import java.util.ArrayList;
import java.util.List;

/** The kinds of messages that schedules send, as coverage calls them. */
final class Work {

    private static final List<String> RECEIVERS = List.of("to all", "to one", "to itself", "to one that has gone");

    private Work() {}

    /** Returns all kinds, each also for messages sent when a message of a view change arrives. */
    static List<String> all() {
        List<String> all = new ArrayList<>();
        for (Band band : Band.values()) {
            for (String receiver : RECEIVERS) {
                all.add(name(band, receiver));
            }
            all.add(large(band));
            all.add(inViewChange(band, "to all"));
            all.add(inViewChange(band, "to one"));
        }
        all.remove(large(Band.OUT_OF_BAND));
        return all;
    }

    /** Counts a message before it is sent. */
    static void count(SimulatedCluster cluster, Traffic.Send send, boolean isInViewChange, Coverage coverage) {
        int receiver = send.receiver();
        String to = receiver == 0
                ? "to all"
                : receiver == send.node() ? "to itself" : cluster.isUp(receiver) ? "to one" : "to one that has gone";
        coverage.count(name(send.band(), to));
        if (send.band() != Band.OUT_OF_BAND && send.length() > LARGE_BYTES) {
            coverage.count(large(send.band()));
        }
        if (isInViewChange) {
            coverage.count(inViewChange(send.band(), receiver == 0 ? "to all" : "to one"));
        }
    }

    private static String name(Band band, String receiver) {
        return "state.sent: " + text(band) + ", " + receiver;
    }

    private static String large(Band band) {
        return "state.sent: " + text(band) + ", in pieces";
    }

    private static String inViewChange(Band band, String receiver) {
        return "state.sent-in-view-change: " + text(band) + ", " + receiver;
    }

    private static String text(Band band) {
        return band == Band.ORDERED ? "in order" : band.toString().strip();
    }

    /** Length above which a message does not fit in a packet. */
    private static final int LARGE_BYTES = Packet.PAYLOAD_MAX;
}
