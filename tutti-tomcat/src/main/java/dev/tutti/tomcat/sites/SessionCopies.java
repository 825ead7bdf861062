package dev.tutti.tomcat.sites;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.map.EntryEvent;
import dev.tutti.blocks.map.MapException;
import dev.tutti.internal.Logs;
import dev.tutti.sites.Sites;
import dev.tutti.sites.WhenFull;
import dev.tutti.sites.patterns.MultiSiteMap;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Copies of an application's sessions at all sites. A site writes a copy of each session that it has changed, some time after the
 * request. A request of a session whose last copy is of another site takes that over first: its users come from a site that is lost,
 * or go back to one that is there again. Thread-safe.
 *
 * <p>Attributes that two sites have changed at the same time are not merged: the session is as one of the sites has left it. A change at one
 * site stands against requests at another that did not know of it and changed nothing.
 */
public final class SessionCopies implements AutoCloseable {

    private static final Logger LOG = Logs.of(SessionCopies.class);

    /** Part of the time to expiry after which a session that is only read is copied again. */
    private static final int FRESH_PART = 10;

    private static final long FRESH_MILLIS_MIN = 1_000;

    /** Time after its expiry at which a copy that its own site has not removed is removed by any. */
    private static final long LEFT_OVER_MILLIS = 600_000;

    private static final int LOCKS = 64;
    private static final long RETAINED_BYTES = 64 << 20;
    private static final long POLL_MILLIS = 20;

    /** Sessions of this site. */
    public interface Sessions {

        /** A session as it is now. */
        record Current(int maxInactiveSeconds, byte[] image) {}

        /** Returns a session; null if it is not here. */
        @Nullable Current current(String key);

        /** Returns the number of the copy that the session was taken over from last; 0 if it never was, or is not here. */
        long takenFrom(String key);

        /** Makes a session as it is in a copy, at this whole site; returns whether it is. May wait. */
        boolean take(String key, byte[] image, long number);

        /** Ends a session here, if there is one: another site has ended it. */
        void end(String key);
    }

    private final String application;
    private final Sessions sessions;
    private final Executor threads;
    private final LongSupplier wallMillis;
    private final String site;
    private final MultiSiteMap<String, SessionCopy> copies;
    private final List<ReentrantLock> taking = new ArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final LinkedHashSet<String> changed = new LinkedHashSet<>();
    private boolean isWriting;
    private boolean isClosed;
    private long number;
    private long taken;
    private long unwritten;

    /**
     * @param threads runs tasks that wait, each on a thread of its own
     * @param wallMillis wall clock
     */
    public SessionCopies(
            Sites sites, List<String> others, String group, Sessions sessions, Executor threads, LongSupplier wallMillis) {
        this.application = group;
        this.sessions = sessions;
        this.threads = threads;
        this.wallMillis = wallMillis;
        this.site = sites.site();
        this.number = wallMillis.getAsLong() << 20;
        for (int i = 0; i < LOCKS; i++) {
            taking.add(new ReentrantLock());
        }
        this.copies = MultiSiteMap.on(
                        sites.group("copies:" + group)
                                .expect(others.toArray(String[]::new))
                                // A site that was away for longer asks for all copies when it is back.
                                .retain(RETAINED_BYTES, WhenFull.DROP_OLDEST),
                        Codec.TEXT,
                        SessionCopy.CODEC)
                // A use of a session at one site stands against the end of it at another that did not know of the use.
                .merge((key, earlier, later) -> SessionCopy.merge(earlier, later))
                .onEntry(this::onEntry)
                .join();
    }

    // ------------------------------------------------------------------ this site's sessions

    /** Notes that a session was changed here. Never waits: the copy is written soon. */
    public void onChanged(String key) {
        lock.lock();
        try {
            if (isClosed || !changed.add(key) || isWriting) {
                return;
            }
            isWriting = true;
        } finally {
            lock.unlock();
        }
        threads.execute(this::writeAll);
    }

    /** Notes that a session was used here. */
    public void onUsed(String key) {
        SessionCopy copy = copies.get(key);
        if (copy != null && copy.site().equals(site)) {
            long ageMillis = wallMillis.getAsLong() - copy.writtenMillis();
            if (ageMillis > Math.max(FRESH_MILLIS_MIN, copy.maxInactiveSeconds() * 1_000L / FRESH_PART)) {
                onChanged(key);
            }
        }
    }

    /** Notes that a session has ended here. The copy is removed, unless another site uses the session now. */
    public void onEnded(String key) {
        onChanged(key);
    }

    private void writeAll() {
        for (String key = nextChanged(); key != null; key = nextChanged()) {
            try {
                write(key);
            } catch (MapException e) {
                noteUnwritten(key, e);
            }
        }
    }

