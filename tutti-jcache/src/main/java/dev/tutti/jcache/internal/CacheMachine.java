package dev.tutti.jcache.internal;

import dev.tutti.GroupBuilder;
import dev.tutti.Snapshot;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.internal.Deadlines;
import dev.tutti.blocks.internal.block.ReplicatedBlock;
import dev.tutti.blocks.internal.block.Upkeep;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.jcache.internal.CacheCommand.Outcome;
import dev.tutti.jcache.internal.CacheCommand.Result;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import javax.cache.CacheException;
import javax.cache.event.EventType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cache as a machine that all members of a group run alike: it holds the entries, and makes a change if the entry is
 * still the one that its author has seen. Deadlines of entries are each member's own and do not affect the machine: the
 * oldest member announces which entries have expired.
 */
public final class CacheMachine {

    private static final Logger LOG = LoggerFactory.getLogger(CacheMachine.class);

    private final String name;
    private final CacheSettings settings;
    private final Serializer serializer;
    private final Listener listener;
    private final LongConsumer evicted;
    private final Entries entries = new Entries();
    private final ReplicatedBlock<CacheCommand, Outcome, Happening> block;
    private final Upkeep upkeep;
    private final AtomicLong tickets = new AtomicLong();

    /** Guarded by the lock of the upkeep. */
    private final List<Happening> happenings = new ArrayList<>();

    private long changes;
    private long givenUp;

    /** The reason for which this member executes nothing at present; null if it does. */
    private volatile @Nullable String suspended;

    /** The reason for which the group was left; null if it was not. */
    private volatile @Nullable String lost;

    /** The part of a cache that hears of changes at this member. */
    public interface Listener {

        /** Returns whether anybody wants to hear of changes. */
        boolean isListening();

        /**
         * Hears of a change that is certain to stay; must not wait.
         *
         * @param isOwn whether it is by a command of this member
         */
        void onChange(Happening happening, boolean isOwn);
    }

    private CacheMachine(
            String name,
            GroupBuilder group,
            CacheSettings settings,
            Serializer serializer,
            Listener listener,
            LongConsumer evicted) {
        this.name = name;
        this.settings = settings;
        this.serializer = serializer;
        this.listener = listener;
        this.evicted = evicted;
        this.block = new ReplicatedBlock<>(group, "cache", "this member can't tell what expires", new Contents());
        this.upkeep = block.upkeep();
    }

    /**
     * Joins the group of the cache, and obtains the entries of the other members.
     *
     * @param evicted hears how many entries were dropped because the cache was full
     */
    public static CacheMachine join(
            String name,
            GroupBuilder group,
            CacheSettings settings,
            Serializer serializer,
            Listener listener,
            LongConsumer evicted) {
        // With agreed delivery, what a member has acknowledged could be lost with it.
        group.set("total.delivery", "safe");
        CacheMachine machine = new CacheMachine(name, group, settings, serializer, listener, evicted);
        boolean isOnlyInPrimary = settings.isOnlyInPrimary();
        if (isOnlyInPrimary) {
            machine.suspended = "this member was in no primary view yet";
        }
        Merge<?> merge = isOnlyInPrimary ? Merge.primary() : Merge.largest();
        machine.block.join(merge, CacheCommand.codec(serializer), replica -> {
            replica.timeout(settings.timeout()).onView(machine::onTold).onSuspended(reason -> machine.suspended = reason);
            return isOnlyInPrimary ? replica.onlyInPrimary(settings.founders().toArray(String[]::new)) : replica;
        });
        return machine;
    }

    private void onTold(View view) {
        if (!settings.isOnlyInPrimary() || view.isPrimary()) {
            suspended = null;
        }
    }

    // ------------------------------------------------------------------ reading

    /** Returns the entry of a key at this member, which may have expired; null for none. */
    public @Nullable Stored find(Object key) {
        return entries.find(key);
    }

    /** Returns all entries at this member, also those that have expired, from the first written to the last. */
    public List<Stored> all() {
        upkeep.lock().lock();
        try {
            return entries.all();
        } finally {
            upkeep.lock().unlock();
        }
    }

    /** Returns the time by which deadlines are counted. */
    public long nowNanos() {
        return upkeep.deadlines().nowNanos();
    }

    /** @throws CacheException if this member is outside of the primary partition, or has lost its group */
    public void checkUsable() {
        String reasonLost = lost;
        if (reasonLost != null) {
            throw new CacheException("cache " + name + " has left its group: " + reasonLost
                    + "; its entries at other members are not affected; close this cache and create it again");
        }
        String reasonSuspended = suspended;
        if (reasonSuspended != null) {
            throw new CacheException("cache " + name + " can't be used at this member, outside of the primary partition: "
                    + reasonSuspended + "; try again when it has met a majority of the members again");
        }
    }

    /** Returns counters by name. */
    public Map<String, Long> status() {
        return block.status();
    }

    // ------------------------------------------------------------------ changing

