package dev.tutti.tomcat.replication;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.*;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.acks.Acknowledgements;
import dev.tutti.tomcat.replication.acks.AcknowledgementsOfAll;
import dev.tutti.tomcat.replication.acks.AcknowledgementsOfSome;
import dev.tutti.tomcat.replication.base.LocalMember;
import dev.tutti.tomcat.replication.base.Peers;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import dev.tutti.tomcat.replication.base.ReplicationOptions;
import dev.tutti.tomcat.replication.base.SessionEvents;
import dev.tutti.tomcat.replication.base.Waiting;
import dev.tutti.tomcat.replication.codec.MalformedMessageException;
import dev.tutti.tomcat.replication.codec.MessageReader;
import dev.tutti.tomcat.replication.codec.SessionArchive;
import dev.tutti.tomcat.replication.holders.Changes;
import dev.tutti.tomcat.replication.holders.HeldByAll;
import dev.tutti.tomcat.replication.holders.HeldBySome;
import dev.tutti.tomcat.replication.holders.Holders;
import dev.tutti.tomcat.replication.holders.Surroundings;
import dev.tutti.tomcat.replication.holders.UnreachableException;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.EndReason;
import dev.tutti.tomcat.replication.session.FormerIds;
import dev.tutti.tomcat.replication.session.Mark;
import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import dev.tutti.tomcat.replication.session.SessionVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Keeps the sessions of one application the same at all members of a group.
 *
 * <p>Every member has every session, or some members have each ({@link Holders}). A member writes a change to its own record first and then sends it to the others
 * that have the session; {@link #awaitSafe} waits until they have it. Changes of others are merged on the group's thread, which never
 * waits for a request, a lock that a request holds for long, or the network.
 */
public final class Replicator implements AutoCloseable, SessionChannel.Listener {

    private static final Logger LOG = Logs.of(Replicator.class);

    private static final int CONFIRM_ATTEMPTS = 3;

    private final ReplicaContext context;
    private final Contact contact;
    private final Settlement settlement;
    private final Expiry expiry;
    private final SessionEvents events;
    private final SessionStore store;
    private final RemoteChanges changes;
    private final SafetyWait safety;
    private final Acknowledgements acknowledgements;
    private final Holders holders;
    private final FormerIds formerIds = new FormerIds();
    private final Outbox outbox;
    private final OwnWrites writes;
    private final AckSender ackSender;
    private final Uses uses;
    private final LocalMember self = new LocalMember();
    private volatile Peers peers = Peers.NONE;
    private volatile boolean isClosing;
    private volatile SessionChannel.JoinResult joinResult = new SessionChannel.JoinResult(false, "not joined");
    private volatile String condition = "not joined";

    /**
     * @param events called on the group's thread
     * @param nanoClock never goes back
     * @param executor runs tasks that wait for the network, each on its own
     */
    public Replicator(
            ReplicationOptions options, ReplicationCounters counters, SessionEvents events,
            LongSupplier nanoClock, Executor executor) {
        this(options, counters, events, nanoClock, executor, Waiting.ON_THREAD);
    }

    Replicator(
            ReplicationOptions options,
            ReplicationCounters counters,
            SessionEvents events,
            LongSupplier nanoClock,
            Executor executor,
            Waiting waiting) {
        this.context = new ReplicaContext(options, counters, nanoClock, executor, waiting);
        this.acknowledgements = options.isHeldBySome()
                ? new AcknowledgementsOfSome(options.acknowledgement())
                : new AcknowledgementsOfAll(options.acknowledgement());
        this.outbox = new Outbox(context, acknowledgements, () -> peers.others().isEmpty());
        this.contact = new Contact(
                options, counters, nanoClock, waiting,
                number -> outbox.toGroup(new SessionMessage.Probe(number), QUERIES_SENT, false));
        this.events = events;
        this.store = new SessionStore(options.keyOf());
        this.ackSender = new AckSender(executor, outbox);
        this.settlement = new Settlement(contact, acknowledgements, this::makeAgain);
        this.changes = new RemoteChanges(context, store, formerIds, contact, settlement, self, events);
        Surroundings surroundings = new Surroundings(
                context, store, formerIds, self, acknowledgements, changes, new Owner());
        this.holders = options.isHeldBySome()
                ? new HeldBySome(surroundings, outbox)
                : new HeldByAll(surroundings, outbox, outbox::to);
        this.uses = new Uses(outbox, holders, nanoClock);
        this.writes = new OwnWrites(context, store, holders, contact, acknowledgements, self);
        this.expiry = new Expiry(nanoClock, contact, self, holders::standsIn);
        this.safety = new SafetyWait(context, acknowledgements, outbox, contact);
    }

    private long makeAgain(SessionRecord record, Set<Long> overrulers, boolean isOwnToo) {
        return writes.makeAgain(record, overrulers, isOwnToo);
    }

    private final class Owner implements Surroundings.Owner {

        @Override
        public boolean isUsed(SessionRecord record) {
            return uses.isUntold(record) || events.isUsed(record);
        }

        @Override
        public long handledOf(Member member) {
            return ackSender.handled(member);
        }

        @Override
        public void makeAgain(SessionRecord record, Set<Long> overrulers, boolean isOwnToo) {
            writes.makeAgain(record, overrulers, isOwnToo);
        }

        @Override
        public void onArrived() {
            settleContact();
            if (holders.isComplete()) {
                joinNamesakes();
            }
        }
    }

    /** Joins the group; called once. Waits until others are met, or there is no reason to wait for them any longer. */
    public SessionChannel.JoinResult join(SessionChannel.Source source, String group) {
        try {
            SessionChannel joined = source.join(group, isHeldBySome() ? new EarlyMessages(this, context.counters()) : this);
            joinResult = joined.joinResult();
            outbox.open(joined);
            holders.onJoined();
            return joinResult;
        } catch (RuntimeException e) {
            outbox.fail(e);
            throw e;
        }
    }

    // ---- sessions of this member

    /** Creates a session that only this member knows until something is {@linkplain #publish published}. */
    public SessionRecord create(String id, long createdMillis) {
        return writes.create(id, createdMillis);
    }

    /** Creates a session of all members from the image of another site; returns the number of the message to wait for. */
    public long createFrom(Image image, List<Change> values) throws StalledException {
        outbox.awaitRoom(context.waiting(), context.options().acknowledgementTimeout());
        return writes.createWhole(image.id(), image.createdMillis(), values);
    }

    /** Makes a record findable under another id at this member; the others learn it when the change is published. */
    public void rename(SessionRecord record, String id) {
        writes.rename(record, id);
    }

    /** Takes back a change of the id that was not published. */
    public void takeBackId(SessionRecord record) {
        writes.takeBackId(record);
    }

    /**
     * Makes changes to a session and sends them to the group; the whole session if the group does not know it yet.
     *
     * @param standing see {@link Contact#standing}, taken before it was decided that the changes may be made
     * @param marks marks of the requests that make them
     * @return number of the message to wait for; 0 if there is nothing to wait for
     * @throws StalledException if nothing was changed because too much waits to be sent; as {@link StoppedException} if
     *     nothing will ever be changed, because this member has left
     * @throws OutdatedException if nothing was changed because that is to be decided anew: this member was away since,
     *     or the session has values of a later view
     */
    public long publish(SessionRecord record, List<Change> changes, Contact.Standing standing, Collection<Mark> marks)
            throws StalledException, OutdatedException {
        if (isClosing) {
            throw new StoppedException();
        }
        return publishNow(holders.present(record), changes, standing, marks);
    }

    private long publishNow(SessionRecord record, List<Change> changes, Contact.Standing standing, Collection<Mark> marks)
            throws StalledException, OutdatedException {
        if (!context.options().isHeldBySome() && record.state() != SessionRecord.State.ENDED && store.get(record.uid()) != record) {
            throw new StoppedException();
        }
        outbox.awaitRoom(context.waiting(), context.options().acknowledgementTimeout());
        if (standing.absences() != contact.absences()) {
            throw new OutdatedException();
        }
        boolean isFirst = record.state() == SessionRecord.State.LOCAL;
        long number = writes.write(record, changes, standing.view(), marks);
        if (isFirst || record.state() == SessionRecord.State.ENDED) {
            return number;
        }
        if (number > 0) {
            settlement.settle(record, peers, peers);
        }
        // Changes that others make again in a view that began meanwhile would win over this one.
        boolean isLate = standing.view() < contact.viewNumber() && standing.absences() == contact.absences();
        return isLate ? Math.max(number, writes.makeAgain(record, Set.of(), true)) : number;
    }

    // ---- absences

    /** Called by a timer, every {@link ReplicationOptions#beat()}. */
    public void onBeat() {
        contact.beat();
        settleContact();
        uses.onBeat(self.origin());
        holders.onBeat();
    }

    private void settleContact() {
        long sent = outbox.sent();
        if (contact.isInDoubtStill()) {
            settlement.onContactMissing(sent);
            contact.settle(holders.isKnown());
        }
    }

    /** Returns the contact, which decides whether this member knows all that the others have confirmed. */
    public Contact contact() {
        return contact;
    }

    /** Waits, after an absence, until the writes of the others are here; see {@link Contact#await}. */
    public boolean awaitContact() {
        if (contact.isInDoubt() && !contact.await()) {
            settleContact();
        }
        return !contact.isInDoubt();
    }

    /**
     * Waits until the changes that a request has sent are safe. If this member was away since the request read the
     * session, checks whether the session is still as the request knew it, and if it is, makes the changes again.
     *
     * @return false if the session has been changed by others meanwhile, or that is not known: the request must fail
     */
    public boolean confirm(SessionRecord record, Mark mark, long number) {
        awaitSafe(number);
        for (int attempt = 0; attempt < CONFIRM_ATTEMPTS; attempt++) {
            long absences = contact.absences();
            if (mark.absences() == absences) {
                return true;
            }
            if (!awaitContact() || contact.isOutdated(record, mark)) {
                return false;
            }
            mark.renew(absences);
            if (number > 0) {
                awaitSafe(writes.makeAgain(record, Set.of(), true));
            }
        }
        return false;
    }

    /** Notes that this member uses the session; the others are told in time. */
    public void touch(SessionRecord record) {
        uses.onUse(record, self.origin(), formerIds.onUsed(record.uid(), self.member()));
    }

    /**
     * Ends a session here and everywhere.
     *
     * @return as {@link #publish}
     */
    public long end(SessionRecord record, EndReason reason) {
        formerIds.onEnded(record.uid());
        return writes.end(record, reason);
    }

    public boolean isHeldBySome() {
        return context.options().isHeldBySome();
    }

    /** Returns the part of an id that all members agree on. */
    public String keyOf(String id) {
        return store.keyOf(id);
    }

    /** Returns the session with this id, if it is here. */
    public @Nullable SessionRecord find(String id) {
        return store.find(store.keyOf(id));
    }

    /**
     * Returns the session with this id, which may still be on its way: asks the others, and waits for a while.
     *
     * @throws UnreachableException if only some members hold sessions, and those of this one have not answered in time
     */
    public @Nullable SessionRecord await(String id) throws UnreachableException {
        return holders.find(store.keyOf(id));
    }

    /** Returns all sessions that can be used. */
    public Collection<SessionRecord> sessions() {
        return store.sessions();
    }

    public int size() {
        return store.size();
    }

    /** Returns whether there is neither a session nor the tombstone of one that ended. */
    public boolean isEmpty() {
        return store.size() == 0 && store.tombstoneCount() == 0;
    }

    /** Returns whether this member was the last to use the session, as far as is known. */
    public boolean wasUsedHere(SessionRecord record) {
        return record.touched().origin() == self.origin();
    }

    public long idleNanos(SessionRecord record) {
        return record.idleNanos(context.nowNanos());
    }

    public boolean isPrimary(SessionRecord record) {
        return expiry.isPrimary(record, peers);
    }

    public boolean isDue(SessionRecord record) {
        return expiry.isDue(record, peers);
    }

    public boolean isOverdue(SessionRecord record) {
        return expiry.isOverdue(record);
    }

    // ---- waiting

    /**
     * Waits until the others have message {@code number}, as far as the options require it.
     *
     * @return false if they do not have it, because the time is over or the thread was interrupted
     */
    public boolean awaitSafe(long number) {
        return safety.await(number);
    }

    // ---- the group's thread

    @Override
    public void onView(View view, Member me) {
        if (isClosing) {
            return;
        }
        self.onView(me);
        Set<Member> together = view.transitionalSet(me);
        Peers present = Peers.of(view, me);
        Set<Member> others = present.others();
        ackSender.onView(others);
        // In this order: a request that sends to a new member must also wait for it.
        acknowledgements.onNewcomers(view, me);
        contact.onView(view.id().number(), others);
        Peers before = peers;
        holders.onMembers(view, me, present);
        peers = present;
        settleOverruled(before);
        acknowledgements.onView(view, me, together);
        condition = "joined";
        formerIds.onView(others, context.nowNanos());
        holders.onView(view, me, present);
        contact.probeAgain();
        settleContact();
        holders.afterView();
    }

    @Override
    public void onClosed(String reason) {
        if (isClosing) {
            return;
        }
        condition = "lost: " + reason;
        peers = Peers.NONE;
        contact.onView(contact.viewNumber(), Set.of());
        acknowledgements.close();
        LOG.error("Session replication has ended: {}. Sessions live on at this node alone.", reason);
    }

    @Override
    public void onMessage(Member sender, byte[] bytes) {
        if (isClosing) {
            return;
        }
        MessageReader.Numbered numbered;
        try {
            numbered = MessageReader.decode(bytes);
        } catch (MalformedMessageException e) {
            context.counters().increment(MALFORMED);
            LOG.warn("Message of {} ignored: {}", sender, e.getMessage());
            return;
        }
        if (self.is(sender)) {
            acknowledgements.onDelivered(numbered.number());
            return;
        }
        context.counters().increment(MESSAGES_HANDLED);
        context.counters().add(BYTES_HANDLED, bytes.length);
        if (numbered.number() > 0) {
            ackSender.onHandled(sender, numbered.number());
        }
        handle(sender, numbered.message());
    }

    @Override
    public void onBatchEnd() {
        ackSender.onBatchEnd();
    }

    private void handle(Member sender, SessionMessage message) {
        switch (message) {
            case SessionMessage.Ack ack -> acknowledgements.onAck(sender, ack.number());
            case SessionMessage.Probe sent ->
                holders.answerProbe(sender, new SessionMessage.ProbeAnswer(sent.probe(), SessionVersion.originOf(sender)));
            case SessionMessage.ProbeAnswer answer -> {
                if (answer.origin() == self.origin()) {
                    contact.onAnswer(sender, answer.probe());
                    settleContact();
                }
            }
            default -> {
                if (!holders.handle(sender, message)) {
                    context.counters().increment(MALFORMED);
                    LOG.warn("Message of {} ignored: {} is not for a member whose copies of sessions are {}", sender,
                            message.getClass().getSimpleName(), context.options().copiesText());
                }
            }
        }
    }

    // ---- sessions with one key

    /** Merges namesakes whose primary is this member into the older session of the id; others follow its messages. */
    private void joinNamesakes() {
        for (SessionRecord namesake : store.namesakes()) {
            if (holders.joinsNamesakes(store.keyOf(namesake.id())) || isPrimary(namesake)) {
                context.executor().execute(() -> joinNamesake(namesake));
            }
        }
    }

    private void joinNamesake(SessionRecord namesake) {
        SessionRecord kept = find(namesake.id());
        if (kept == namesake || namesake.state() != SessionRecord.State.COMPLETE) {
            return;
        }
        try {
            // The older one may have ended meanwhile, or have got another id at a login.
            if (kept != null) {
                publish(kept, kept.missing(namesake), contact.standing(), List.of());
            }
        } catch (StalledException | OutdatedException e) {
            LOG.debug("{} is made one with {} later: {}", namesake, kept, e.getMessage());
            return;
        }
        context.counters().increment(NAMESAKES_JOINED);
        end(namesake, EndReason.INVALIDATED);
        events.onEnded(namesake);
    }

    /** Asks again for state that should have arrived, and settles changes; called from time to time, say every 10 s. */
    public void onTick() {
        holders.onTick();
        if (holders.isComplete()) {
            joinNamesakes();
        }
        settleOverruled(peers);
    }

    private void settleOverruled(Peers before) {
        for (SessionRecord record : store.sessions()) {
            if (record.isOverruled() || record.published() > 0) {
                settlement.settle(record, before, peers);
            }
        }
    }

    // ---- completeness and handover

    /**
     * Returns whether this member has all sessions of the others: it has fetched those of the oldest member of every
     * other part that it met, and has met one unless it is known that nobody is there.
     */
    public boolean isComplete() {
        return holders.isComplete() && (joinResult.isKnown() || holders.hasTaken());
    }

    /**
     * Waits until the others have all sessions of this member: what it has sent, and what they are fetching from it.
     *
     * @return whether at least one other member has them all
     */
    public boolean awaitHandedOver(Duration within) {
        long endNanos = context.nowNanos() + within.toNanos();
        boolean isSafe = context.waiting().await(acknowledgements.allSafe(outbox.sent()), within.toNanos());
        boolean isFetched = context.waiting().await(holders.handOver(), Math.max(0, endNanos - context.nowNanos()));
        int others = peers.others().size();
        if (others == 0) {
            return false;
        }
        boolean isTaken = isSafe && acknowledgements.laggingCount() < others;
        if (!isTaken || !isFetched) {
            LOG.warn(
                    "Other members may lack sessions of this one after {}: changes are {}, sessions are {}, {}",
                    within,
                    isTaken ? "confirmed" : "not confirmed",
                    isFetched ? "handed over" : "not handed over",
                    holders.status());
        }
        return isTaken && isFetched;
    }

    // ---- kept while the application is stopped

    /** Writes all sessions, and the tombstones of those that ended, to a file. */
    public int writeTo(Path file) throws IOException {
        return SessionArchive.write(file, store, context.nowNanos(), System.currentTimeMillis());
    }

    /** Adds the sessions in a file, as if another member had sent them; called before {@link #join}. */
    public int readFrom(Path file) throws IOException {
        SessionArchive.read(file, System.currentTimeMillis(), (message, agedMillis) -> {
            if (message instanceof Image image && changes.merge(image.aged(agedMillis))) {
                context.counters().increment(SESSIONS_RESTORED);
            } else if (message instanceof SessionMessage.Remove remove) {
                changes.onRemove(remove);
            }
        });
        return store.size();
    }

    private static List<String> names(List<Member> members) {
        return members.stream().map(Member::name).toList();
    }

    /** Returns the current state and counters: values are numbers, texts, lists and maps. */
    public Map<String, Object> status() {
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("condition", condition);
        status.put("members", names(peers.members()));
        status.put("sessions", store.size());
        status.put("sessions-primary", store.sessions().stream().filter(this::isPrimary).count());
        status.put("sessions-ended-remembered", store.tombstoneCount());
        status.put("start", joinResult.text());
        status.put("state-complete", isComplete());
        status.putAll(holders.status());
        status.put("in-doubt", contact.isInDoubt());
        status.put("members-lagging", acknowledgements.laggingCount());
        status.put("messages-awaited", acknowledgements.waitingCount());
        status.put("bytes-pending", outbox.pendingBytes());
        status.putAll(context.counters().snapshot());
        return status;
    }

    /** Leaves the group and forgets all sessions, which live on at the others. */
    @Override
    public void close() {
        isClosing = true;
        outbox.close();
        condition = "left";
        peers = Peers.NONE;
        acknowledgements.close();
        store.clear();
        formerIds.clear();
        uses.clear();
        holders.close();
    }
}
