package dev.tutti.protocols.discovery;

import dev.tutti.core.NodeId;
import dev.tutti.core.stack.Report;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Known addresses and the schedule of their dials: at once when an address becomes known, then repeatedly, with growing
 * pauses, while there is no session with the node behind it. That is how parts of a cluster find each other again.
 *
 * <p>Seeds are kept for ever. The address of a node that said goodbye is forgotten at once. That of any other node without a
 * session is dialled like a seed for a minute, and then kept only as one of the {@value #LOST_MAX} that are most likely to
 * lead to the other side of a partition, for {@link Limits#forgetNanos} at most: any one of them tells all others.
 *
 * <p>First dials are bounded by their number at a time. Repeated ones that fail are bounded in their rate, too, however many
 * addresses there are; those that are answered cost nothing, so that the parts of a large cluster come together at once.
 */
public final class Discovery {

    /** Starts a dial; its end comes back by one of the {@code on…} methods. */
    @FunctionalInterface
    public interface Dialer {
        void dial(String address, @Nullable NodeId expected);
    }

    /**
     * @param pauseMaxNanos longest pause between two dials of an address
     * @param patienceNanos time for which an answer of an address is awaited
     * @param forgetNanos time for which an address that is no seed is kept without a session
     * @param addressesMax number of addresses kept
     * @param dialsMax number of dials at a time
     */
    public record Limits(long pauseMaxNanos, long patienceNanos, long forgetNanos, int addressesMax, int dialsMax) {}

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
        /** The remote end answers and is no node. */
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
     * Time for which the higher of two addresses leaves dialling to the lower one, when both have just heard of each
     * other. Otherwise nodes that are started together would have two connections for each pair.
     */
    private static final long YIELD_NANOS = 20_000_000L;

    /** Pause between dials of an address that refuses this node. */
    private static final long PAUSE_REFUSED_NANOS = 10_000_000_000L;

    /** Time for which every address without a session is dialled like a seed: network or process may recover. */
    private static final long RECENT_NANOS = 60_000_000_000L;

    /** Addresses that are no seeds, kept after {@link #RECENT_NANOS}. */
    static final int LOST_MAX = 8;

    /**
     * Pause between dials of a lost address at which nobody listens. Its host answers: a process has ended there, and only a
     * partition by a firewall that refuses connections looks the same.
     */
    private static final long PAUSE_NOBODY_NANOS = 30_000_000_000L;

    /** Time between two repeated dials in the long run: a dial costs up to half a millisecond of a core. */
    private static final long REPEAT_NANOS = 31_250_000L;

    /**
     * Number of failed addresses, learned from one node, at which no node was found. Beyond, addresses that it
     * announces are not dialled any more. The limit for all nodes together is four times as high.
     */
    static final int STRANGERS_MAX = 256;

    private static final int STRANGERS_TOTAL_MAX = 4 * STRANGERS_MAX;

    /** Number of nodes remembered as the source of an address. */
    private static final int VOUCHERS_MAX = 4;

    /** Number of repeated dials in a burst. */
    private static final int REPEATS_MAX = 256;

    private static final Comparator<Address> DUE =
            Comparator.<Address>comparingLong(address -> address.nextNanos).thenComparingLong(address -> address.number);

    /** The least likely to lead to the other side of a partition comes first. */
    private static final Comparator<Address> LIKELY = Comparator.<Address, Boolean>comparing(
                    address -> address.outcome != Outcome.NOBODY)
            .thenComparingInt(address -> address.worth)
            .thenComparingLong(address -> address.lot)
            .thenComparingLong(address -> address.number);

    private static final class Address {
        final long number;
        final String text;
        final boolean isSeed;
        final long knownNanos;
        boolean isSelf;
        boolean isDialing;

        /** The dial counts against the rate of repeated ones. */
        boolean isCharged;

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

        /** Nodes with a session that have announced it; needed until a node is found there. */
        final TreeSet<NodeId> vouchers = new TreeSet<>();

        /** It has failed, and counts against the nodes that have announced it. */
        boolean isStranger;

        int attempts;
        int again;

        /** Last problem that was logged for it. */
        String problem = "";

        Outcome outcome = Outcome.NONE;
        String detail = "";
        /** Queue of its next dial; null if none is planned. Changed only together with {@link #nextNanos}. */
        @Nullable TreeSet<Address> waiting;

        long nextNanos;

        /** When the last dial began. */
        long dialedNanos;

        Address(long number, String text, boolean isSeed, long knownNanos) {
            this.number = number;
            this.text = text;
            this.isSeed = isSeed;
            this.knownNanos = knownNanos;
            this.sinceNanos = knownNanos;
        }
    }

    private final String self;
    private final Limits limits;
    private final SplittableRandom random;
    private final Dialer dialer;
    private final LinkedHashMap<String, Address> addresses = new LinkedHashMap<>();

    /** Last address at which a node was found; a node may have several. */
    private final HashMap<NodeId, Address> byNode = new HashMap<>();

    /** Addresses to be dialled for the first time, or at once. */
    private final TreeSet<Address> first = new TreeSet<>(DUE);

    /** Addresses to be dialled again. */
    private final TreeSet<Address> repeated = new TreeSet<>(DUE);

    /** Addresses that are no seeds and had no session for longer than {@link #RECENT_NANOS}: few. */
    private final List<Address> lost = new ArrayList<>();

    /** Time at which all repeated dials so far would be over, at one in {@link #REPEAT_NANOS}. */
    private long repeatedNanos;

    /** Number of announced addresses that have led nowhere, by the node that announced them. */
    private final HashMap<NodeId, Integer> strangersOf = new HashMap<>();

    private int strangers;
    private long lastNumber;
    /** Addresses whose answer is awaited, oldest first. Some may have answered meanwhile. */
    private final ArrayDeque<Address> unanswered = new ArrayDeque<>();

    private long digest;
    private int dials;
    private long ignored;
    private long forgotten;
    private long dialed;
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
        // Each begins with the seeds that follow it in the list: else nodes started together would all dial the first.
        int own = seeds.indexOf(self);
        for (int index = 1; index <= seeds.size(); index++) {
            String seed = seeds.get((own + index) % seeds.size());
            if (!seed.equals(self)) {
                add(seed, true, nowNanos);
            }
        }
        dialDue(nowNanos);
    }

    /**
     * Takes an address announced by a node with a session. It is dialled as long as one of the nodes that have
     * announced it has a session, until a node is found there.
     */
    public void onLearned(String text, NodeId author, long nowNanos) {
        Address known = addresses.get(text);
        if (known != null) {
            vouch(known, author);
            heardOf(known, nowNanos);
        } else if (!text.equals(self) && isAddress(text)) {
            if (isExhausted(author)) {
                ignored++;
                return;
            }
            Address address = add(text, false, nowNanos);
            if (address != null) {
                vouch(address, author);
                dialDue(nowNanos);
            }
        }
    }

    private void vouch(Address address, NodeId author) {
        boolean isNew = !isProven(address) && address.vouchers.size() < VOUCHERS_MAX && address.vouchers.add(author);
        if (isNew && address.isStranger) {
            strangersOf.merge(author, 1, Integer::sum);
        }
    }

    private static boolean isProven(Address address) {
        return address.isSeed || address.node != null;
    }

    private boolean isExhausted(NodeId author) {
        return strangers >= STRANGERS_TOTAL_MAX || strangersOf.getOrDefault(author, 0) >= STRANGERS_MAX;
    }

    /** Counts an address without a node against the nodes that have announced it. */
    private void countStranger(Address address, boolean isStranger) {
        if (address.isStranger == isStranger) {
            return;
        }
        address.isStranger = isStranger;
        strangers += isStranger ? 1 : -1;
        for (NodeId author : address.vouchers) {
            countFor(author, isStranger);
        }
    }

    private void countFor(NodeId author, boolean isStranger) {
        int count = strangersOf.merge(author, isStranger ? 1 : -1, Integer::sum);
        if (count <= 0) {
            strangersOf.remove(author);
        }
    }

    /** Withdraws what a node has announced: nobody vouches any more for addresses that only it has announced. */
    private void forgetWord(NodeId author) {
        for (Address address : List.copyOf(addresses.values())) {
            if (!isProven(address) && address.vouchers.contains(author)) {
                if (address.vouchers.size() == 1) {
                    forget(address);
                } else {
                    address.vouchers.remove(author);
                    if (address.isStranger) {
                        countFor(author, false);
                    }
                }
            }
        }
        strangersOf.remove(author);
    }

    /** Resets the age of an address at which another node has a session. */
    private void heardOf(Address address, long nowNanos) {
        if (isIdle(address) && address.waiting == repeated) {
            address.sinceNanos = nowNanos;
            address.attempts = 0;
            lost.remove(address);
            plan(address, repeated, nowNanos);
            dialDue(nowNanos);
        }
    }

    /** Takes the beginning of a session with a node, whichever side has dialled. */
    public void onOpened(NodeId node, long nowNanos) {
        Address own = addresses.get(node.address());
        if (own == null) {
            own = add(node.address(), false, nowNanos);
        }
        if (own != null) {
            found(own, node);
        }
        for (Address address = byNode.get(node); address != null; address = address.nextOfNode) {
            connected(address, nowNanos);
        }
        updateDeadline();
    }

    /**
     * Takes the end of a session.
     *
     * @param isGraceful whether the node said goodbye, so that nobody will answer at its addresses
     */
    public void onClosed(NodeId node, boolean isGraceful, long nowNanos) {
        for (Address address = byNode.get(node); address != null; ) {
            Address next = address.nextOfNode;
            if (address.isConnected) {
                disconnected(address, isGraceful, nowNanos);
            }
            address = next;
        }
        forgetWord(node);
        updateDeadline();
    }

    private void disconnected(Address address, boolean isGraceful, long nowNanos) {
        address.isConnected = false;
        address.attempts = 0;
        address.sinceNanos = nowNanos;
        address.worth = Long.SIZE - Long.numberOfLeadingZeros(nowNanos - address.openedNanos);
        if (address.isSeed) {
            pause(address, nowNanos, PAUSE_MIN_NANOS);
        } else if (isGraceful) {
            forget(address);
        } else {
            count(address, false);
            pause(address, nowNanos, PAUSE_MIN_NANOS);
        }
    }

    /**
     * Takes the result of a dial that has found a node.
     *
     * @param isOpen whether there is a session with it; else another connection is about to open one
     */
    public void onFound(String text, NodeId node, boolean isOpen, long nowNanos) {
        Address address = answered(text);
        if (address == null) {
            return;
        }
        refund(address);
        found(address, node);
        if (isOpen) {
            connected(address, nowNanos);
        } else {
            pause(address, nowNanos, PAUSE_MIN_NANOS);
        }
        dialDue(nowNanos);
    }

    /** Takes the result of a dial that has reached this node itself. */
    public void onSelf(String text, long nowNanos) {
        Address address = answered(text);
        if (address != null) {
            refund(address);
            address.isSelf = true;
            cancel(address);
        }
        dialDue(nowNanos);
    }

    /** Takes the result of a dial that has to be repeated, with a handshake that uses what is now known of the node. */
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
        refund(address);
        if (node != null) {
            found(address, node);
        }
        address.again++;
        if (isIdle(address)) {
            plan(address, first, nowNanos);
        }
        dialDue(nowNanos);
    }

    /** Takes the result of a dial that has found a node with which no session may begin yet. */
    public void onPostponed(String text, long nowNanos) {
        Address address = addresses.get(text);
        if (address != null) {
            address.attempts = Math.min(address.attempts, 1);
            refund(address);
        }
        onFailed(text, false, nowNanos);
    }

    public void onFailed(String text, boolean isRefused, long nowNanos) {
        Address address = answered(text);
        if (address != null) {
            address.isCharged = false;
        }
        if (address == null || address.isConnected) {
            dialDue(nowNanos);
            return;
        }
        if (!isKept(address, nowNanos)) {
            forget(address);
            dialDue(nowNanos);
            return;
        }
        if (!isProven(address)) {
            countStranger(address, true);
        }
        long longest = limits.pauseMaxNanos();
        if (isRefused) {
            longest = Math.max(longest, PAUSE_REFUSED_NANOS);
        } else if (address.outcome == Outcome.NOBODY && lost.contains(address)) {
            longest = Math.max(longest, PAUSE_NOBODY_NANOS);
        }
        long grown = PAUSE_MIN_NANOS << Math.min(address.attempts, 20);
        address.attempts++;
        pause(address, nowNanos, isRefused ? longest : Math.min(grown, longest));
        dialDue(nowNanos);
    }

    /** Decides whether an address at which no session came about is worth another dial. */
    private boolean isKept(Address address, long nowNanos) {
        long sinceNanos = nowNanos - address.sinceNanos;
        if (address.isSeed || sinceNanos < RECENT_NANOS) {
            return true;
        }
        if (sinceNanos >= limits.forgetNanos() || (address.worth == 0 && address.outcome == Outcome.NOBODY)) {
            return false;
        }
        if (lost.contains(address)) {
            return true;
        }
        address.lot = random.nextLong();
        count(address, false);
        lost.add(address);
        if (lost.size() > LOST_MAX) {
            Address least = Collections.min(lost, LIKELY);
            if (least == address) {
                return false;
            }
            forget(least);
        }
        return true;
    }

    /**
     * Returns whether a problem differs from the last one with this address, so that it is logged once.
     *
     * @param text of an address, or of the remote end of an accepted connection, for which every problem is news
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

    /** Returns whether all addresses have answered, or their time to answer is over. */
    public boolean isEverybodyAsked(long nowNanos) {
        while (!unanswered.isEmpty() && !isAwaited(unanswered.element(), nowNanos)) {
            unanswered.remove();
        }
        return unanswered.isEmpty();
    }

    /**
     * Returns whether every seed is resolved: there is a session, the host refuses connections, or it is this node. Any
     * other seed counts as resolved {@code patienceNanos} after it was named. A dial that began earlier is awaited; the
     * driver ends it in bounded time.
     */
    public boolean isEverySeedKnown(long patienceNanos, long nowNanos) {
        for (Address address : addresses.values()) {
            if (address.isSeed && !isKnown(address)) {
                long endNanos = address.knownNanos + patienceNanos;
                if (nowNanos < endNanos || address.isDialing && address.dialedNanos < endNanos) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean isKnown(Address address) {
        return address.isSelf || address.isConnected || address.outcome == Outcome.NOBODY;
    }

    private boolean isAwaited(Address address, long nowNanos) {
        return !address.isAnswered && nowNanos - address.knownNanos < limits.patienceNanos();
    }

    /**
     * Returns a digest of the known addresses, the own one included. Two nodes with the same digest have nothing to
     * tell each other. Addresses of lost nodes, which only old nodes know, are left out.
     */
    public long digest() {
        return digest;
    }

    // ------------------------------------------------------------------ decisions

    /** Dials due addresses. Those over a limit wait until a dial ends, or until repeated dials are allowed again. */
    private void dialDue(long nowNanos) {
        while (dials < limits.dialsMax() && !first.isEmpty() && first.first().nextNanos <= nowNanos) {
            Address address = first.first();
            if (!isProven(address) && !address.vouchers.isEmpty() && address.vouchers.stream().allMatch(this::isExhausted)) {
                ignored++;
                forget(address);
            } else {
                dial(address, nowNanos);
            }
        }
        while (dials < limits.dialsMax()
                && !repeated.isEmpty()
                && repeated.first().nextNanos <= nowNanos
                && repeatsAllowedNanos() <= nowNanos) {
            Address address = repeated.first();
            address.isCharged = true;
            repeatedNanos = Math.max(repeatedNanos, nowNanos) + REPEAT_NANOS;
            dial(address, nowNanos);
        }
        updateDeadline();
    }

    /** Returns the time from which a repeated dial is allowed. */
    private long repeatsAllowedNanos() {
        return repeatedNanos - REPEATS_MAX * REPEAT_NANOS;
    }

    private void updateDeadline() {
        deadlineNanos = NEVER;
        if (dials < limits.dialsMax()) {
            if (!first.isEmpty()) {
                deadlineNanos = first.first().nextNanos;
            }
            if (!repeated.isEmpty()) {
                deadlineNanos =
                        Math.min(deadlineNanos, Math.max(repeated.first().nextNanos, repeatsAllowedNanos()));
            }
        }
    }

    private static boolean isIdle(Address address) {
        return !address.isSelf && !address.isDialing && !address.isConnected;
    }

    private void plan(Address address, TreeSet<Address> where, long nextNanos) {
        cancel(address);
        address.nextNanos = nextNanos;
        address.waiting = where;
        where.add(address);
    }

    private static void cancel(Address address) {
        TreeSet<Address> where = address.waiting;
        if (where != null) {
            where.remove(address);
            address.waiting = null;
        }
    }

    private void dial(Address address, long nowNanos) {
        cancel(address);
        address.isDialing = true;
        address.dialedNanos = nowNanos;
        dials++;
        dialed++;
        dialer.dial(address.text, address.node);
    }

    /** Takes a dial that was answered out of the rate of repeated ones. */
    private void refund(Address address) {
        if (address.isCharged) {
            address.isCharged = false;
            repeatedNanos -= REPEAT_NANOS;
        }
    }

    private void found(Address address, NodeId node) {
        if (node.equals(address.node)) {
            return;
        }
        forgetNode(address);
        countStranger(address, false);
        address.vouchers.clear();
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
        plan(address, repeated, nowNanos + pauseNanos - pauseNanos / 4 + jitter);
    }

    private void connected(Address address, long nowNanos) {
        if (!address.isConnected) {
            address.openedNanos = nowNanos;
        }
        address.isConnected = true;
        cancel(address);
        lost.remove(address);
        count(address, true);
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

    private void count(Address address, boolean isCounted) {
        if (address.isCounted != isCounted) {
            address.isCounted = isCounted;
            digest += isCounted ? hash(address.text) : -hash(address.text);
        }
    }

    private void forget(Address address) {
        addresses.remove(address.text);
        countStranger(address, false);
        // The end of a dial under way will find no address.
        endDial(address);
        cancel(address);
        lost.remove(address);
        count(address, false);
        forgetNode(address);
        address.isAnswered = true;
        forgotten++;
    }

    private @Nullable Address add(String text, boolean isSeed, long nowNanos) {
        if (addresses.size() >= limits.addressesMax() && !forgetOne()) {
            ignored++;
            return null;
        }
        Address address = new Address(++lastNumber, text, isSeed, nowNanos);
        addresses.put(text, address);
        // Called here as well: else the queue would grow while nobody asks.
        isEverybodyAsked(nowNanos);
        unanswered.add(address);
        count(address, true);
        plan(address, first, self.compareTo(text) > 0 ? nowNanos + YIELD_NANOS : nowNanos);
        updateDeadline();
        return address;
    }

    /** Makes room by forgetting the address that has failed most often. */
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
        forget(worst);
        return true;
    }

    /** Returns the FNV-1a hash, mixed so that sums of hashes distinguish sets. */
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

    /** Returns the addresses without a session, except this node's own, in the order in which they became known. */
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
        report.put("dialed", dialed);
        report.put("ignored-addresses", ignored);
        report.put("forgotten-addresses", forgotten);
        reportSeeds(report);
        for (Address address : new ArrayList<>(addresses.values())) {
            report.section("addresses").put(address.text, state(address));
        }
    }

    private void reportSeeds(Report report) {
        long seeds = 0;
        long met = 0;
        long refusing = 0;
        for (Address address : addresses.values()) {
            if (address.isSeed && !address.isSelf) {
                seeds++;
                met += address.isConnected ? 1 : 0;
                refusing += !address.isConnected && address.outcome == Outcome.NOBODY ? 1 : 0;
            }
        }
        report.put("seeds", seeds);
        report.put("seeds-met", met);
        report.put("seeds-refusing", refusing);
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
