package dev.tutti.protocols.membership.primary;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Signal;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Record of a member about the sequence of primary views: dynamic voting, as a chain of consensus instances
 * (spec/VIEWCHANGE.md, section 8). A vote belongs to a record and not to a process: a member that has lost its record
 * is a new voter, and one that comes back with it keeps its vote, as another member.
 */
public final class PrimaryChain {

    /**
     * Primary view as a record keeps it.
     *
     * @param epoch its place in the chain; 0 for the one that precedes the founders' view
     * @param voters voters of which a majority decides on the next one; in epoch 0 made of the founders' names
     */
    public record Primary(ViewId id, long epoch, List<Long> voters) {

        public static Primary of(View view) {
            View.Primary primary = view.primary();
            if (primary == null) {
                throw new IllegalArgumentException(view + " is not primary");
            }
            return new Primary(view.id(), primary.epoch(), primary.voters());
        }

        public boolean isMajority(TreeSet<Long> present) {
            return 2L * present.size() > voters.size();
        }
    }

    /** View that was proposed in a ballot, and may have been decided. */
    public record Proposal(ViewId ballot, View view, List<Long> since) {}

    /**
     * Vote in an answer to a ballot.
     *
     * @param voter number of the record
     * @param last newest primary view that the member knows of
     * @param accepted proposal accepted as its successor in the highest ballot; null if none was
     */
    public record Vote(long voter, Primary last, @Nullable Proposal accepted) {

        /** Returns the voter that {@code member} counts as for a majority of {@code of}. */
        public long in(Primary of, Member member) {
            return of.epoch() == 0 ? founder(member.name()) : voter;
        }
    }

    /** Action that follows once the record is stored. */
    public sealed interface Step {}

    /** Sends the answer to a ballot: the view, the numbers received in it by sender, and the vote. */
    public record Answer(ViewId ballot, View view, TreeMap<Member, Long> received, Vote vote) implements Step {}

    /** Tells the proposer that its proposal is accepted. */
    public record Acceptance(ViewId ballot) implements Step {}

    /** Tells the coordinator of a view that the view is on record. */
    public record Installation(View view) implements Step {}

    private static final int FORMAT = 1;

    /** Length of the names of founders in a text for people. */
    private static final int NAMES_LENGTH_MAX = 150;

    private static final Member NOBODY = new Member(new NodeId(0, "", ""), 0);

    /** Last primary view of newcomers that are no founders; none can succeed it. */
    private static final Primary NONE = new Primary(new ViewId(0, 0, NOBODY), 0, List.of());

    private final Member self;
    private final List<String> founders;
    private final Primary founding;
    private final long leaveTimeoutNanos;

    // On record.
    private long voter;
    private Primary last = NONE;
    private @Nullable Proposal accepted;

    private boolean isLoaded;
    private long stores;
    private @Nullable Step next;

    /**
     * @param founders names of the nodes of which a majority makes the first primary view
     * @param leaveTimeoutNanos time for which a leaving member waits for a primary view without it
     */
    public PrimaryChain(Member self, List<String> founders, long leaveTimeoutNanos) {
        this.self = self;
        this.founders = List.copyOf(new TreeSet<>(founders));
        this.leaveTimeoutNanos = leaveTimeoutNanos;
        this.founding = founders.contains(self.name()) ? founding(founders) : NONE;
    }

    /** Returns the predecessor of the first primary view. */
    public static Primary founding(List<String> founders) {
        List<Long> voters = new TreeSet<>(founders).stream().map(PrimaryChain::founder).toList();
        return new Primary(new ViewId(0, 1, NOBODY), 0, voters);
    }

    /** Returns a name as a number, the same everywhere (FNV-1a). */
    private static long founder(String name) {
        long hash = 0xcbf29ce484222325L;
        for (int index = 0; index < name.length(); index++) {
            hash = (hash ^ name.charAt(index)) * 0x100000001b3L;
        }
        return hash;
    }

    public long leaveTimeoutNanos() {
        return leaveTimeoutNanos;
    }

    // ------------------------------------------------------------------ the record

    public boolean isLoaded() {
        return isLoaded;
    }

    /**
     * Starts from the record.
     *
     * @param record null if there is none
     * @return the highest promise on record; null if there is none
     * @throws IllegalArgumentException if the record can't be read
     */
    public @Nullable ViewId load(@Nullable Packet record, Members known, RandomGenerator random) {
        if (record == null) {
            voter = random.nextLong();
            last = founding;
            isLoaded = true;
            return null;
        }
        int format = record.takeInt();
        if (format != FORMAT) {
            throw new IllegalArgumentException("the record has format " + format + ", not " + FORMAT);
        }
        voter = record.takeLong();
        last = takePrimary(record, known);
        ViewId promised = Wire.takeViewId(record, known);
        accepted = takeProposal(record, known);
        if (record.isMalformed()) {
            throw new IllegalArgumentException("the record ends too early, or names no members");
        }
        isLoaded = true;
        return promised;
    }

    /** Stores the promise and the accepted proposal. {@code then} follows once they are safe, unless it is replaced. */
    public void store(ViewId promised, @Nullable Step then, Outbox out) {
        long bytes = 64 + bytesMax(last) + Wire.bytesMax(promised.proposer()) + bytesMax(accepted);
        Packet record = Packet.create(Memory.onHeap(), Math.toIntExact(bytes)).appendInt(FORMAT).appendLong(voter);
        append(record, last);
        Wire.append(record, promised);
        append(record, accepted);
        stores++;
        next = then;
        out.lower(new Signal.Primary.Store(stores, record));
    }

