package dev.tutti.protocols.discovery;

import dev.tutti.core.NodeId;
import dev.tutti.core.stack.Report;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Known addresses and the schedule of their dials: at once when an address becomes known, then repeatedly, with growing
 * pauses, while there is no session with the node behind it. That is how parts of a cluster find each other again.
 *
 * <p>Seeds are kept for ever, and an address that a source lists for as long as the source lists it. The address of a node that
 * said goodbye is forgotten at once. That of any other node without a
 * session is dialled like a seed for a minute, and then kept only as one of the {@value LostAddresses#ADDRESSES_MAX} that are most likely to
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

    /**
     * Pause between dials of a lost address at which nobody listens. Its host answers: a process has ended there, and only a
     * partition by a firewall that refuses connections looks the same.
     */
    private static final long PAUSE_NOBODY_NANOS = 30_000_000_000L;

    private final String self;
    private final Limits limits;
    private final SplittableRandom random;
    private final DialSchedule schedule;
    private final AddressDigest digest;
    private final LinkedHashMap<String, Address> addresses = new LinkedHashMap<>();
    private final NodeAddresses nodes = new NodeAddresses();
    private final Vouchers vouchers = new Vouchers();
    private final LostAddresses lost = new LostAddresses();
    private final SourceLists sources = new SourceLists();
    private final AwaitedAnswers answers;
    private long lastNumber;

    private long ignored;
    private long forgotten;

    public Discovery(String self, Limits limits, SplittableRandom random, Dialer dialer) {
        this.self = self;
        this.digest = new AddressDigest(self);
        this.limits = limits;
        this.random = random;
        this.answers = new AwaitedAnswers(limits.patienceNanos(), sources);
        this.schedule = new DialSchedule(limits.dialsMax(), random, dialer, this::forgetIfExhausted);
    }

    // ------------------------------------------------------------------ inputs

    /** Names the sources whose first lists joins wait for, as they wait for the answers of seeds. Before {@link #onStart}. */
    public void expect(List<String> names) {
        sources.expect(names);
    }

    public void onStart(List<String> seeds, long nowNanos) {
        answers.onStart(nowNanos);
        // Each begins with the seeds that follow it in the list: else nodes started together would all dial the first.
        int own = seeds.indexOf(self);
        for (int index = 1; index <= seeds.size(); index++) {
            String seed = seeds.get((own + index) % seeds.size());
            if (!seed.equals(self)) {
                add(seed, true, nowNanos);
            }
        }
        schedule.dialDue(nowNanos);
    }

    /**
     * Takes all addresses that a source lists. Those that it lists no longer are forgotten like any others.
     *
     * @return addresses of the list that lead to no node of this cluster, and have not for some time
     */
    public List<String> onListed(String source, List<String> texts, long nowNanos) {
        TreeSet<String> listed = new TreeSet<>(texts);
        for (Address address : sources.take(source, listed, addresses.values())) {
            unlisted(address, nowNanos);
        }
        List<String> dead = new ArrayList<>();
        for (String text : listed) {
            Address known = addresses.get(text);
            Address address = known == null && !text.equals(self) && isAddress(text) ? add(text, false, nowNanos) : known;
            if (address != null && address.sources.add(source)) {
                vouchers.countStranger(address, false);
                heardOf(address, nowNanos);
            } else if (address != null && SourceLists.isDead(address, nowNanos)) {
                dead.add(text);
            }
        }
        schedule.dialDue(nowNanos);
        return dead;
    }

    private void unlisted(Address address, long nowNanos) {
        if (address.isWanted() || address.isSelf || address.isConnected) {
            return;
        }
        if (address.node == null) {
            forget(address);
        } else {
            // Its minute begins now.
            address.sinceNanos = nowNanos;
        }
    }

    /**
     * Takes an address announced by a node with a session. It is dialled as long as one of the nodes that have
     * announced it has a session, until a node is found there.
     */
    public void onLearned(String text, NodeId author, long nowNanos) {
        Address known = addresses.get(text);
        if (known != null) {
            vouchers.vouch(known, author);
            heardOf(known, nowNanos);
        } else if (!text.equals(self) && isAddress(text)) {
            if (vouchers.isExhausted(author)) {
                ignored++;
                return;
            }
            Address address = add(text, false, nowNanos);
            if (address != null) {
                vouchers.vouch(address, author);
                schedule.dialDue(nowNanos);
            }
        }
    }

    /**
     * Takes an address from which a node without a session multicasts, as it seems. Nobody vouches for it: it is dialled once each
     * time that it is heard, unless a node there refuses this one, no join waits for it, and it takes no other address's place.
     */
    public void onHeard(String text, long nowNanos) {
        Address known = addresses.get(text);
        if (known != null && known.isRefusing()) {
            // Its pause goes on.
            known.sinceNanos = nowNanos;
        } else if (known != null) {
            heardOf(known, nowNanos);
        } else if (!text.equals(self) && addresses.size() < limits.addressesMax()) {
            Address address = add(text, false, nowNanos);
            if (address != null) {
                address.isAnswered = true;
            }
        } else {
            ignored++;
        }
        schedule.dialDue(nowNanos);
    }

    /** Forgets an address that only nodes have announced whose addresses are not dialled any more. */
    private boolean forgetIfExhausted(Address address) {
        if (!vouchers.isExhausted(address)) {
            return false;
        }
        ignored++;
        forget(address);
        return true;
    }

    /** Withdraws what a node has announced: nobody vouches any more for addresses that only it has announced. */
    private void forgetWord(NodeId author) {
        for (Address address : List.copyOf(addresses.values())) {
            if (vouchers.withdraw(address, author)) {
                forget(address);
            }
        }
        vouchers.forget(author);
    }

    /** Resets the age of an address at which another node has a session. */
    private void heardOf(Address address, long nowNanos) {
        if (address.isIdle() && schedule.isPaused(address)) {
            address.sinceNanos = nowNanos;
            address.dial.attempts = 0;
            lost.remove(address);
            schedule.planAgain(address, nowNanos);
            schedule.dialDue(nowNanos);
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
        for (Address address = nodes.first(node); address != null; address = address.nextOfNode) {
            connected(address, nowNanos);
        }
        schedule.updateDeadline();
    }

    /**
     * Takes the end of a session.
     *
     * @param isGraceful whether the node said goodbye, so that nobody will answer at its addresses
     */
    public void onClosed(NodeId node, boolean isGraceful, long nowNanos) {
        for (Address address = nodes.first(node); address != null; ) {
            Address next = address.nextOfNode;
            if (address.isConnected) {
                disconnected(address, isGraceful, nowNanos);
            }
            address = next;
        }
        forgetWord(node);
        schedule.updateDeadline();
    }

    private void disconnected(Address address, boolean isGraceful, long nowNanos) {
        address.isConnected = false;
        address.dial.attempts = 0;
        address.sinceNanos = nowNanos;
        address.worth = Long.SIZE - Long.numberOfLeadingZeros(nowNanos - address.openedNanos);
        if (address.isWanted()) {
            schedule.pause(address, nowNanos, PAUSE_MIN_NANOS);
        } else if (isGraceful) {
            forget(address);
        } else {
            digest.include(address, false);
            schedule.pause(address, nowNanos, PAUSE_MIN_NANOS);
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
        schedule.refund(address);
        found(address, node);
        if (isOpen) {
            connected(address, nowNanos);
        } else {
            schedule.pause(address, nowNanos, PAUSE_MIN_NANOS);
        }
        schedule.dialDue(nowNanos);
    }

    /** Takes the result of a dial that has reached this node itself. */
    public void onSelf(String text, long nowNanos) {
        Address address = answered(text);
        if (address != null) {
            schedule.refund(address);
            address.isSelf = true;
            schedule.cancel(address);
        }
        schedule.dialDue(nowNanos);
    }

    /** Takes the result of a dial that has to be repeated, with a handshake that uses what is now known of the node. */
    public void onAgain(String text, @Nullable NodeId node, long nowNanos) {
        Address address = addresses.get(text);
        if (address == null) {
            return;
        }
        if (address.dial.again > 2) {
            onFailed(text, false, nowNanos);
            return;
        }
        schedule.end(address);
        schedule.refund(address);
        if (node != null) {
            found(address, node);
        }
        address.dial.again++;
        if (address.isIdle()) {
            schedule.planFirst(address, nowNanos);
        }
        schedule.dialDue(nowNanos);
    }

    /** Takes the result of a dial that has found a node with which no session may begin yet. */
    public void onPostponed(String text, long nowNanos) {
        Address address = addresses.get(text);
        if (address != null) {
            address.dial.attempts = Math.min(address.dial.attempts, 1);
            schedule.refund(address);
        }
        onFailed(text, false, nowNanos);
    }

    public void onFailed(String text, boolean isRefused, long nowNanos) {
        Address address = answered(text);
        if (address != null) {
            address.dial.isCharged = false;
        }
        if (address == null || address.isConnected) {
            schedule.dialDue(nowNanos);
            return;
        }
        if (!isKept(address, nowNanos)) {
            forget(address);
            schedule.dialDue(nowNanos);
            return;
        }
        if (!address.isProven()) {
            vouchers.countStranger(address, true);
        }
        long longest = limits.pauseMaxNanos();
        if (isRefused) {
            longest = Math.max(longest, PAUSE_REFUSED_NANOS);
        } else if (address.outcome == Outcome.NOBODY && lost.contains(address)) {
            longest = Math.max(longest, PAUSE_NOBODY_NANOS);
        }
        long grown = PAUSE_MIN_NANOS << Math.min(address.dial.attempts, 20);
        address.dial.attempts++;
        schedule.pause(address, nowNanos, isRefused ? longest : Math.min(grown, longest));
        schedule.dialDue(nowNanos);
    }

    /** Decides whether an address at which no session came about is worth another dial. */
    private boolean isKept(Address address, long nowNanos) {
        long sinceNanos = nowNanos - address.sinceNanos;
        if (address.isWanted()) {
            return true;
        }
        if (address.isHearsay() && !address.isRefusing()) {
            return false;
        }
        if (sinceNanos < RECENT_NANOS) {
            return true;
        }
        if (sinceNanos >= limits.forgetNanos() || (address.worth == 0 && address.outcome == Outcome.NOBODY)) {
            return false;
        }
        if (lost.contains(address)) {
            return true;
        }
        address.lot = random.nextLong();
        digest.include(address, false);
        Address least = lost.add(address);
        if (least == address) {
            return false;
        }
        if (least != null) {
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
        if (schedule.deadlineNanos() <= nowNanos) {
            schedule.dialDue(nowNanos);
        }
    }

    public long nextDeadline() {
        return schedule.deadlineNanos();
    }

    /** Returns whether all sources and all addresses have answered, or their time to answer is over. */
    public boolean isEverybodyAsked(long nowNanos) {
        return answers.areComplete(nowNanos);
    }

    /**
     * Returns whether every source has given a list, and every seed and listed address is resolved: there is a session, the
     * host refuses connections, or it is this node. Any other counts as resolved {@code patienceNanos} after it was named. A dial that began earlier is awaited; the
     * driver ends it in bounded time.
     */
    public boolean isEverySeedKnown(long patienceNanos, long nowNanos) {
        return answers.isEverySeedKnown(addresses.values(), patienceNanos, nowNanos);
    }

    /**
     * Returns a digest of the known addresses, the own one included. Two nodes with the same digest have nothing to
     * tell each other. Addresses of lost nodes, which only old nodes know, are left out.
     */
    public long digest() {
        return digest.value();
    }

    // ------------------------------------------------------------------ decisions

    private void found(Address address, NodeId node) {
        if (node.equals(address.node)) {
            return;
        }
        nodes.remove(address);
        vouchers.countStranger(address, false);
        address.vouchers.clear();
        nodes.add(address, node);
    }

    private void connected(Address address, long nowNanos) {
        if (!address.isConnected) {
            address.openedNanos = nowNanos;
        }
        address.isConnected = true;
        schedule.cancel(address);
        lost.remove(address);
        digest.include(address, true);
        address.problem = "";
        address.outcome = Outcome.NONE;
        address.detail = "";
        address.isAnswered = true;
        address.dial.attempts = 0;
        address.dial.again = 0;
    }

    private @Nullable Address answered(String text) {
        Address address = addresses.get(text);
        if (address != null) {
            schedule.end(address);
            address.isAnswered = true;
            address.dial.again = 0;
        }
        return address;
    }

    private void forget(Address address) {
        addresses.remove(address.text);
        vouchers.countStranger(address, false);
        // The end of a dial under way will find no address.
        schedule.end(address);
        schedule.cancel(address);
        lost.remove(address);
        digest.include(address, false);
        nodes.remove(address);
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
        answers.await(address, nowNanos);
        digest.include(address, true);
        schedule.planFirst(address, self.compareTo(text) > 0 ? nowNanos + YIELD_NANOS : nowNanos);
        schedule.updateDeadline();
        return address;
    }

    /** Makes room by forgetting the address that has failed most often. */
    private boolean forgetOne() {
        Address worst = null;
        for (Address address : addresses.values()) {
            boolean isNeeded = address.isSeed || address.isConnected || address.dial.isUnderWay;
            if (!isNeeded && (worst == null || worst.dial.attempts < address.dial.attempts)) {
                worst = address;
            }
        }
        if (worst == null) {
            return false;
        }
        forget(worst);
        return true;
    }

    private static boolean isAddress(String text) {
        int colon = text.lastIndexOf(':');
        return 0 < colon && colon < text.length() - 1 && text.length() <= NodeId.TEXT_MAX;
    }

    /** Returns the number of nodes with which there is a session. */
    public int met() {
        int met = 0;
        for (Address address : addresses.values()) {
            // A node with several addresses counts once.
            met += address.isConnected && address.node != null && nodes.first(address.node) == address ? 1 : 0;
        }
        return met;
    }

    /** Returns the addresses without a session, except this node's own, in the order in which they became known. */
    public List<Unmet> unmet() {
        return AddressReport.unmet(addresses.values());
    }

    public void report(Report report) {
        report.put("dials", schedule.dials());
        report.put("dialed", schedule.dialed());
        report.put("ignored-addresses", ignored);
        report.put("forgotten-addresses", forgotten);
        AddressReport.write(addresses.values(), report);
    }
}