    /** Returns a number for a command whose events its author waits for. */
    public long nextTicket() {
        return tickets.incrementAndGet();
    }

    /**
     * Executes a command at all members.
     *
     * @throws CacheException if it has no result; the message says whether it was executed
     */
    public Outcome call(CacheCommand command, Duration within) {
        checkUsable();
        try {
            return block.replica().call(command, within);
        } catch (CommandException e) {
            RuntimeException failure = block.exception(e);
            throw failure instanceof CacheException known ? known : new CacheException("cache " + name, failure);
        }
    }

    /** Tells all members a new deadline, without waiting. */
    public void touch(Stored entry, long timeToLiveNanos) {
        Change change = new Change(entry.key(), entry.version(), Change.Kind.TOUCH, NOTHING, timeToLiveNanos, false);
        CompletableFuture<Outcome> told = block.submit(new CacheCommand.Commit(0, List.of(change)));
        told.exceptionally(failure -> {
            LOG.debug("cache {}: other members do not know that an entry was read: {}", name, failure.getMessage());
            return null;
        });
    }

    public void close() {
        block.close();
    }

    // ------------------------------------------------------------------ the machine

    private final class Contents implements ReplicatedBlock.Contents<CacheCommand, Outcome, Happening> {

        @Override
        public Outcome apply(Member member, CacheCommand command) {
            return switch (command) {
                case CacheCommand.Commit commit -> commit(member, commit);
                case CacheCommand.Clear clear -> removeAll(member, clear);
            };
        }

        @Override
        public void onView(View view, Member self) {
            // Entries do not depend on who is there.
        }

        @Override
        public void clear() {
            if (entries.size() > 0) {
                LOG.warn("cache {}: {} entries are dropped, no member of the last primary partition is there", name, entries.size());
            }
            giveUp(List.of());
        }

        @Override
        public Snapshot snapshot(Blocks.Origin origin) {
            CacheImage image = new CacheImage(origin, settings.agreement(), changes, entries.all());
            return out -> image.write(nowNanos(), out);
        }

        @Override
        public Runnable read(InputStream in, @Nullable View from) throws IOException {
            CacheImage image = CacheImage.read(serializer, nowNanos(), in);
            if (!image.agreement().equals(settings.agreement())) {
                throw new IOException("cache " + name + " is configured in another way at the other members: "
                        + image.agreement() + " there, " + settings.agreement() + " here; configure all members alike");
            }
            return () -> {
                changes = Math.max(changes, image.changes());
                giveUp(image.entries());
            };
        }

        @Override
        public List<Happening> takeEvents() {
            List<Happening> taken = List.copyOf(happenings);
            happenings.clear();
            return taken;
        }

        @Override
        public void tell(Happening event) {
            boolean isOwn = event.ticket() != 0 && upkeep.isSelf(event.author());
            listener.onChange(event, isOwn);
        }

        @Override
        public void putStatus(Map<String, Long> status) {
            status.put("entries", (long) entries.size());
            status.put("bytes", entries.bytes());
            status.put("changes", changes);
            status.put("given-up", givenUp);
        }

        @Override
        public void attend(View view, Member self) {
            if (!view.coordinator().equals(self)) {
                return;
            }
            List<Stored> expired = entries.expired(nowNanos(), CacheCommand.CHANGES_MAX);
            if (!expired.isEmpty()) {
                List<Change> announced = new ArrayList<>();
                for (Stored each : expired) {
                    announced.add(Change.of(each.key(), each.version(), Change.Kind.EXPIRE, true));
                }
                block.announce(new CacheCommand.Commit(0, announced), () -> entries.expireAgain(expired));
            }
            upkeep.continueAt(entries.nextDueNanos());
        }

        @Override
        public RuntimeException exception(CommandException failure, String message) {
            String consequence =
                    switch (failure.execution()) {
                        case NEVER -> "; nothing was changed, try again";
                        case UNKNOWN -> "; the change may have been made or not, read the entry to find out";
                        case ONCE -> "";
                    };
            String advice =
                    switch (failure.reason()) {
                        case CLOSED -> "; close this cache and create it again";
                        case NOT_PRIMARY -> "; this member has to meet a majority of the members again";
                        case TOO_MANY, NOT_SENT, TIMED_OUT, REPLACED, FAILED, MALFORMED, INTERRUPTED -> "";
                    };
            return new CacheException(message + consequence + advice, failure);
        }

        @Override
        public void onClosed(String reason) {
            lost = reason;
        }
    }

    private Outcome commit(Member author, CacheCommand.Commit commit) {
        List<Result> results = new ArrayList<>(commit.changes().size());
        int removed = 0;
        for (Change change : commit.changes()) {
            Stored before = entries.find(change.key().object());
            Version present = before == null ? Version.NONE : before.version();
            Result result = present.equals(change.expected()) ? make(author, commit.ticket(), change, before) : Result.OVERTAKEN;
            results.add(result);
            if (result == Result.DONE && change.kind() == Change.Kind.REMOVE && before != null) {
                removed++;
            }
        }
        return new Outcome(results, removed);
    }

