package dev.tutti.protocols.discovery;

import dev.tutti.core.NodeId;
import dev.tutti.protocols.discovery.Discovery.Outcome;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** An address at which there is a node, or may be one. */
final class Address {

    /** Number in the order in which addresses became known. */
    final long number;

    final String text;
    final boolean isSeed;
    final long knownNanos;

    /** The present dial and the plan of the next one. */
    final Dial dial = new Dial();

    boolean isSelf;
    boolean isAnswered;

    /** The digest includes it. */
    boolean isCounted;

    /** Time since which there is no session, or at which it was last announced. */
    long sinceNanos;

    /** When the session began. */
    long openedNanos;

    /** Length of the last session as a power of two; 0 if there was none. Nodes that stayed are likelier to be there still. */
    int worth;

    /** Makes different nodes keep different ones of those that are worth the same. */
    long lot;

    /** Node that was last found there. */
    @Nullable NodeId node;

    /** Another address at which {@link #node} was found. */
    @Nullable Address nextOfNode;

    /** There is a session with {@link #node}. */
    boolean isConnected;

    /** Sources that list it. */
    final TreeSet<String> sources = new TreeSet<>();

    /** Nodes with a session that have announced it; needed until a node is found there. */
    final TreeSet<NodeId> vouchers = new TreeSet<>();

    /** It has failed, and counts against the nodes that have announced it. */
    boolean isStranger;

    /** Last problem that was logged for it. */
    String problem = "";

    Outcome outcome = Outcome.NONE;
    String detail = "";

    /** The dials of an address; changed by {@link DialSchedule}. */
    static final class Dial {

        boolean isUnderWay;

        /** The dial under way counts against the rate of repeated ones. */
        boolean isCharged;

        /** When the last dial began. */
        long begunNanos;

        /** Dials without a session since the last one. */
        int attempts;

        /** Dials that were repeated at once since the last answer. */
        int again;

        /** Queue of the next dial; null if none is planned. Changed only together with {@link #nextNanos}. */
        @Nullable TreeSet<Address> waiting;

        long nextNanos;
    }

    Address(long number, String text, boolean isSeed, long knownNanos) {
        this.number = number;
        this.text = text;
        this.isSeed = isSeed;
        this.knownNanos = knownNanos;
        this.sinceNanos = knownNanos;
    }

    /** Returns whether it needs no node that vouches for it. */
    boolean isProven() {
        return isWanted() || node != null;
    }

    /** Returns whether nobody vouches for it. */
    boolean isHearsay() {
        return !isProven() && vouchers.isEmpty();
    }

    /** Returns whether something answers there with which no session comes about. */
    boolean isRefusing() {
        return outcome == Outcome.REFUSED || outcome == Outcome.UNTRUSTED || outcome == Outcome.NO_NODE;
    }

    /** Returns whether somebody whom the user has named says that a node is there. */
    boolean isWanted() {
        return isSeed || !sources.isEmpty();
    }

    /** Returns whether it may be dialled. */
    boolean isIdle() {
        return !isSelf && !dial.isUnderWay && !isConnected;
    }

    /** Returns whether it is certain whether a node is there. */
    boolean isKnown() {
        return isSelf || isConnected || outcome == Outcome.NOBODY;
    }

    /** Returns its state as a text for people. */
    String state() {
        if (isSelf) {
            return "this node";
        }
        if (isConnected) {
            return "connected to " + node;
        }
        return dial.isUnderWay ? "being dialled" : "not connected after " + dial.attempts + " attempts";
    }
}
