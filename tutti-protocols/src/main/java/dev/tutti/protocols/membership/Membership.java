package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.core.stack.Signal;
import dev.tutti.protocols.mistake.Mistake;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Agrees on views: join, leave, crash, coordinator crash and merge are one operation, a ballot among the members that a
 * coordinator can hear.
 *
 * <p>Implements the model-checked protocol of {@code docs/design/membership.md}, whose rule numbers stand in brackets
 * here. What was received, and how missing packets are fetched, is the business of the layer above, which is asked by
 * {@link Signal.Freeze} and {@link Signal.Reach}. Control messages need no repetition: a session delivers them or is
 * lost, and a lost session restarts the ballot.
 */
public final class Membership implements Layer {

    /**
     * How long things may take, in nanoseconds.
     *
     * @param holdBackNanos timer F: wait for a member that follows somebody whom the coordinator does not hear
     * @param mergeDelayNanos timer J: collect other parts before merging, at most
     * @param ballotTimeoutNanos timer R: a ballot without an answer for so long expels those it waits for
     */
    public record Timing(long holdBackNanos, long mergeDelayNanos, long ballotTimeoutNanos) {}

    // Kinds of packets; everything above this layer travels as DATA.
    static final int DATA = 0;
    static final int ADVERT = 1;
    static final int PREPARE = 2;
    static final int ACK = 3;
    static final int NACK = 4;
    static final int CUT = 5;

    private static final int HOLD_BACK = 0;
    private static final int GATHER = 1;
    private static final int BACK_OFF = 2;
    private static final int PROGRESS = 3;

    /** Joins that come within this time share one view change. */
    private static final long GATHER_NANOS = 10_000_000;

    /** After a refused ballot: 0 to this, doubled with each refusal in a row, eight times at most. */
    private static final long BACK_OFF_NANOS = 2_000_000;

    private final Member self;
    private final Timing timing;
    private final Mistake mistake;
    private final Members known = new Members();

    private View view;

    /** Its members, to be found quickly. */
    private TreeSet<Member> inView;

    private ViewId promised;
    private @Nullable View target;
    private long joined = Advert.NOT_YET;
    private final TreeSet<Member> open = new TreeSet<>();
    private final TreeSet<Member> closed = new TreeSet<>();
    private TreeSet<Member> lost = new TreeSet<>();

    /** With whom a session has been open ever since the last promise. */
    private TreeSet<Member> unbroken = new TreeSet<>();

    private final TreeMap<Member, Advert> adverts = new TreeMap<>();
    private boolean hasFollowed = true;
    private boolean hasStarted;

    private @Nullable Ballot ballot;
    private @Nullable ViewId refusedBy;
    private int refusalsInARow;
    private boolean isHeldBackEnough;
    private boolean isGatheredEnough;

    private boolean isDirty = true;
    private @Nullable Advert lastAdvert;

    /** Whether something that is advertised may have changed since; whom this member follows is looked at each time. */
    private boolean isNews = true;

    private final TreeSet<Member> unadvised = new TreeSet<>();

    private long viewsInstalled;
    private long ballotsStarted;
    private long ballotsRefused;
    private long stragglersCompleted;

    public Membership(Member self, Timing timing) {
        this(self, timing, Mistake.NONE);
    }

    public Membership(Member self, Timing timing, Mistake mistake) {
        this.self = self;
        this.timing = timing;
        this.mistake = mistake;
        this.view = View.alone(self);
        this.inView = new TreeSet<>(view.members());
        this.promised = view.id();
    }

    // ------------------------------------------------------------------ inputs

    @Override
    public void onSend(Packet packet, Outbox out) {
        out.send(packet.prependByte(DATA));
    }

    @Override
    public void onReceive(Packet packet, Outbox out) {
        Member from = packet.peer();
        int kind = packet.takeByte();
        if (packet.isMalformed() || from == null) {
            out.drop(packet, DropReason.MALFORMED);
            return;
        }
        if (kind == DATA) {
            out.deliver(packet);
            return;
        }
        if (!open.contains(from)) {
            out.drop(packet, DropReason.NO_SESSION);
            return;
        }
        DropReason problem =
                switch (kind) {
                    case ADVERT -> onAdvert(from, packet);
                    case PREPARE -> onPrepare(from, packet, out);
                    case ACK -> onAck(from, packet, out);
                    case NACK -> onNack(packet, out);
                    case CUT -> onCut(packet, out);
                    default -> DropReason.MALFORMED;
                };
        if (problem != null) {
            out.drop(packet, problem);
        } else {
            packet.release();
        }
        isDirty = true;
    }