    private Result make(Member author, long ticket, Change change, @Nullable Stored before) {
        switch (change.kind()) {
            case CONFIRM -> {}
            case TOUCH -> {
                if (before != null) {
                    before.tell(deadline(change.timeToLiveNanos(), before));
                    entries.schedule(before);
                }
            }
            case REMOVE, EXPIRE -> {
                if (before != null) {
                    entries.remove(before);
                    boolean isExpired = change.kind() == Change.Kind.EXPIRE || change.isExpired();
                    note(author, ticket, isExpired ? EventType.EXPIRED : EventType.REMOVED, before, null);
                }
            }
            case RENEW -> {
                if (before != null) {
                    entries.put(new Stored(before.key(), before.bytes(), nextVersion(), before.deadlineNanos()));
                }
            }
            case PUT -> {
                return put(author, ticket, change, before);
            }
        }
        return Result.DONE;
    }

    private Result put(Member author, long ticket, Change change, @Nullable Stored before) {
        Stored after = new Stored(change.key(), change.value(), nextVersion(), deadline(change.timeToLiveNanos(), before));
        long bytesAfter = entries.bytes() + after.size() - (before == null ? 0 : before.size());
        long countAfter = entries.size() + (before == null ? 1L : 0L);
        boolean hasRoom = settings.bounds().isWithin(countAfter, bytesAfter);
        if (!hasRoom && settings.bounds().whenFull() == Bounds.WhenFull.REFUSE && isGrowth(before, after)) {
            return Result.REFUSED;
        }
        entries.put(after);
        if (before != null && change.isExpired()) {
            note(author, ticket, EventType.EXPIRED, before, null);
        }
        boolean isNew = before == null || change.isExpired();
        note(author, ticket, isNew ? EventType.CREATED : EventType.UPDATED, isNew ? null : before, after);
        makeRoom(after);
        return Result.DONE;
    }

    /** A full cache still accepts a value that takes no more than the one that it replaces. */
    private static boolean isGrowth(@Nullable Stored before, Stored after) {
        return before == null || after.size() > before.size();
    }

    private void makeRoom(Stored newest) {
        long count = 0;
        while (!settings.bounds().isWithin(entries.size(), entries.bytes())) {
            Stored eldest = entries.eldest();
            if (eldest == null || eldest == newest) {
                break;
            }
            entries.remove(eldest);
            count++;
        }
        if (count > 0) {
            evicted.accept(count);
        }
    }

    private Outcome removeAll(Member author, CacheCommand.Clear clear) {
        int removed = 0;
        long nowNanos = nowNanos();
        if (clear.isTold()) {
            for (Stored each : entries.all()) {
                boolean isExpired = each.isExpired(nowNanos);
                removed += isExpired ? 0 : 1;
                note(author, clear.ticket(), isExpired ? EventType.EXPIRED : EventType.REMOVED, each, null);
            }
        }
        entries.clear();
        return new Outcome(List.of(), removed);
    }

    private Version nextVersion() {
        changes++;
        return new Version(upkeep.view().id().number(), changes);
    }

    private long deadline(long timeToLiveNanos, @Nullable Stored before) {
        if (timeToLiveNanos == Change.UNCHANGED && before != null) {
            return before.deadlineNanos();
        }
        return timeToLiveNanos < 0 ? Stored.NEVER : Deadlines.after(nowNanos(), timeToLiveNanos);
    }

    private void note(@Nullable Member author, long ticket, EventType type, @Nullable Stored before, @Nullable Stored after) {
        if (listener.isListening()) {
            happenings.add(new Happening(author, ticket, type, before, after));
        }
    }

    /** Replaces the entries by those of the state that goes on, and tells listeners the difference. */
    private void giveUp(List<Stored> next) {
        List<Stored> former = entries.all();
        entries.clear();
        next.forEach(entries::put);
        Set<Object> known = new HashSet<>();
        int dropped = 0;
        for (Stored before : former) {
            known.add(before.key().object());
            Stored after = entries.find(before.key().object());
            if (after == null) {
                dropped++;
                note(null, 0, EventType.REMOVED, before, null);
            } else if (!Arrays.equals(before.bytes(), after.bytes())) {
                dropped++;
                note(null, 0, EventType.UPDATED, before, after);
            }
        }
        if (dropped > 0) {
            givenUp += dropped;
            LOG.warn("cache {}: {} entries of this member were given up for those of the other side of a partition", name, dropped);
        }
        for (Stored after : next) {
            if (!former.isEmpty() && !known.contains(after.key().object())) {
                note(null, 0, EventType.CREATED, null, after);
            }
        }
    }

    @Override
    public String toString() {
        return block.block() + " of " + entries.size() + " entries";
    }

    private static final byte[] NOTHING = {};
}
