package dev.tutti.tomcat.replication;

import static dev.tutti.tomcat.replication.ReplicationCounters.Counter.*;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import dev.tutti.tomcat.replication.SessionMessage.Access;
import dev.tutti.tomcat.replication.SessionMessage.Ack;
import dev.tutti.tomcat.replication.SessionMessage.Answer;
import dev.tutti.tomcat.replication.SessionMessage.Delta;
import dev.tutti.tomcat.replication.SessionMessage.Image;
import dev.tutti.tomcat.replication.SessionMessage.ImageRequest;
import dev.tutti.tomcat.replication.SessionMessage.Query;
import dev.tutti.tomcat.replication.SessionMessage.Remove;
import dev.tutti.tomcat.replication.SessionMessage.StateChunk;
import dev.tutti.tomcat.replication.SessionMessage.StateRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Keeps the sessions of one application the same at all members of a group.
 *
 * <p>Every member has every session. What a member changes it writes to its own record first and then sends to the
 * group; {@link #awaitSafe} waits until the others have it. What comes from others is merged on the group's thread, which
 * never waits for a request, a lock that a request holds for long, or the network.
 */
public final class Replicator implements AutoCloseable, SessionChannel.Listener {

    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long PARTIAL_NANOS = 10 * SECOND_NANOS;
    private static final int NUMBER_OFFSET = 1;
    private static final Logger LOG = Logs.of(Replicator.class);

    /** What the members of the view mean for this one; replaced with each view. */
    private record Peers(List<Member> members, Set<Member> others, Map<Long, Member> origins, boolean leadsPart) {
        static final Peers NONE = new Peers(List.of(), Set.of(), Map.of(), true);
    }

    private final ReplicationOptions options;
    private final Consumer<SessionRecord> onEnded;
    private final LongSupplier nanoClock;
    private final Executor executor;
    private final ReplicationCounters counters;
    private final SessionStore store;
    private final Acknowledgements acknowledgements;
    private final StatePull statePull = new StatePull();
    private final StateGiver stateGiver;
    private final Lookups lookups = new Lookups();
    private final CompletableFuture<SessionChannel> channel = new CompletableFuture<>();
    private final Object sending = new Object();
    private final SendRoom room = new SendRoom();
    private final AckSender ackSender;
    private volatile Peers peers = Peers.NONE;
    private volatile @Nullable Member self;
    private volatile long origin = 1;
    private volatile long sent;
    private volatile long joinedNanos;
    private volatile boolean isClosing;
    private volatile SessionChannel.JoinResult joinResult = new SessionChannel.JoinResult(false, "not joined");
    private volatile String condition = "not joined";

    /**
     * @param onEnded told of sessions that another member has ended; called on the group's thread, must not block
     * @param nanoClock never goes back
     * @param executor runs what has to wait for the network, each task on its own
     */
    public Replicator(
            ReplicationOptions options,
            ReplicationCounters counters,
            Consumer<SessionRecord> onEnded,
            LongSupplier nanoClock,
            Executor executor) {
        this.options = options;
        this.counters = counters;
        this.onEnded = onEnded;
        this.nanoClock = nanoClock;
        this.executor = executor;
        this.store = new SessionStore(options.keyOf());
        this.ackSender = new AckSender(executor, this::acknowledge);
        this.stateGiver = new StateGiver(store, counters, nanoClock);
        this.acknowledgements = new Acknowledgements(options.acknowledgement());
    }

    /** Joins the group; once. Waits until other members are met, or there is no reason to wait for them any longer. */
    public SessionChannel.JoinResult join(SessionChannel.Source source, String group) {
        try {
            SessionChannel joined = source.join(group, this);
            joinResult = joined.joinResult();
            channel.complete(joined);
            joinedNanos = nanoClock.getAsLong();
            return joinResult;
        } catch (RuntimeException e) {
            channel.completeExceptionally(e);
            throw e;
        }
    }

    // ---- sessions of this member

    /** A new session, for this member only until something is {@linkplain #publish published}. */
    public SessionRecord create(String id, long createdMillis) {
        long nowNanos = nanoClock.getAsLong();
        SessionRecord record =
                new SessionRecord(UUID.randomUUID(), createdMillis, nowNanos, SessionRecord.State.LOCAL);
        record.write(List.of(idChange(id)), origin, nowNanos);
        store.add(record);
        return record;
    }

    /** Makes a record findable under another id, at this member; the others learn it when the change is published. */
    public void rename(SessionRecord record, String id) {
        String oldKey = store.keyOf(record.id());
        record.write(List.of(idChange(id)), origin, nanoClock.getAsLong());
        store.reindex(record, oldKey);
    }

    private static Change idChange(String id) {
        return new Change(Field.ID, id.getBytes(StandardCharsets.UTF_8), false);
    }

    /**
     * Makes changes to a session and sends them to the group; the whole session if the group does not know it yet.
     *
     * @return the message's number, to wait for; 0 if there is nothing to wait for
     * @throws StalledException if nothing was changed because too much waits to be sent; as {@link StoppedException} if
     *     nothing will ever be changed, because this member has left
     */
    public long publish(SessionRecord record, List<Change> changes) throws StalledException {
        if (isClosing || record.state() != SessionRecord.State.ENDED && store.get(record.uid()) != record) {
            throw new StoppedException();
        }
        awaitRoom();
        long nowNanos = nanoClock.getAsLong();
        boolean isFirst = record.state() == SessionRecord.State.LOCAL;
        Delta delta = record.write(changes, origin, nowNanos);
        if (isFirst) {
            record.enter(SessionRecord.State.COMPLETE);
            return sendToGroup(record.image(nowNanos), IMAGES_SENT, true);
        }
        if (record.state() == SessionRecord.State.ENDED) {
            return 0;
        }
        long number = sendToGroup(delta, DELTAS_SENT, true);
        record.onPublished(number);
        if (number > 0) {
            settleOverruled(record, peers);
        }
        return number;
    }

    /**
     * Decides about changes made here that others overruled without knowing of them. Whoever has acknowledged them by now stands
     * by its own. Whoever is gone without that cannot have confirmed its own to a client before these were there, while
     * these are confirmed because it is gone: they are made again.
     *
     * @param before the peers when it was known who has acknowledged what
     */
    private void settleOverruled(SessionRecord record, Peers before) {
        for (long overruler : record.overrulers()) {
            Member member = before.origins().get(overruler);
            if (member != null && acknowledgements.hasHandled(member, record.published())) {
                record.accept(overruler);
            } else if (!peers.origins().containsKey(overruler)) {
                String oldKey = store.keyOf(record.id());
                Delta again = record.reassert(overruler, origin, nanoClock.getAsLong());
                store.reindex(record, oldKey);
                counters.add(CHANGES_REASSERTED, again.writes().size());
                acknowledgements.onReasserted(sendToGroup(again, DELTAS_SENT, true));
            }
        }
    }

    /** Notes that this member uses the session. The others are told if they have to know by now. */
    public void touch(SessionRecord record) {
        long nowNanos = nanoClock.getAsLong();
        boolean isPrimary = record.touched().origin() == origin;
        boolean isTold = isPrimary && record.sinceToldNanos(nowNanos) < graceNanos(record);
        if (isTold || record.state() != SessionRecord.State.COMPLETE || !room.isThere()) {
            record.use(nowNanos);
        } else {
            sendToGroup(new Access(record.uid(), record.claim(origin, nowNanos)), ACCESSES_SENT, false);
        }
    }

    /**
     * Ends a session here and everywhere.
     *
     * @return as {@link #publish}
     */
    public long end(SessionRecord record, EndReason reason) {
        boolean isKnown = record.state() == SessionRecord.State.COMPLETE;
        long nowNanos = nanoClock.getAsLong();
        Version version = record.claim(origin, nowNanos);
        String key = store.keyOf(record.id());
        store.remove(record.uid(), new SessionStore.Tombstone(key, version, reason, nowNanos));
        return isKnown ? sendToGroup(new Remove(record.uid(), key, version, reason), REMOVALS_SENT, true) : 0;
    }

    /** The session with this id, if it is here. */
    public @Nullable SessionRecord find(String id) {
        return store.find(store.keyOf(id));
    }

    /** The session with this id, which may still be on its way: asks the others, and waits for a while. */
    public @Nullable SessionRecord await(String id) {
        String key = store.keyOf(id);
        SessionRecord present = store.find(key);
        if (present != null || store.hasEnded(key) || peers.others().isEmpty()) {
            return present;
        }
        Lookups.Ticket ticket = lookups.ask(key, peers.others(), nanoClock.getAsLong());
        if (ticket != null) {
            boolean isAnswered = ask(ticket, key);
            present = store.find(key);
            counters.increment(present != null ? QUERIES_FOUND : isAnswered ? QUERIES_IN_VAIN : QUERIES_UNANSWERED);
            lookups.close(ticket, present != null || !isAnswered, nanoClock.getAsLong());
            if (present != null || isAnswered) {
                return present;
            }
        }
        long leftNanos = joinedNanos + options.startTimeout().toNanos() - nanoClock.getAsLong();
        if (!statePull.isComplete() && leftNanos > 0) {
            waitFor(statePull.complete(), leftNanos);
        }
        return store.find(key);
    }

    private boolean ask(Lookups.Ticket ticket, String key) {
        if (ticket.isNew()) {
            sendToGroup(new Query(ticket.query(), key), QUERIES_SENT, false);
        }
        return waitFor(ticket.answered(), options.queryTimeout().toNanos());
    }

    /** All sessions that can be used. */
    public Collection<SessionRecord> sessions() {
        return store.sessions();
    }

    public int size() {
        return store.size();
    }

    /** Whether there is neither a session nor the mark of one that ended. */
    public boolean isEmpty() {
        return store.size() == 0 && store.tombstoneCount() == 0;
    }

    /** Whether this member was the last to use the session, as far as is known. */
    public boolean wasUsedHere(SessionRecord record) {
        return record.touched().origin() == origin;
    }

    public long idleNanos(SessionRecord record) {
        return record.idleNanos(nanoClock.getAsLong());
    }

    /** Whether this member is the one that decides when the session expires: it used it last, or fills in for who did. */
    public boolean isPrimary(SessionRecord record) {
        Version touched = record.touched();
        Peers present = peers;
        if (touched.origin() == origin || present.others().isEmpty()) {
            return true;
        }
        if (present.origins().containsKey(touched.origin())) {
            return false;
        }
        int rank = Math.floorMod(record.uid().hashCode(), present.members().size());
        return present.members().get(rank).equals(self);
    }

    /** Whether this member has to expire the session now. */
    public boolean isDue(SessionRecord record) {
        boolean isExact = record.touched().origin() == origin;
        return isIdleFor(record, isExact ? 0 : graceNanos(record)) && isPrimary(record);
    }

    /** Whether the session has been idle for so long that its primary must be about to expire it. */
    public boolean isOverdue(SessionRecord record) {
        return isIdleFor(record, graceNanos(record));
    }

    private boolean isIdleFor(SessionRecord record, long graceNanos) {
        int seconds = record.maxInactiveSeconds();
        return seconds > 0 && record.idleNanos(nanoClock.getAsLong()) >= seconds * SECOND_NANOS + graceNanos;
    }

    /** By how much the time of the last use that others know may lag: uses closer together are not told. */
    private static long graceNanos(SessionRecord record) {
        int seconds = record.maxInactiveSeconds();
        return seconds <= 0 ? 60 * SECOND_NANOS : Math.max(seconds * SECOND_NANOS / 10, SECOND_NANOS);
    }

    // ---- waiting

    /**
     * Waits until what was sent under {@code number} is with the others, as far as the options ask for it.
     *
     * @return false if it is not, because the time is over or the thread was interrupted
     */
    public boolean awaitSafe(long number) {
        if (number == 0 || options.acknowledgement() == Acknowledgement.NONE) {
            return true;
        }
        CompletableFuture<Void> safe = acknowledgements.safe(number);
        if (safe.isDone()) {
            return true;
        }
        counters.increment(WAITS);
        if (waitFor(safe, options.acknowledgementTimeout().toNanos())) {
            return true;
        }
        counters.increment(WAIT_TIMEOUTS);
        List<Member> late = acknowledgements.onTimeout(number, sent);
        if (!late.isEmpty()) {
            LOG.warn(
                    "{} did not confirm session changes within {}; requests go on without waiting for them until they"
                            + " have caught up",
                    late,
                    options.acknowledgementTimeout());
        }
        return false;
    }

    private static boolean waitFor(CompletableFuture<Void> future, long timeoutNanos) {
        try {
            future.get(timeoutNanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void awaitRoom() throws StalledException {
        if (room.isThere()) {
            return;
        }
        waitFor(room.lastAccepted(), options.acknowledgementTimeout().toNanos());
        if (!room.isThere()) {
            counters.increment(STALLS);
            throw new StalledException(room.toString());
        }
    }

    // ---- sending

    /** Nothing is sent while there is nobody else: whoever comes asks for the state, which has been written before. */
    private long sendToGroup(SessionMessage message, ReplicationCounters.Counter counter, boolean isNumbered) {
        if (peers.others().isEmpty()) {
            return 0;
        }
        byte[] bytes = MessageWriter.encode(0, message);
        long number = 0;
        CompletableFuture<Void> accepted;
        synchronized (sending) {
            if (isNumbered && options.acknowledgement() != Acknowledgement.NONE) {
                number = ++sent;
                for (int index = 0; index < Long.BYTES; index++) {
                    bytes[NUMBER_OFFSET + index] = (byte) (number >>> (8 * (Long.BYTES - 1 - index)));
                }
            }
            accepted = channel.join().send(bytes);
            room.onSent(bytes.length, accepted);
        }
        counters.increment(counter);
        counters.add(BYTES_SENT, bytes.length);
        accepted.whenComplete((done, failure) -> {
            if (failure != null) {
                counters.increment(SEND_FAILURES);
            }
        });
        return number;
    }

    private void sendTo(Member receiver, SessionMessage message) {
        executor.execute(() -> channel.join().sendTo(receiver, MessageWriter.encode(0, message)));
    }

    private void acknowledge(Member sender, long number) {
        counters.increment(ACKS_SENT);
        channel.join().sendTo(sender, MessageWriter.encode(0, new Ack(number)));
    }

    // ---- the group's thread

    @Override
    public void onView(View view, Member me) {
        if (isClosing) {
            return;
        }
        if (self == null) {
            self = me;
            origin = Version.originOf(me);
        }
        Set<Member> together = view.transitionalSet(me);
        Set<Member> others = new HashSet<>(view.members());
        others.remove(me);
        Map<Long, Member> origins = new HashMap<>();
        for (Member member : view.members()) {
            origins.put(Version.originOf(member), member);
        }
        boolean leadsPart = false;
        for (Member member : view.members()) {
            if (together.contains(member)) {
                leadsPart = member.equals(me);
                break;
            }
        }
        ackSender.onView(others);
        // In this order: a request that sends to somebody must not find that nobody is to be waited for.
        acknowledgements.onNewcomers(view, me);
        Peers before = peers;
        peers = new Peers(view.members(), others, origins, leadsPart);
        settleOverruled(before);
        acknowledgements.onView(view, me, together);
        condition = "joined";
        lookups.onView(view);
        stateGiver.onView(view, together, leadsPart);
        List<String> lost = new ArrayList<>();
        for (StatePull.Request request : statePull.onView(view, me, lost)) {
            sendTo(request.receiver(), request.message());
        }
        for (String name : lost) {
            counters.increment(STATE_LOST);
            LOG.warn("{} is gone before all its sessions had come from it; those that nobody else has are lost", name);
        }
        giveState();
        if (statePull.isComplete()) {
            dropPartial(0);
        }
    }

    @Override
    public void onClosed(String reason) {
        if (isClosing) {
            return;
        }
        condition = "lost: " + reason;
        peers = Peers.NONE;
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
            counters.increment(MALFORMED);
            LOG.warn("Message of {} ignored: {}", sender, e.getMessage());
            return;
        }
        if (sender.equals(self)) {
            acknowledgements.onDelivered(numbered.number());
            return;
        }
        counters.increment(MESSAGES_HANDLED);
        counters.add(BYTES_HANDLED, bytes.length);
        handle(sender, numbered.message());
        if (numbered.number() > 0) {
            ackSender.onHandled(sender, numbered.number());
        }
    }

    private void handle(Member sender, SessionMessage message) {
        switch (message) {
            case Image image -> merge(image);
            case Delta delta -> merge(sender, delta);
            case Access access -> {
                SessionRecord record = store.get(access.uid());
                if (record != null) {
                    record.touch(access.version(), nanoClock.getAsLong());
                }
            }
            case Remove remove -> onRemove(remove);
            case Ack ack -> acknowledgements.onAck(sender, ack.number());
            case Query query -> {
                SessionRecord record = store.find(query.key());
                boolean isKnown = record != null && record.state() == SessionRecord.State.COMPLETE;
                Image image = isKnown && record != null ? record.image(nanoClock.getAsLong()) : null;
                sendTo(sender, new Answer(query.query(), image));
            }
            case Answer answer -> {
                Image image = answer.image();
                if (image != null) {
                    merge(image);
                }
                lookups.onAnswer(sender, answer.query(), image != null);
            }
            case ImageRequest request -> {
                SessionRecord record = store.get(request.uid());
                if (record != null && record.state() == SessionRecord.State.COMPLETE) {
                    sendTo(sender, record.image(nanoClock.getAsLong()));
                }
            }
            case StateRequest request -> {
                stateGiver.onRequest(new StatePull.Request(sender, request));
                giveState();
            }
            case StateChunk chunk -> onStateChunk(sender, chunk);
        }
    }

    /** Returns false if the session has ended here and stays so. */
    private boolean merge(Image image) {
        if (store.tombstoneFor(image) != null) {
            return false;
        }
        long nowNanos = nanoClock.getAsLong();
        SessionRecord record = recordFor(image, nowNanos);
        String oldKey = store.keyOf(record.id());
        record.merge(image, nowNanos);
        if (record.state() == SessionRecord.State.PARTIAL) {
            record.enter(SessionRecord.State.COMPLETE);
            store.add(record);
        } else {
            store.reindex(record, oldKey);
        }
        return true;
    }

    /** The session's record, or a new one with what is known of the session so far. */
    private SessionRecord recordFor(Image image, long nowNanos) {
        SessionRecord present = store.get(image.uid());
        if (present != null && present.state() != SessionRecord.State.PARTIAL) {
            return present;
        }
        long usedNanos = nowNanos - image.idleMillis() * 1_000_000;
        SessionRecord added =
                new SessionRecord(image.uid(), image.createdMillis(), usedNanos, SessionRecord.State.PARTIAL);
        if (present != null) {
            added.merge(present.image(nowNanos), nowNanos);
        }
        return added;
    }

    private void merge(Member sender, Delta delta) {
        if (store.isBuried(delta.uid())) {
            return;
        }
        long nowNanos = nanoClock.getAsLong();
        SessionRecord record = store.get(delta.uid());
        if (record == null) {
            record = store.getOrAdd(delta.uid(), 0, nowNanos);
            if (statePull.isComplete()) {
                sendTo(sender, new ImageRequest(delta.uid()));
            }
        }
        if (record.state() == SessionRecord.State.PARTIAL) {
            record.merge(delta, origin, nowNanos);
        } else {
            String oldKey = store.keyOf(record.id());
            record.merge(delta, origin, nowNanos);
            store.reindex(record, oldKey);
        }
    }

    private void onRemove(Remove remove) {
        SessionRecord record = store.get(remove.uid());
        if (record != null) {
            record.touch(remove.version(), nanoClock.getAsLong());
        }
        SessionStore.Tombstone tombstone = new SessionStore.Tombstone(
                remove.key(), remove.version(), remove.reason(), nanoClock.getAsLong());
        SessionRecord removed = store.remove(remove.uid(), tombstone);
        if (removed != null) {
            onEnded.accept(removed);
        }
    }

    // ---- state

    private void giveState() {
        for (StatePull.Request request : stateGiver.ready(statePull)) {
            executor.execute(() -> stateGiver.answer(
                    request, (receiver, chunk) -> channel.join().sendTo(receiver, MessageWriter.encode(0, chunk))));
        }
    }

    private void onStateChunk(Member sender, StateChunk chunk) {
        for (Image image : chunk.images()) {
            if (merge(image)) {
                counters.increment(STATE_SESSIONS_MERGED);
            } else {
                endAgain(image);
            }
        }
        StatePull.Request next = statePull.onChunk(sender, chunk);
        if (next != null) {
            sendTo(next.receiver(), next.message());
        }
        giveState();
        if (statePull.isComplete()) {
            dropPartial(0);
            joinNamesakes();
        }
    }

    /** The member that used a session last makes it one with the older one of the same id; all others follow its messages. */
    private void joinNamesakes() {
        for (SessionRecord namesake : store.namesakes()) {
            if (isPrimary(namesake)) {
                executor.execute(() -> joinNamesake(namesake));
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
                publish(kept, kept.missing(namesake));
            }
        } catch (StalledException e) {
            LOG.debug("{} is made one with {} later: {}", namesake, kept, e.getMessage());
            return;
        }
        counters.increment(NAMESAKES_JOINED);
        end(namesake, EndReason.INVALIDATED);
        onEnded.accept(namesake);
    }

    /** A session that has ended on this side of a partition lives on the other: one of this side says so. */
    private void endAgain(Image image) {
        SessionStore.Tombstone tombstone = store.tombstoneFor(image);
        if (tombstone != null && peers.leadsPart()) {
            Remove remove = new Remove(image.uid(), tombstone.key(), tombstone.version(), tombstone.reason());
            executor.execute(() -> sendToGroup(remove, REMOVALS_SENT, true));
        }
    }

    /** From time to time, say every 10 s: asks again for what should have come. */
    public void onTick() {
        for (StatePull.Request request : statePull.onTick()) {
            sendTo(request.receiver(), request.message());
        }
        if (statePull.isComplete()) {
            dropPartial(PARTIAL_NANOS);
            joinNamesakes();
        }
        settleOverruled(peers);
    }

    private void settleOverruled(Peers before) {
        for (SessionRecord record : store.sessions()) {
            if (record.isOverruled()) {
                settleOverruled(record, before);
            }
        }
    }

    private void dropPartial(long idleNanos) {
        long nowNanos = nanoClock.getAsLong();
        for (SessionRecord record : store.after(null).values()) {
            if (record.state() == SessionRecord.State.PARTIAL && record.idleNanos(nowNanos) >= idleNanos) {
                store.forget(record);
                counters.increment(PARTIAL_DROPPED);
            }
        }
    }

    // ---- all in all

    /**
     * Whether all sessions are here that others have: those of the oldest member of every other part that was met were fetched,
     * and somebody was met unless it is known that nobody is there.
     */
    public boolean isComplete() {
        return statePull.isComplete() && (joinResult.isKnown() || statePull.hasTaken());
    }

    /**
     * Waits until the others have all sessions of this member: what it has sent, and what they are fetching from it.
     *
     * @return whether at least one other member has them all
     */
    public boolean awaitHandedOver(Duration within) {
        long endNanos = nanoClock.getAsLong() + within.toNanos();
        boolean isSafe = waitFor(acknowledgements.safe(sent), within.toNanos());
        boolean isFetched = waitFor(stateGiver.done(), Math.max(0, endNanos - nanoClock.getAsLong()));
        int others = peers.others().size();
        if (others == 0) {
            return false;
        }
        boolean isTaken = isSafe && acknowledgements.laggingCount() < others;
        if (!isTaken || !isFetched) {
            LOG.warn(
                    "Other members may lack sessions of this one after {}: changes are {}, {} have not fetched all",
                    within,
                    isTaken ? "confirmed" : "not confirmed",
                    stateGiver.owed());
        }
        return isTaken && isFetched;
    }

    // ---- kept while the application is stopped

    /** Writes all sessions, and the marks of those that ended, to a file. */
    public int writeTo(Path file) throws IOException {
        return SessionArchive.write(file, store, nanoClock.getAsLong(), System.currentTimeMillis());
    }

    /** Adds the sessions in a file to those that are here, as if another member had told of them; before {@link #join}. */
    public int readFrom(Path file) throws IOException {
        SessionArchive.read(file, System.currentTimeMillis(), (message, agedMillis) -> {
            if (message instanceof Image image && merge(image.aged(agedMillis))) {
                counters.increment(SESSIONS_RESTORED);
            } else if (message instanceof Remove remove) {
                onRemove(remove);
            }
        });
        return store.size();
    }

    private static List<String> names(List<Member> members) {
        return members.stream().map(Member::name).toList();
    }

    /** State and counters now: values are numbers, texts, lists and maps. */
    public Map<String, Object> status() {
        Map<String, Object> status = new LinkedHashMap<>();
        int primary = 0;
        for (SessionRecord record : store.sessions()) {
            if (isPrimary(record)) {
                primary++;
            }
        }
        status.put("condition", condition);
        status.put("members", names(peers.members()));
        status.put("sessions", store.size());
        status.put("sessions-primary", primary);
        status.put("sessions-ended-remembered", store.tombstoneCount());
        status.put("start", joinResult.text());
        status.put("state-complete", isComplete());
        status.put("state-from", statePull.taken());
        status.put("state-awaited", statePull.status());
        status.put("members-lagging", acknowledgements.laggingCount());
        status.put("messages-awaited", acknowledgements.waitingCount());
        status.put("members-fetching", names(stateGiver.owed()));
        status.put("bytes-pending", room.bytes());
        status.putAll(counters.snapshot());
        return status;
    }

    /** Leaves the group and forgets all sessions, which live on at the others. */
    @Override
    public void close() {
        isClosing = true;
        if (channel.isDone() && !channel.isCompletedExceptionally()) {
            channel.join().close();
        }
        condition = "left";
        peers = Peers.NONE;
        acknowledgements.close();
        store.clear();
    }
}