    /** Forgets the step that waits for a record. */
    public void forgetStep() {
        next = null;
    }

    /** Returns the step that was waiting for this record; null if none was. */
    public @Nullable Step onStored(long number) {
        if (number != stores) {
            return null;
        }
        Step due = next;
        next = null;
        return due;
    }

    // ------------------------------------------------------------------ what follows from it

    public Primary last() {
        return last;
    }

    public Vote vote() {
        return new Vote(voter, last, accepted);
    }

    public boolean isVoter() {
        return last.voters().contains(voter);
    }

    /** Returns whether this member alone could decide. */
    public boolean isMajorityAlone(Member self) {
        return last.voters().equals(List.of(vote().in(last, self)));
    }

    /** Returns whether this member may vote on a view: it knows the proposed one's predecessor, and none after that. */
    public boolean mayAccept(View proposed) {
        View.Primary primary = proposed.primary();
        return primary != null && primary.previous().equals(last.id());
    }

    public void accept(Proposal proposal) {
        accepted = proposal;
    }

    /** Takes a decided primary view, unless it is older than the known one. */
    public void learn(Primary decided) {
        if (decided.id().isAfter(last.id())) {
            last = decided;
            accepted = null;
        }
    }

    /** Describes to people why this member can't go on by itself. It counts if it is a voter. */
    public String missing() {
        long own = vote().in(last, self);
        return missing(last, last.voters().contains(own) ? new TreeSet<>(List.of(own)) : new TreeSet<>());
    }

    /**
     * Describes to people why there is no successor of a primary view.
     *
     * @param present its voters that are here
     */
    public String missing(Primary of, TreeSet<Long> present) {
        if (of.voters().isEmpty()) {
            return "waits for the primary partition, of which it knows nothing yet; this node is named " + self.name()
                    + ", and the founders are " + text(founders);
        }
        String text = "waits for the primary partition: " + present.size() + " of " + of.voters().size() + " voters of "
                + (of.epoch() == 0 ? "the founders" : "view " + of.id()) + " are here, " + (of.voters().size() / 2 + 1) + " are needed";
        // Later voters are numbers of records, which have no names.
        return of.epoch() == 0
                ? text + "; missing: " + text(founders.stream().filter(name -> !present.contains(founder(name))).toList())
                : text;
    }

    /** Returns names for people, as many as have room: the text is part of a message of limited length. */
    private static String text(List<String> names) {
        StringBuilder text = new StringBuilder();
        for (int index = 0; index < names.size(); index++) {
            String name = names.get(index);
            if (text.length() + name.length() > NAMES_LENGTH_MAX) {
                return text + (index == 0 ? "" : " and ") + (names.size() - index) + " others";
            }
            text.append(index == 0 ? "" : ", ").append(name);
        }
        return text.toString();
    }

    // ------------------------------------------------------------------ bytes

    public static long bytesMax(Primary primary) {
        return 64 + Wire.bytesMax(primary.id().proposer()) + 8L * primary.voters().size();
    }

    private static long bytesMax(@Nullable Proposal proposal) {
        if (proposal == null) {
            return 8;
        }
        View.Primary primary = proposal.view().primary();
        return 64 + Wire.bytesMax(proposal.ballot().proposer()) + Wire.bytesMax(proposal.view())
                + (primary == null ? 0 : Wire.bytesMax(primary)) + 8L * proposal.since().size();
    }

    public static long bytesMax(Vote vote) {
        return 16 + bytesMax(vote.last()) + bytesMax(vote.accepted());
    }

    public static void append(Packet packet, Primary primary) {
        Wire.append(packet, primary.id());
        packet.appendLong(primary.epoch());
        Wire.appendLongs(packet, primary.voters());
    }

    public static Primary takePrimary(Packet packet, Members known) {
        ViewId id = Wire.takeViewId(packet, known);
        long epoch = packet.takeLong();
        return new Primary(id, epoch, Wire.takeLongs(packet));
    }

    private static void append(Packet packet, @Nullable Proposal proposal) {
        View.Primary primary = proposal == null ? null : proposal.view().primary();
        packet.appendBoolean(proposal != null && primary != null);
        if (proposal != null && primary != null) {
            Wire.append(packet, proposal.ballot());
            Wire.append(packet, proposal.view());
            Wire.append(packet, primary);
            Wire.appendLongs(packet, proposal.since());
        }
    }

    private static @Nullable Proposal takeProposal(Packet packet, Members known) {
        if (!packet.takeBoolean()) {
            return null;
        }
        ViewId ballot = Wire.takeViewId(packet, known);
        View view = Wire.takePrimary(packet, Wire.takeView(packet, known), known);
        Proposal proposal = new Proposal(ballot, view, Wire.takeLongs(packet));
        if (proposal.since().size() != view.size()) {
            packet.markMalformed();
        }
        return proposal;
    }

    public static void append(Packet packet, Vote vote) {
        packet.appendLong(vote.voter());
        append(packet, vote.last());
        append(packet, vote.accepted());
    }

    public static Vote takeVote(Packet packet, Members known) {
        return new Vote(packet.takeLong(), takePrimary(packet, known), takeProposal(packet, known));
    }
}