    @Override
    public void onSignal(Signal signal, Outbox out) {
        switch (signal) {
            case Signal.Opened(Member member) -> {
                start(out);
                open.add(member);
                isNews = true;
                unadvised.add(member);
                closed.remove(member);
                isDirty = true;
                out.forward(signal);
            }
            case Signal.Closed(Member member, boolean isGraceful, String reason) -> {
                start(out);
                if (open.remove(member)) {
                    isNews = true;
                    adverts.remove(member);
                    unadvised.remove(member);
                    unbroken.remove(member);
                    closed.add(member);
                    lost.add(member);
                    isDirty = true;
                    out.forward(signal);
                }
            }
            case Signal.Frozen(ViewId id, TreeMap<Member, Long> received) -> onFrozen(id, received, out);
            case Signal.Reached(ViewId id) -> {
                View reached = target;
                if ((id.equals(promised) || mistake == Mistake.NO_PROMISE) && reached != null) {
                    install(reached, out);
                }
                isDirty = true;
            }
            case Signal.Leave() -> out.lower(new Signal.Left());
            default -> out.forward(signal);
        }
    }

    @Override
    public void onTimer(int timer, Outbox out) {
        switch (timer) {
            case HOLD_BACK -> isHeldBackEnough = true;
            case GATHER -> isGatheredEnough = true;
            case PROGRESS -> expelSilent(out);
            default -> {
                // The back-off is over: the timer being disarmed says so.
            }
        }
        isDirty = true;
    }

    @Override
    public void onTurnEnd(Outbox out) {
        start(out);
        if (!isDirty) {
            return;
        }
        isDirty = false;
        noticeFollowed(out);
        considerBallot(out);
        advertise(out);
    }

    /** The first view, of oneself alone, is installed with the first turn. */
    private void start(Outbox out) {
        if (!hasStarted) {
            hasStarted = true;
            announce(out);
        }
    }

    // ------------------------------------------------------------------ messages

