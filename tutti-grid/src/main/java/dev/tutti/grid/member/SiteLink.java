package dev.tutti.grid.member;

import dev.tutti.SendException;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.internal.codec.GridCodec;
import dev.tutti.sites.Reach;
import dev.tutti.sites.Site;
import dev.tutti.sites.SiteGroup;
import dev.tutti.sites.SiteMessage;
import dev.tutti.sites.SitesView;
import dev.tutti.sites.Sites;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Connection with other sites. Each member tells all of them the filters of its consumers; a measurement that one of them
 * chooses is sent to that site once, and each member there gives it to its consumers.
 */
final class SiteLink {

    /** Most filters of one member that are told to other sites; if it has more, all measurements are sent. */
    private static final int INTERESTS_MAX = 10_000;

    /** Most members of other sites whose filters are kept. */
    private static final int MEMBERS_MAX = 10_000;

    /** Most bytes of them. */
    private static final int INTERESTS_BYTES_MAX = 1 << 20;

    private static final long PAUSE_NANOS = 100_000_000L;
    private static final long LOOK_NANOS = 1_000_000_000L;

    /**
     * Time for which the filters of a member outlast it. Its clients go to other members meanwhile, and what is sent to the site reaches
     * them there, before the filters of those members have come.
     */
    private static final long FORGET_NANOS = 15_000_000_000L;

    /**
     * Time for which a filter is remembered that no member of a site has any more. Longer than a consumer's next member takes to tell its own: if the
     * filter is back by then, consumers of the site are told that measurements may be missing.
     */
    private static final long RETURN_NANOS = 10_000_000_000L;

