package dev.tutti.protocols.discovery;

import dev.tutti.core.NodeId;
import dev.tutti.core.stack.Report;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that are known, and when each is dialled: at once when it becomes known, then again and again, with
 * growing pauses, for as long as there is no session with the node behind it. That is how parts of a cluster find each
 * other again.
 */
public final class Discovery {

    /** Starts a dial; its end comes back by one of the {@code on…} methods. */
    @FunctionalInterface
    public interface Dialer {
        void dial(String address, @Nullable NodeId expected);
    }

    /**
     * @param pauseMaxNanos longest pause between two dials of an address
     * @param patienceNanos how long an address that has not answered counts as one that may still
     * @param addressesMax addresses to know
     * @param dialsMax dials at a time
     */
    public record Limits(long pauseMaxNanos, long patienceNanos, int addressesMax, int dialsMax) {}

    /** The last result of dialling an address. */
    public enum Outcome {
        /** The first dial is not over. */
        NONE,
        /** The host refuses connections: nobody listens at the port. */
        NOBODY,
        /** No answer in time, or no route. */
        SILENT,
        /** The name has no address. */
        UNRESOLVED,
        /** One of the two does not trust the other's certificate, or only one uses TLS. */
        UNTRUSTED,
        /** Somebody answers who is no node. */
        NO_NODE,
        /** A node answers and refuses this one, or is refused. */
        REFUSED
    }

    /**
     * An address without a session.
     *
     * @param detail for people; may be empty
     */
    public record Unmet(String address, boolean isSeed, Outcome outcome, String detail) {}

    public static final long NEVER = Long.MAX_VALUE;

    private static final long PAUSE_MIN_NANOS = 100_000_000L;

    /**
     * How long the higher of two addresses leaves it to the lower one to dial, when both have just heard of each other:
     * those who are started together would else have two connections for each pair.
     */
    private static final long YIELD_NANOS = 20_000_000L;

    /** Where something is that does not want this node, there is no hurry. */
    private static final long PAUSE_REFUSED_NANOS = 10_000_000_000L;

    /** An address that was heard of and has not answered so often is asked rarely; a seed never. */
    private static final int ATTEMPTS_RARE = 100;

    private static final long PAUSE_RARE_NANOS = 30_000_000_000L;

    private static final class Address {
        final String text;
        final boolean isSeed;
        final long knownNanos;
        boolean isSelf;
        boolean isDialing;

        /** It waits for the end of another dial. */
        boolean isQueued;

        boolean isAnswered;

        /** Who was found there last. */
        @Nullable NodeId node;

        /** Another address at which {@link #node} was found. */
        @Nullable Address nextOfNode;

        /** There is a session with {@link #node}. */
        boolean isConnected;

        int attempts;
        int again;

        /** What people were told of it last. */
        String problem = "";

        Outcome outcome = Outcome.NONE;
        String detail = "";
        long nextNanos;

        Address(String text, boolean isSeed, long knownNanos, long nextNanos) {
            this.text = text;
            this.isSeed = isSeed;
            this.knownNanos = knownNanos;
            this.nextNanos = nextNanos;
        }
    }

    private final String self;
    private final Limits limits;
    private final SplittableRandom random;
    private final Dialer dialer;
    private final LinkedHashMap<String, Address> addresses = new LinkedHashMap<>();

    /** Where a node was found last; one may have several addresses. */
    private final HashMap<NodeId, Address> byNode = new HashMap<>();

    private final ArrayDeque<Address> queue = new ArrayDeque<>();

    /** Those that have not answered, the first known first; some may have meanwhile. */
    private final ArrayDeque<Address> unanswered = new ArrayDeque<>();

    private long digest;
    private int dials;
    private long ignored;
    private long deadlineNanos = NEVER;

    public Discovery(String self, Limits limits, SplittableRandom random, Dialer dialer) {
        this.self = self;
        this.digest = hash(self);
        this.limits = limits;
        this.random = random;
        this.dialer = dialer;
    }

    // ------------------------------------------------------------------ inputs

    public void onStart(List<String> seeds, long nowNanos) {
        // Each begins with those that follow it in the list, or those who are started together would all dial the first.
        int own = seeds.indexOf(self);
        for (int index = 1; index <= seeds.size(); index++) {
            String seed = seeds.get((own + index) % seeds.size());
            if (!seed.equals(self)) {
                add(seed, true, nowNanos);
            }
        }
        dialDue(nowNanos);
    }

    /** Another node has told of an address. */
    public void onLearned(String address, long nowNanos) {
        if (!address.equals(self) && !addresses.containsKey(address) && isAddress(address)) {
            add(address, false, nowNanos);
            dialDue(nowNanos);
        }
    }

    /** A session with a node has begun, whoever has dialled. */
    public void onOpened(NodeId node, long nowNanos) {
        Address own = addresses.get(node.address());
        if (own == null) {
            own = add(node.address(), false, nowNanos);
        }
        if (own != null) {
            found(own, node);
        }
        for (Address address = byNode.get(node); address != null; address = address.nextOfNode) {
            connected(address);
        }
    }