    private @Nullable DropReason onAdvert(Member from, Packet packet) {
        Advert advert = Advert.takeFrom(packet, known);
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
        }
        adverts.put(from, advert);
        return null;
    }

    private @Nullable DropReason onPrepare(Member from, Packet packet, Outbox out) {
        ViewId id = Wire.takeViewId(packet, known);
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
        }
        Member follows = follows();
        if (id.isAfter(promised) && id.number() > view.id().number() && from.equals(follows)) {
            promise(id);
            ballot = null;
            out.disarm(PROGRESS);
            out.raise(new Signal.Freeze(id));
        } else {
            Packet nack = control(out, NACK);
            Wire.append(nack, id);
            Wire.append(nack, promised);
            nack.appendLong(view.id().number());
            Wire.append(nack, follows);
            sendControl(nack, from, out);
        }
        return null;
    }

    /** The layer above has stopped: the answer to {@code id}, unless a newer ballot has come meanwhile. */
    private void onFrozen(ViewId id, TreeMap<Member, Long> received, Outbox out) {
        if (!id.equals(promised)) {
            return;
        }
        // Whoever decides on this answer must already know the promise, or it would start another ballot for it.
        advertise(out);
        if (ballot != null && ballot.id().equals(id)) {
            ballot.record(self, new Ballot.Answer(view, received));
            advance(ballot, out);
        } else if (open.contains(id.proposer())) {
            Packet ack = control(out, ACK);
            Wire.append(ack, id);
            Wire.append(ack, view);
            Wire.append(ack, received);
            sendControl(ack, id.proposer(), out);
        }
        isDirty = true;
    }

    private @Nullable DropReason onAck(Member from, Packet packet, Outbox out) {
        ViewId id = Wire.takeViewId(packet, known);
        View answerView = Wire.takeView(packet, known);
        TreeMap<Member, Long> received = Wire.takeVector(packet, known);
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
        }
        if (ballot == null || !ballot.id().equals(id) || !ballot.candidates().contains(from)) {
            return DropReason.OLD_BALLOT;
        }
        ballot.record(from, new Ballot.Answer(answerView, received));
        out.arm(PROGRESS, timing.ballotTimeoutNanos());
        advance(ballot, out);
        return null;
    }

    private @Nullable DropReason onNack(Packet packet, Outbox out) {
        ViewId id = Wire.takeViewId(packet, known);
        ViewId otherPromised = Wire.takeViewId(packet, known);
        long otherNumber = packet.takeLong();
        Wire.takeMember(packet, known);
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
        }
        if (ballot == null || !ballot.id().equals(id)) {
            return DropReason.OLD_BALLOT;
        }
        ballotsRefused++;
        ballot = null;
        target = null;
        out.disarm(PROGRESS);
        noteRefusal(otherPromised);
        if (otherNumber > otherPromised.number()) {
            noteRefusal(new ViewId(otherNumber, Integer.MAX_VALUE, self));
        }
        long bound = BACK_OFF_NANOS << Math.min(refusalsInARow, 8);
        refusalsInARow++;
        out.arm(BACK_OFF, out.random().nextLong(bound));
        return null;
    }

    private void noteRefusal(ViewId other) {
        if (refusedBy == null || other.isAfter(refusedBy)) {
            refusedBy = other;
        }
    }

    private @Nullable DropReason onCut(Packet packet, Outbox out) {
        ViewId id = Wire.takeViewId(packet, known);
        View record = Wire.takeView(packet, known);
        int holderCount = packet.takeCount(2 * Wire.MEMBER_BYTES_MIN);
        TreeMap<Member, Member> holders = new TreeMap<>();
        for (int index = 0; index < holderCount; index++) {
            holders.put(Wire.takeMember(packet, known), Wire.takeMember(packet, known));
        }
        if (packet.isMalformed()) {
            return DropReason.MALFORMED;
        }
        return takeCut(id, record, holders, out) ? null : DropReason.OLD_BALLOT;
    }

    // ------------------------------------------------------------------ decisions

    /** A promise freezes this member until a view is installed that the ballot made [R4, decision D4]. */
    private void promise(ViewId id) {
        promised = id;
        isNews = true;
        target = null;
        // A session that is down now stays on the list: a view must not begin with it and forget it [D10].
        lost = mistake == Mistake.CLEAR_LOST ? new TreeSet<>() : new TreeSet<>(closed);
        unbroken = new TreeSet<>(open);
        isDirty = true;
    }

    /** Whom this member takes for its coordinator: the oldest it hears, unless that is in a view it can't be in [D12]. */
    private Member follows() {
        Member lowest = self;
        long lowestJoined = joined;
        for (Map.Entry<Member, Advert> entry : adverts.entrySet()) {
            Member member = entry.getKey();
            long memberJoined = joined(member, entry.getValue());
            boolean isLower = memberJoined < lowestJoined
                    || memberJoined == lowestJoined && member.compareTo(lowest) < 0;
            if (isLower && canFollow(member)) {
                lowest = member;
                lowestJoined = memberJoined;
            }
        }
        return lowest;
    }

    private boolean canFollow(Member member) {
        Advert advert = adverts.get(member);
        if (advert == null || !open.contains(member)) {
            return false;
        }
        if (advert.members().contains(self) || isBehind(advert, member)) {
            return true;
        }
        for (Member other : advert.members()) {
            if (!other.equals(self) && !open.contains(other)) {
                return false;
            }
        }
        return true;
    }

    private long joined(Member member) {
        if (member.equals(self)) {
            return joined;
        }
        return joined(member, adverts.get(member));
    }

    private long joined(Member member, @Nullable Advert advert) {
        long advertised = advert == null ? Advert.NOT_YET : advert.joined();
        return view.size() > 1 && inView.contains(member) ? Math.min(advertised, view.id().number()) : advertised;
    }

    /**
     * Whether the member has promised the view that is installed here, and its advert does not say so yet: that view
     * says more about it. Else who is first to install would take itself for the oldest, and leave.
     */
    private boolean isBehind(Advert advert, Member member) {
        return inView.contains(member) && advert.view().number() < view.id().number();
    }

    private Comparator<Member> byRank() {
        return Comparator.comparingLong((Member member) -> joined(member)).thenComparing(Comparator.naturalOrder());
    }

    /** C of [R3]: those who follow this member and have sessions with all before them, by rank. */
    private List<Member> candidates() {
        List<Member> mine = new ArrayList<>();
        mine.add(self);
        adverts.forEach((member, advert) -> {
            if (advert.follows().equals(self)) {
                mine.add(member);
            }
        });
        mine.sort(byRank());
        List<Member> candidates = new ArrayList<>();
        for (int index = 0; index < mine.size(); index++) {
            Member member = mine.get(index);
            boolean hearsAllBefore = true;
            for (Member before : mine.subList(0, index)) {
                hearsAllBefore &= hears(member, before) && hears(before, member);
            }
            if (hearsAllBefore || mistake == Mistake.DEAF_CANDIDATES) {
                candidates.add(member);
            }
        }
        return candidates;
    }

    private boolean hears(Member member, Member other) {
        if (member.equals(self)) {
            return open.contains(other);
        }
        Advert advert = adverts.get(member);
        return advert != null && advert.heard().contains(other);
    }

    /** Whether all that are heard have noticed what this member has: nobody follows one whom this member does not hear. */
    private boolean isSettled() {
        for (Member member : open) {
            Advert advert = adverts.get(member);
            if (advert == null) {
                return false;
            }
            Member followed = advert.follows();
            if (!followed.equals(self) && !followed.equals(member) && !open.contains(followed)) {
                return false;
            }
        }
        return true;
    }

    /** Starts or restarts a ballot if one is needed [R3]. */
    private void considerBallot(Outbox out) {
        // Who coordinates is known from ranks alone; the rest is work for one, not for all.
        List<Member> candidates = follows().equals(self) ? candidates() : List.of();
        boolean isWanted = !candidates.isEmpty()
                && (ballot != null ? mustRestart(ballot, candidates) : isNeeded(candidates));
        if (!isWanted) {
            out.disarm(HOLD_BACK);
            out.disarm(GATHER);
            isHeldBackEnough = false;
            isGatheredEnough = false;
            return;
        }
        if (out.isArmed(BACK_OFF)) {
            return;
        }
        if (isSettled()) {
            out.disarm(HOLD_BACK);
            isHeldBackEnough = false;
        } else if (!isHeldBackEnough) {
            if (!out.isArmed(HOLD_BACK)) {
                out.arm(HOLD_BACK, timing.holdBackNanos());
            }
            return;
        }
        if (ballot == null && isOnlyGrowth(candidates) && !isGatheredEnough) {
            if (!out.isArmed(GATHER)) {
                out.arm(GATHER, gatherNanos(candidates, out));
            }
            return;
        }
        startBallot(candidates, out);
    }

    private boolean isNeeded(List<Member> candidates) {
        if (!new TreeSet<>(candidates).equals(new TreeSet<>(view.members()))) {
            return true;
        }
        for (Member member : candidates) {
            if (!promised(member).equals(view.id()) || hasLostOneOf(member, candidates)) {
                return true;
            }
        }
        return false;
    }

    /** Newcomers do not restart a running ballot: the next one is theirs. */
    private boolean mustRestart(Ballot running, List<Member> candidates) {
        if (!candidates.containsAll(running.candidates())) {
            return true;
        }
        for (Member member : candidates) {
            if (promised(member).isAfter(running.id())
                    || (running.hasAnswered(member) && hasLostOneOf(member, running.candidates()))) {
                return true;
            }
        }
        return false;
    }

    private boolean isOnlyGrowth(List<Member> candidates) {
        if (!candidates.containsAll(view.members())) {
            return false;
        }
        for (Member member : view.members()) {
            if (!promised(member).equals(view.id()) || hasLostOneOf(member, candidates)) {
                return false;
            }
        }
        return true;
    }

    private long gatherNanos(List<Member> candidates, Outbox out) {
        for (Member member : candidates) {
            Advert advert = adverts.get(member);
            if (advert != null && !view.contains(member) && advert.members().size() > 1) {
                return timing.mergeDelayNanos() == 0 ? 0 : out.random().nextLong(timing.mergeDelayNanos());
            }
        }
        return Math.min(GATHER_NANOS, timing.mergeDelayNanos());
    }

    private ViewId promised(Member member) {
        if (member.equals(self)) {
            return promised;
        }
        Advert advert = adverts.get(member);
        if (advert == null) {
            return promised;
        }
        // All members of a view have promised it before it was decided.
        return inView.contains(member) && view.id().isAfter(advert.promised()) ? view.id() : advert.promised();
    }

    private boolean hasLostOneOf(Member member, List<Member> others) {
        TreeSet<Member> memberLost = lost;
        if (!member.equals(self)) {
            Advert advert = adverts.get(member);
            if (advert == null) {
                return false;
            }
            memberLost = advert.lost();
        }
        for (Member other : others) {
            if (memberLost.contains(other)) {
                return true;
            }
        }
        return false;
    }

    private void startBallot(List<Member> candidates, Outbox out) {
        ViewId highest = refusedBy == null || promised.isAfter(refusedBy) ? promised : refusedBy;
        long number = view.id().number();
        for (Member member : candidates) {
            Advert advert = adverts.get(member);
            if (advert != null) {
                highest = advert.promised().isAfter(highest) ? advert.promised() : highest;
                number = Math.max(number, advert.view().number());
            }
        }
        ViewId id = highest.number() > number && highest.attempt() < Integer.MAX_VALUE
                ? new ViewId(highest.number(), highest.attempt() + 1, self)
                : new ViewId(Math.max(highest.number(), number) + 1, 1, self);
        ballotsStarted++;
        isGatheredEnough = false;
        isHeldBackEnough = false;
        out.disarm(GATHER);
        out.disarm(HOLD_BACK);
        out.arm(PROGRESS, timing.ballotTimeoutNanos());
        promise(id);
        ballot = new Ballot(id, candidates, mistake);
        out.raise(new Signal.Freeze(id));
        for (Member member : candidates) {
            if (!member.equals(self)) {
                Packet prepare = control(out, PREPARE);
                Wire.append(prepare, id);
                sendControl(prepare, member, out);
            }
        }
    }

    /** All have answered: let those catch up who must [R6], or decide [R7]. */
    private void advance(Ballot running, Outbox out) {
        if (!running.isComplete()) {
            return;
        }
        List<Ballot.Straggler> stragglers = running.takeStragglers();
        if (!stragglers.isEmpty()) {
            for (Ballot.Straggler straggler : stragglers) {
                stragglersCompleted++;
                TreeMap<Member, Member> holders = new TreeMap<>();
                for (View.Part part : straggler.view().parts()) {
                    part.cut().keySet().forEach(sender -> holders.put(sender, straggler.holder()));
                }
                if (straggler.member().equals(self)) {
                    takeCut(running.id(), straggler.view(), holders, out);
                } else {
                    sendControl(cut(running.id(), straggler.view(), holders, out), straggler.member(), out);
                }
            }
            return;
        }
        Ballot.Decision decision = running.decide();
        View decided = decision.view();
        out.disarm(PROGRESS);
        for (View.Part part : decided.parts()) {
            List<Member> others = new ArrayList<>(part.members());
            others.remove(self);
            sendControl(cut(running.id(), decided, decision.holdersOf(part), out), others, out);
        }
        for (View.Part part : decided.parts()) {
            if (part.members().contains(self)) {
                takeCut(running.id(), decided, decision.holdersOf(part), out);
            }
        }
    }

    private Packet cut(ViewId id, View record, TreeMap<Member, Member> holders, Outbox out) {
        Packet cut = control(out, CUT);
        Wire.append(cut, id);
        Wire.append(cut, record);
        cut.appendInt(holders.size());
        holders.forEach((sender, holder) -> {
            Wire.append(cut, sender);
            Wire.append(cut, holder);
        });
        return cut;
    }

    /** Takes a cut if it is for the ballot last promised and for this member's view [R8, decision D6]. */
    private boolean takeCut(ViewId id, View record, TreeMap<Member, Member> holders, Outbox out) {
        if (!id.equals(promised) && mistake != Mistake.NO_PROMISE) {
            return false;
        }
        for (View.Part part : record.parts()) {
            if (part.previous().equals(view.id()) && part.members().contains(self)) {
                target = record;
                out.raise(new Signal.Reach(id, part.cut(), holders));
                return true;
            }
        }
        return false;
    }

    private void install(View record, Outbox out) {
        view = record;
        inView = new TreeSet<>(record.members());
        isNews = true;
        target = null;
        viewsInstalled++;
        if (joined == Advert.NOT_YET && view.size() > 1) {
            joined = view.id().number();
        }
        hasFollowed = false;
        if (isSteady()) {
            ballot = null;
            refusedBy = null;
            refusalsInARow = 0;
            // Who is not in the view is forgotten, or members that are gone for good would add up; should one of them
            // be in a later view, what counts is whether its session was open since the promise to that one [D10].
            closed.removeIf(member -> !view.contains(member));
            lost.removeIf(member -> !view.contains(member));
            for (Member member : view.members()) {
                if (!member.equals(self) && !unbroken.contains(member)) {
                    lost.add(member);
                }
            }
        }
        announce(out);
        if (!isSteady()) {
            // An older proposal was completed under a newer ballot, which wants its answer again [R9].
            out.raise(new Signal.Freeze(promised));
        }
        isDirty = true;
    }

    private boolean isSteady() {
        return promised.equals(view.id());
    }

    private void announce(Outbox out) {
        Signal.Installed installed = new Signal.Installed(view, isSteady());
        out.lower(installed);
        out.raise(installed);
    }

    /** When all of this member's part have followed, nobody can ask for packets of the view before [R5]. */
    private void noticeFollowed(Outbox out) {
        if (hasFollowed) {
            return;
        }
        for (Member member : view.transitionalSet(self)) {
            if (!member.equals(self) && view.contains(member) && mistake != Mistake.EARLY_FOLLOWED) {
                Advert advert = adverts.get(member);
                if (advert == null || advert.view().number() < view.id().number()) {
                    return;
                }
            }
        }
        hasFollowed = true;
        out.raise(new Signal.Followed(view));
    }

    private void expelSilent(Outbox out) {
        Ballot running = ballot;
        if (running == null || running.isComplete()) {
            return;
        }
        for (Member member : running.missing()) {
            if (!member.equals(self)) {
                out.lower(new Signal.Expel(member, "no answer to ballot " + running.id() + " within ballot-timeout"));
            }
        }
        out.arm(PROGRESS, timing.ballotTimeoutNanos());
    }

    // ------------------------------------------------------------------ sending

    /** Tells everybody what has changed since the last time, and newly met members all of it. */
    private void advertise(Outbox out) {
        Member follows = follows();
        if (!isNews && unadvised.isEmpty() && lastAdvert != null && follows.equals(lastAdvert.follows())) {
            return;
        }
        isNews = false;
        Advert advert = new Advert(
                view.id(), view.members(), promised, follows, new TreeSet<>(open), new TreeSet<>(lost), joined);
        boolean hasChanged = !advert.equals(lastAdvert);
        TreeSet<Member> receivers = hasChanged ? open : unadvised;
        if (!receivers.isEmpty()) {
            Packet packet = control(out, ADVERT);
            advert.appendTo(packet);
            sendControl(packet, receivers, out);
        }
        lastAdvert = advert;
        unadvised.clear();
    }

    private static Packet control(Outbox out, int kind) {
        return Packet.create(out.memory(), Packet.PAYLOAD_MAX).appendByte(kind);
    }

    private static void sendControl(Packet packet, Member receiver, Outbox out) {
        sendControl(packet, List.of(receiver), out);
    }

    /** Written once, copied for each receiver: it was built in a large block because its size was not known. */
    private static void sendControl(Packet packet, Iterable<Member> receivers, Outbox out) {
        for (Member receiver : receivers) {
            out.send(packet.copy(out.memory()).withPeer(receiver));
        }
        packet.release();
    }

    // ------------------------------------------------------------------ state for people and tests

    @Override
    public void report(Report report) {
        Report section = report.section("membership");
        section.put("view", view.id().toString());
        section.put("members", view.members().toString());
        section.put("state", isSteady() ? "steady" : target == null ? "answered" : "catching-up");
        section.put("promised", promised.toString());
        section.put("follows", follows().toString());
        section.put("sessions", open.size());
        section.put("views-installed", viewsInstalled);
        section.put("ballots-started", ballotsStarted);
        section.put("ballots-refused", ballotsRefused);
        section.put("stragglers-completed", stragglersCompleted);
    }
}