    /** A process that is, or was, a member at another site. */
    private record Key(String site, String member, long incarnation) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            int order = site.compareTo(other.site);
            order = order != 0 ? order : member.compareTo(other.member);
            return order != 0 ? order : Long.compare(incarnation, other.incarnation);
        }

        boolean isFollowedBy(@Nullable Key next) {
            return next != null && next.site.equals(site) && next.member.equals(member);
        }
    }

    private final Sites sites;
    private final Threads threads;
    private final Registry registry;
    private final long queueBytes;
    private final long lingerNanos;
    private final Flow.Counters counters;
    private final Supplier<List<Filter>> own;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final TreeMap<String, Flow> flows = new TreeMap<>();
    /** Filters of members of other sites, also of those that have none, so that a newer process is known. */
    private final TreeMap<Key, List<Filter>> interests = new TreeMap<>();

    /** Processes in {@link #interests} that are gone, and since when. */
    private final TreeMap<Key, Long> missing = new TreeMap<>();

    /** Filters that no member has any more, by their site, and since when; {@link Filter#ALL} stands for many. */
    private final TreeMap<String, Map<Filter, Long>> unwanted = new TreeMap<>();

    private long lookedNanos;
    private boolean isTelling;
    private boolean hasToldNone;
    private boolean isClosed;
    private SitesView view = new SitesView(0, List.of());

    private volatile @Nullable SiteGroup group;

    /**
     * @param linger time for which measurements wait for others that go to the same site
     * @param counters of all ways of the grid
     * @param own returns the filters of the consumers at this member
     */
    SiteLink(Sites sites, Registry registry, long queueBytes, Duration linger, Flow.Counters counters, Supplier<List<Filter>> own) {
        this.sites = sites;
        this.threads = sites.node().threads();
        this.registry = registry;
        this.queueBytes = queueBytes;
        this.lingerNanos = linger.toNanos();
        this.counters = counters;
        this.own = own;
    }

    /** Returns the list of sites. */
    SitesView sites() {
        return sites.view();
    }

    void onJoined(SiteGroup joined) {
        group = joined;
        askInterests();
        watch();
    }

    /** Asks the members of other sites for their filters: those that were told before this one was in the group have not come. */
    private void askInterests() {
        if (isClosed()) {
            return;
        }
        ByteOutput out = new ByteOutput();
        Records.begin(out, Records.INTERESTS_WANTED);
        try {
            send(Records.end(out), Reach.EVERYWHERE);
        } catch (SendException e) {
            threads.startAfter(PAUSE_NANOS, "tutti-grid-interests", this::askInterests);
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return isClosed;
        } finally {
            lock.unlock();
        }
    }

    /** Looks for changes of the list of sites, as long as this member is there. */
    private void watch() {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            SitesView now = sites.view();
            long nanos = threads.nanoTime();
            boolean hasChanged = now.number() != view.number();
            if (hasChanged || !missing.isEmpty() && nanos - lookedNanos >= LOOK_NANOS) {
                view = now;
                lookedNanos = nanos;
                forgetMembersThatLeft(now, nanos);
            }
            if (hasChanged) {
                tell();
            }
            threads.startAfter(PAUSE_NANOS, "tutti-grid-sites", this::watch);
        } finally {
            lock.unlock();
        }
    }

    private void forgetMembersThatLeft(SitesView now, long nanos) {
        missing.keySet().retainAll(interests.keySet());
        for (Key key : List.copyOf(interests.keySet())) {
            boolean isListed = now.site(key.site).map(Site::members).orElse(List.of()).contains(key.member);
            if (isListed && !key.isFollowedBy(interests.higherKey(key))) {
                missing.remove(key);
            } else if (nanos - missing.computeIfAbsent(key, _ -> nanos) >= FORGET_NANOS) {
                missing.remove(key);
                replace(key.site, interests.remove(key), List.of());
            }
        }
    }

    /** Tells other sites the filters of this member, soon, and once for many changes. */
    void tell() {
        lock.lock();
        try {
            if (isTelling || isClosed) {
                return;
            }
            isTelling = true;
            threads.startAfter(PAUSE_NANOS, "tutti-grid-interests", this::tellNow);
        } finally {
            lock.unlock();
        }
    }

    private void tellNow() {
        List<Filter> filters;
        lock.lock();
        try {
            isTelling = false;
            List<Filter> all = own.get();
            filters = all.size() > INTERESTS_MAX ? List.of(Filter.ALL) : all;
            // Even none are told once: there may have been another process of this name.
            if (isClosed || filters.isEmpty() && hasToldNone) {
                return;
            }
        } finally {
            lock.unlock();
        }
        byte[] message = encode(filters);
        try {
            send(message.length > INTERESTS_BYTES_MAX ? encode(List.of(Filter.ALL)) : message, Reach.EVERYWHERE);
            onTold(filters.isEmpty());
        } catch (SendException e) {
            // The group of the site has no window for it, or is closed, and then this one is soon.
            tell();
        }
    }

    private void onTold(boolean none) {
        lock.lock();
        try {
            hasToldNone = none;
        } finally {
            lock.unlock();
        }
    }

    private static byte[] encode(List<Filter> filters) {
        ByteOutput out = new ByteOutput();
        Records.begin(out, Records.INTERESTS);
        out.putInt(filters.size());
        filters.forEach(filter -> GridCodec.FILTER.put(filter, out));
        return Records.end(out);
    }

    private void send(byte[] message, Reach reach) {
        SiteGroup joined = group;
        if (joined != null) {
            joined.send(message, reach);
        }
    }

    /** Takes the filters of a member of another site. */
    void onInterests(SiteMessage from, ByteInput in) {
        int count = in.takeCount(1);
        if (count > INTERESTS_MAX) {
            throw new MalformedException(count + " filters, at most " + INTERESTS_MAX);
        }
        List<Filter> filters = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            filters.add(GridCodec.FILTER.take(in));
        }
        if (from.site().equals(sites.site())) {
            return;
        }
        lock.lock();
        try {
            Key key = new Key(from.site(), from.sender(), from.incarnation());
            boolean isOld = key.isFollowedBy(interests.higherKey(key));
            if (!isOld && !isClosed && (interests.containsKey(key) || interests.size() < MEMBERS_MAX)) {
                replace(key.site, interests.put(key, filters), filters);
            }
        } finally {
            lock.unlock();
        }
    }

    private void replace(String site, @Nullable List<Filter> before, List<Filter> next) {
        long now = threads.nanoTime();
        Flow flow = flows.computeIfAbsent(site, this::flow);
        Map<Filter, Long> gone = unwanted.computeIfAbsent(site, _ -> new HashMap<>());
        gone.values().removeIf(since -> now - since > RETURN_NANOS);
        if (isBack(gone, next)) {
            flow.offer(new Gap("", 0, "measurements may not have been sent to this site while consumers changed their member"));
            next.forEach(gone::remove);
        }
        List<Filter> left = registry.replace(flow, before == null ? List.of() : before, next);
        if (gone.size() + left.size() > INTERESTS_MAX) {
            left = List.of(Filter.ALL);
            gone.clear();
        }
        left.forEach(filter -> gone.put(filter, now));
    }

    /** Returns whether measurements that these filters choose may not have been sent since others with them were there. */
    private static boolean isBack(Map<Filter, Long> gone, List<Filter> next) {
        return !gone.isEmpty() && (gone.containsKey(Filter.ALL) && !next.isEmpty() || next.contains(Filter.ALL) || next.stream().anyMatch(gone::containsKey));
    }

    private Flow flow(String site) {
        return new Flow(threads, "site " + site, new Flow.Way() {
            @Override
            public boolean trySend(byte[] message) {
                return false;
            }

            @Override
            public void send(byte[] message) {
                SiteLink.this.send(message, Reach.of(site));
            }
        }, queueBytes, lingerNanos, counters);
    }

    List<Flow> flows() {
        lock.lock();
        try {
            return new ArrayList<>(flows.values());
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            isClosed = true;
            flows.values().forEach(Flow::close);
        } finally {
            lock.unlock();
        }
        SiteGroup joined = group;
        if (joined != null) {
            joined.close();
        }
    }
}