    /** A session is over. */
    public void onClosed(NodeId node, long nowNanos) {
        for (Address address = byNode.get(node); address != null; address = address.nextOfNode) {
            if (address.isConnected) {
                address.isConnected = false;
                address.attempts = 0;
                pause(address, nowNanos, PAUSE_MIN_NANOS);
            }
        }
    }

    /**
     * A dial has led to a node.
     *
     * @param isOpen whether there is a session with it; else one is about to come about by another connection
     */
    public void onFound(String text, NodeId node, boolean isOpen, long nowNanos) {
        Address address = answered(text);
        if (address == null) {
            return;
        }
        found(address, node);
        if (isOpen) {
            connected(address);
        } else {
            pause(address, nowNanos, PAUSE_MIN_NANOS);
        }
        dialDue(nowNanos);
    }

    /** The address is this node's own. */
    public void onSelf(String text, long nowNanos) {
        Address address = answered(text);
        if (address != null) {
            address.isSelf = true;
            address.nextNanos = NEVER;
        }
        dialDue(nowNanos);
    }

    /** A node is there, and the handshake is to be done again with what is known of it now. */
    public void onAgain(String text, @Nullable NodeId node, long nowNanos) {
        Address address = addresses.get(text);
        if (address == null) {
            return;
        }
        if (address.again > 2) {
            onFailed(text, false, nowNanos);
            return;
        }
        endDial(address);
        if (node != null) {
            found(address, node);
        }
        address.again++;
        address.nextNanos = nowNanos;
        enqueue(address);
        dialDue(nowNanos);
    }

    /** The node is there, and it is too early for a session with it. */
    public void onPostponed(String text, long nowNanos) {
        Address address = addresses.get(text);
        if (address != null) {
            address.attempts = Math.min(address.attempts, 1);
        }
        onFailed(text, false, nowNanos);
    }

    public void onFailed(String text, boolean isRefused, long nowNanos) {
        Address address = answered(text);
        if (address == null || address.isConnected) {
            dialDue(nowNanos);
            return;
        }
        long longest = address.isSeed || address.attempts < ATTEMPTS_RARE ? limits.pauseMaxNanos() : PAUSE_RARE_NANOS;
        long grown = PAUSE_MIN_NANOS << Math.min(address.attempts, 20);
        address.attempts++;
        pause(address, nowNanos, isRefused ? Math.max(longest, PAUSE_REFUSED_NANOS) : Math.min(grown, longest));
        dialDue(nowNanos);
    }

    /**
     * Whether a problem is another one than the last with this address, so that people are told once.
     *
     * @param text of an address, or of somebody who has connected: whatever such a one does is news
     */
    public boolean isNews(String text, String problem) {
        Address address = addresses.get(text);
        if (address == null) {
            return true;
        }
        boolean isNews = !problem.equals(address.problem);
        address.problem = problem;
        return isNews;
    }

    /**
     * Keeps the result of a dial for {@link #unmet}. Of no effect while there is a session.
     *
     * @return false if the address is not known here
     */
    public boolean onOutcome(String text, Outcome outcome, String detail) {
        Address address = addresses.get(text);
        if (address != null && !address.isConnected) {
            address.outcome = outcome;
            address.detail = detail;
        }
        return address != null;
    }

    public void onTimer(long nowNanos) {
        if (deadlineNanos <= nowNanos) {
            dialDue(nowNanos);
        }
    }

    public long nextDeadline() {
        return deadlineNanos;
    }

    /** Whether all addresses have answered, or had their time to. */
    public boolean isEverybodyAsked(long nowNanos) {
        while (!unanswered.isEmpty() && !isAwaited(unanswered.element(), nowNanos)) {
            unanswered.remove();
        }
        return unanswered.isEmpty();
    }

    private boolean isAwaited(Address address, long nowNanos) {
        return !address.isAnswered && nowNanos - address.knownNanos < limits.patienceNanos();
    }

    /** The same at two nodes that know the same addresses, their own included: these have nothing to tell each other. */
    public long digest() {
        return digest;
    }

    // ------------------------------------------------------------------ decisions

    /** Dials what is due; what is due and has to wait is dialled when a dial ends. */
    private void dialDue(long nowNanos) {
        while (dials < limits.dialsMax() && !queue.isEmpty()) {
            Address address = queue.remove();
            address.isQueued = false;
            if (isIdle(address) && address.nextNanos <= nowNanos && addresses.get(address.text) == address) {
                dial(address);
            }
        }
        if (nowNanos < deadlineNanos) {
            return;
        }
        deadlineNanos = NEVER;
        for (Address address : addresses.values()) {
            if (!isIdle(address) || address.isQueued) {
                continue;
            }
            if (nowNanos < address.nextNanos) {
                deadlineNanos = Math.min(deadlineNanos, address.nextNanos);
            } else if (dials < limits.dialsMax()) {
                dial(address);
            } else {
                enqueue(address);
            }
        }
    }

