package dev.tutti.tomcat.replication.holders;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.SESSIONS_LOST;

import dev.tutti.core.Member;
import dev.tutti.internal.Logs;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.session.SessionMessage.Watch;
import dev.tutti.tomcat.replication.session.SessionMessage.Watched;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongFunction;
import org.slf4j.Logger;

/**
 * Knows which sessions are lost when all their holders are gone at once: the home of each session names it, with its
 * holders, to the member that would be its home without them. Homes tell changes at each beat. A session that is newer
 * than a beat when it is lost is therefore not noticed. Thread-safe.
 */
final class Watchman {

    /** Sessions in one message. */
    private static final int BATCH = 500;

    /** Sessions that are named in one line of the log; the others are counted. */
    static final int NAMED_MAX = 10;

    /** Characters of a key that are shown: enough to find it in a log, and not enough to use the session. */
    private static final int SHOWN = 8;

    private static final Logger LOG = Logs.of(Watchman.class);

    private final SessionStore store;
    private final Whereabouts where;
    private final Link link;
    private final ReplicationCounters counters;

    /** Keys whose holders have changed since the last beat; at most all sessions of this member. */
    private final LinkedHashSet<String> changed = new LinkedHashSet<>();

    /** Watcher of each session whose home this member is. */
    private final Map<String, Member> watchers = new HashMap<>();

    /** Sessions of other homes that this member watches, with their holders. */
    private final Map<String, List<Long>> watched = new HashMap<>();

    private final LinkedHashMap<String, List<Long>> missing = new LinkedHashMap<>();
    private String lastLoss = "";

    Watchman(SessionStore store, Whereabouts where, Link link, ReplicationCounters counters) {
        this.store = store;
        this.where = where;
        this.link = link;
        this.counters = counters;
    }

    /** Notes that the holders of a session have changed, or that it has ended. */
    synchronized void onChanged(String key) {
        changed.add(key);
    }

    /** Looks for sessions all of whose holders are gone. */
    synchronized void onView() {
        Placement placement = where.placement();
        if (placement == null) {
            return;
        }
        for (Iterator<Map.Entry<String, List<Long>>> iterator = watched.entrySet().iterator(); iterator.hasNext(); ) {
            Map.Entry<String, List<Long>> entry = iterator.next();
            Set<Member> holders = where.members(entry.getValue());
            if (holders.isEmpty()) {
                missing.put(entry.getKey(), entry.getValue());
                iterator.remove();
            } else if (!where.isWatcher(entry.getKey(), holders)) {
                iterator.remove();
            }
        }
        watchers.clear();
        for (SessionRecord record : store.sessions()) {
            changed.add(where.keyOf(record));
        }
    }

    synchronized void onWatch(Watch watch) {
        for (Watched session : watch.sessions()) {
            if (session.holders().isEmpty()) {
                watched.remove(session.key());
            } else {
                watched.put(session.key(), session.holders());
            }
        }
    }

    /** Tells the watchers what has changed. */
    synchronized void onBeat() {
        Map<Member, List<Watched>> due = new HashMap<>();
        for (Iterator<String> iterator = changed.iterator(); iterator.hasNext() && link.hasRoom(); ) {
            String key = iterator.next();
            iterator.remove();
            SessionRecord record = store.find(key);
            boolean isOwn = record != null && record.state() == SessionRecord.State.COMPLETE && where.isHome(key);
            Set<Member> holders = isOwn && record != null ? where.withSelf(record.spread().others()) : Set.of();
            Member watcher = isOwn ? where.watcher(key, holders) : null;
            Member former = watcher == null ? watchers.remove(key) : watchers.put(key, watcher);
            if (former != null && !former.equals(watcher) && where.others().contains(former)) {
                add(due, former, new Watched(key, List.of()));
            }
            if (watcher != null) {
                add(due, watcher, new Watched(key, Whereabouts.origins(holders)));
            }
        }
        due.forEach(this::send);
    }

    private void add(Map<Member, List<Watched>> due, Member watcher, Watched session) {
        List<Watched> sessions = due.computeIfAbsent(watcher, absent -> new ArrayList<>());
        sessions.add(session);
        if (sessions.size() >= BATCH) {
            send(watcher, sessions);
            due.remove(watcher);
        }
    }

    private void send(Member watcher, List<Watched> sessions) {
        link.post(watcher, new Watch(List.copyOf(sessions)));
    }

    /**
     * Reports the sessions that are still missing when all members have told the homes which sessions they hold.
     *
     * @param names returns the name of a member that was here before, by its origin
     */
    synchronized void onRegistered(LongFunction<String> names) {
        missing.keySet().removeIf(key -> store.find(key) != null || store.hasEnded(key));
        if (missing.isEmpty()) {
            return;
        }
        Set<String> at = new TreeSet<>();
        missing.values().forEach(holders -> holders.forEach(holder -> at.add(names.apply(holder))));
        List<String> shown = missing.keySet().stream().limit(NAMED_MAX).map(Watchman::shortened).toList();
        int more = missing.size() - shown.size();
        lastLoss = missing.size() + " sessions: " + String.join(", ", shown) + (more > 0 ? " and " + more + " more" : "")
                + "; their copies were at " + String.join(", ", at);
        counters.add(SESSIONS_LOST, missing.size());
        LOG.error("All members that held some sessions are gone, at once or before others had a copy. Lost, or out of reach: {}", lastLoss);
        missing.clear();
    }

    private static String shortened(String key) {
        return key.length() <= SHOWN ? key : key.substring(0, SHOWN) + "…";
    }

    /** Returns the sessions that were lost last, in words; empty if none were. */
    synchronized String lastLoss() {
        return lastLoss;
    }

    synchronized int watchedCount() {
        return watched.size();
    }

    synchronized void clear() {
        changed.clear();
        watchers.clear();
        watched.clear();
        missing.clear();
    }
}