    private @Nullable String nextChanged() {
        lock.lock();
        try {
            String next = changed.isEmpty() ? null : changed.removeFirst();
            isWriting = next != null;
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Counts a copy that was not written; the next use or change of the session tries again. */
    private void noteUnwritten(String key, MapException e) {
        long count;
        lock.lock();
        try {
            count = ++unwritten;
        } finally {
            lock.unlock();
        }
        if (Long.bitCount(count) == 1) {
            LOG.warn("{}: other sites have no copy of the last changes of {} sessions so far, at last of {}: {}", application, count, key,
                    e.getMessage());
        }
    }

    private void write(String key) {
        Sessions.Current current = sessions.current(key);
        SessionCopy present = copies.get(key);
        if (current == null) {
            if (present != null && present.site().equals(site)) {
                copies.remove(key);
            }
            return;
        }
        boolean isOthers = present != null && !present.site().equals(site) && sessions.takenFrom(key) != present.number();
        if (!isOthers) {
            copies.put(key, new SessionCopy(site, nextNumber(), wallMillis.getAsLong(), current.maxInactiveSeconds(), false, current.image()));
        }
    }

    private long nextNumber() {
        lock.lock();
        try {
            return ++number;
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ other sites' sessions

    /**
     * Takes over the last copy of a session if another site has written it, or this one has lost the session. To be called before a
     * request looks for its session. May wait.
     *
     * @param isHere whether this site has the session
     * @return whether it was taken over
     */
    public boolean takeOver(String key, boolean isHere) {
        if (!isNewer(key, isHere)) {
            return false;
        }
        ReentrantLock one = taking.get(Math.floorMod(key.hashCode(), LOCKS));
        one.lock();
        try {
            SessionCopy copy = copies.get(key);
            if (copy == null || !isNewer(key, isHere)) {
                return false;
            }
            boolean isTaken = sessions.take(key, copy.image(), copy.number());
            if (isTaken) {
                countTaken();
                own(key, copy);
            }
            return isTaken;
        } finally {
            one.unlock();
        }
    }

    /** Writes that this site has the session now. That is no change: it gives way to one at the other site that is still on its way. */
    private void own(String key, SessionCopy taken) {
        SessionCopy present = copies.get(key);
        if (present == null || present.number() != taken.number()) {
            return;
        }
        try {
            copies.put(key, taken.takenOver(site, nextNumber(), wallMillis.getAsLong()));
        } catch (MapException e) {
            noteUnwritten(key, e);
        }
    }

    private boolean isNewer(String key, boolean isHere) {
        SessionCopy copy = copies.get(key);
        if (copy == null || copy.overdueMillis(wallMillis.getAsLong()) > 0) {
            return false;
        }
        return isHere ? !copy.site().equals(site) && sessions.takenFrom(key) != copy.number() : true;
    }

    private void countTaken() {
        lock.lock();
        try {
            taken++;
        } finally {
            lock.unlock();
        }
    }

    private void onEntry(EntryEvent<String, SessionCopy> event) {
        if (event.kind() == EntryEvent.Kind.REMOVED) {
            threads.execute(() -> sessions.end(event.key()));
        }
    }

    /** Removes copies that have expired long ago, and that the site which has written them has not removed: it may be lost. */
    public void removeLeftOvers() {
        if (!copies.group().isMaster()) {
            return;
        }
        long nowMillis = wallMillis.getAsLong();
        List<String> left = copies.snapshot().entrySet().stream()
                .filter(entry -> entry.getValue().overdueMillis(nowMillis) > LEFT_OVER_MILLIS)
                .map(Map.Entry::getKey)
                .toList();
        if (!left.isEmpty()) {
            threads.execute(() -> {
                try {
                    left.forEach(copies::remove);
                } catch (MapException e) {
                    noteUnwritten(left.getFirst(), e);
                }
            });
        }
    }

    /** Returns counts. */
    public Map<String, Object> status() {
        TreeMap<String, Object> status = new TreeMap<>();
        status.put("site", site);
        status.put("site-copies", copies.size());
        lock.lock();
        try {
            status.put("site-copies-to-write", changed.size() + (isWriting ? 1 : 0));
            status.put("site-copies-unwritten", unwritten);
            status.put("site-sessions-taken-over", taken);
        } finally {
            lock.unlock();
        }
        return status;
    }

    /**
     * Waits, as the first member of this site, until the other sites have told which copies they have, so that no user whose session
     * is at one of them gets a new one. Later members have what the site has.
     *
     * @param waiting waits for some milliseconds
     * @return the sites that have not, when the time is over
     */
    public List<String> awaitOthers(long timeoutMillis, LongConsumer waiting) {
        if (copies.group().local().view().size() > 1) {
            return List.of();
        }
        for (long left = timeoutMillis; left > 0 && !copies.missingSites().isEmpty(); left -= POLL_MILLIS) {
            waiting.accept(POLL_MILLIS);
        }
        return copies.missingSites();
    }

    /** Writes what is still to be written, and leaves. The copies stay at the other members. */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
        } finally {
            lock.unlock();
        }
        writeAll();
        copies.close();
    }
}