    private static boolean isIdle(Address address) {
        return !address.isSelf && !address.isDialing && !address.isConnected;
    }

    private void enqueue(Address address) {
        if (!address.isQueued) {
            address.isQueued = true;
            queue.add(address);
        }
    }

    private void dial(Address address) {
        address.isDialing = true;
        dials++;
        dialer.dial(address.text, address.node);
    }

    private void found(Address address, NodeId node) {
        if (node.equals(address.node)) {
            return;
        }
        forgetNode(address);
        address.node = node;
        address.nextOfNode = byNode.put(node, address);
    }

    private void forgetNode(Address address) {
        NodeId node = address.node;
        Address first = node == null ? null : byNode.get(node);
        if (node == null || first == null) {
            return;
        }
        Address rest = address.nextOfNode;
        address.nextOfNode = null;
        if (first != address) {
            Address before = first;
            while (before.nextOfNode != null && before.nextOfNode != address) {
                before = before.nextOfNode;
            }
            before.nextOfNode = rest;
        } else if (rest == null) {
            byNode.remove(node);
        } else {
            byNode.put(node, rest);
        }
    }

    private void pause(Address address, long nowNanos, long pauseNanos) {
        long jitter = random.nextLong(pauseNanos / 2 + 1);
        address.nextNanos = nowNanos + pauseNanos - pauseNanos / 4 + jitter;
        deadlineNanos = Math.min(deadlineNanos, address.nextNanos);
    }

    private void connected(Address address) {
        address.isConnected = true;
        address.problem = "";
        address.outcome = Outcome.NONE;
        address.detail = "";
        address.isAnswered = true;
        address.attempts = 0;
        address.again = 0;
    }

    private @Nullable Address answered(String text) {
        Address address = addresses.get(text);
        if (address != null) {
            endDial(address);
            address.isAnswered = true;
            address.again = 0;
        }
        return address;
    }

    private void endDial(Address address) {
        if (address.isDialing) {
            address.isDialing = false;
            dials--;
        }
    }

    private @Nullable Address add(String text, boolean isSeed, long nowNanos) {
        if (addresses.size() >= limits.addressesMax() && !forgetOne()) {
            ignored++;
            return null;
        }
        long nextNanos = self.compareTo(text) > 0 ? nowNanos + YIELD_NANOS : nowNanos;
        Address address = new Address(text, isSeed, nowNanos, nextNanos);
        addresses.put(text, address);
        unanswered.add(address);
        digest += hash(text);
        if (nextNanos > nowNanos) {
            deadlineNanos = Math.min(deadlineNanos, nextNanos);
        } else {
            enqueue(address);
        }
        return address;
    }

    /** Makes room at the expense of the address that has failed most often. */
    private boolean forgetOne() {
        Address worst = null;
        for (Address address : addresses.values()) {
            boolean isNeeded = address.isSeed || address.isConnected || address.isDialing;
            if (!isNeeded && (worst == null || worst.attempts < address.attempts)) {
                worst = address;
            }
        }
        if (worst == null) {
            return false;
        }
        addresses.remove(worst.text);
        unanswered.remove(worst);
        digest -= hash(worst.text);
        forgetNode(worst);
        return true;
    }

    /** FNV-1a, mixed so that sums tell sets apart. */
    private static long hash(String text) {
        long hash = 0xCBF29CE484222325L;
        for (int index = 0; index < text.length(); index++) {
            hash = (hash ^ text.charAt(index)) * 0x100000001B3L;
        }
        hash = (hash ^ (hash >>> 33)) * 0xFF51AFD7ED558CCDL;
        return hash ^ (hash >>> 33);
    }

    private static boolean isAddress(String text) {
        int colon = text.lastIndexOf(':');
        return 0 < colon && colon < text.length() - 1 && text.length() <= NodeId.TEXT_MAX;
    }

    /** The addresses without a session, but for this node's own, in the order in which they became known. */
    public List<Unmet> unmet() {
        List<Unmet> unmet = new ArrayList<>();
        for (Address address : addresses.values()) {
            if (!address.isSelf && !address.isConnected) {
                unmet.add(new Unmet(address.text, address.isSeed, address.outcome, address.detail));
            }
        }
        return unmet;
    }

    public void report(Report report) {
        report.put("dials", dials);
        report.put("ignored-addresses", ignored);
        for (Address address : new ArrayList<>(addresses.values())) {
            report.section("addresses").put(address.text, state(address));
        }
    }

    private static String state(Address address) {
        if (address.isSelf) {
            return "this node";
        }
        if (address.isConnected) {
            return "connected to " + address.node;
        }
        return address.isDialing ? "being dialled" : "not connected after " + address.attempts + " attempts";
    }
}
