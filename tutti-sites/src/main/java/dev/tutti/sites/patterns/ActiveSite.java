package dev.tutti.sites.patterns;

import dev.tutti.GroupState;
import dev.tutti.SendException;
import dev.tutti.Snapshot;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.core.View;
import dev.tutti.internal.Logs;
import dev.tutti.sites.Reach;
import dev.tutti.sites.SiteGroup;
import dev.tutti.sites.SiteMessage;
import dev.tutti.sites.Sites;
import dev.tutti.sites.WhenFull;
import dev.tutti.sites.internal.lease.Candidacy;
import dev.tutti.sites.internal.lease.Holder;
import dev.tutti.sites.internal.lease.LeaseFrame;
import dev.tutti.sites.internal.lease.LeaseFrame.Request;
import dev.tutti.sites.internal.lease.Voter;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * One site of several that is active: it writes, or runs jobs, while the others wait. At no moment two sites are.
 *
 * <p>The active site has a lease, which a majority of all sites has voted for and which it prolongs as long as it reaches
 * them. A site that does not reach a majority stops being active before the others let another one take over: the next one in
 * the order of the sites, or, {@link ActiveSiteBuilder#byHand by hand}, the one that {@link #promote} names. Within a site
 * only the primary partition votes.
 *
 * <p>{@link #isActive} is for use right before an effect. An effect outside, such as a write to a database, may still be under
 * way when the lease ends: {@link #term} is a fencing token for it, which grows from one active site to the next. Terms are kept in
 * memory: if sites that are a majority with the new active one have all been restarted as a whole since, they may begin anew.
 *
 * <p>Clocks of nodes may differ in their rates by 5 %. All methods may be called from any thread. Listeners are called one at a
 * time, and may be called up to an eighth of the lease after the event.
 */
public final class ActiveSite implements AutoCloseable {

    private static final Logger LOG = Logs.of(ActiveSite.class);

    /** Ticks in a lease. */
    private static final int TICKS = 8;

    private static final int OUT_MAX = 256;
    private static final int PINGS_MAX = 4 * TICKS;
    private static final long RETAINED_BYTES = 1 << 20;

    private final ActiveSiteBuilder settings;
    private final Sites sites;
    private final String site;
    private final String name;
    private final Threads threads;
    private final long leaseNanos;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Voter voter;
    private final Holder holder;
    private final Candidacy candidacy;
    private final LinkedHashMap<Long, Long> pings = new LinkedHashMap<>();
    private final ArrayDeque<Outgoing> out = new ArrayDeque<>();

    /** Incarnations of members that have not said yet that they have stopped. */
    private final Set<Long> mayBeActive = new HashSet<>();

    private boolean isSending;
    private boolean isTelling;
    private boolean isToldActive;
    private boolean isReleasing;

    /** Time at which a member has left this site, which may be active until its lease is over; that of joining if none has. */
    private long leftNanos;

    /** Number of the last ping or request of this node, which has used those of an earlier membership already. */
    private long number;

    private @Nullable View view;
    private long unsent;
    private long ignored;
    private volatile @Nullable SiteGroup group;
    private volatile boolean isClosed;

    /** A message that is to be sent. */
    private record Outgoing(LeaseFrame frame, Reach reach) {}

    /** A call of a listener. */
    private record Call(String callback, Runnable code) {}

    ActiveSite(ActiveSiteBuilder settings) {
        this.settings = settings;
        this.sites = settings.on();
        this.site = sites.site();
        this.name = settings.name();
        this.threads = sites.node().threads();
        this.leaseNanos = settings.lease().toNanos();
        long now = threads.nanoTime();
        this.voter = new Voter(leaseNanos, now);
        this.holder = new Holder(site, settings.sites().size(), leaseNanos);
        this.candidacy = new Candidacy(site, settings.sites(), settings.isByHand(), leaseNanos, now);
        this.leftNanos = now;
        this.number = now;
        this.group = sites.group("tutti.active." + name)
                .total()
                .set("total.delivery", "safe")
                .set("partition", "primary")
                .set("founders", String.join(",", settings.founders()))
                .set("state.of", "primary")
                .expect(settings.sites().stream().filter(other -> !other.equals(site)).toArray(String[]::new))
                .retain(RETAINED_BYTES, WhenFull.DROP_OLDEST)
                .timeout(settings.lease())
                .state(new State())
                .onMessage(this::onMessage)
                .onView(this::onView)
                .join();
        tick();
    }

    /**
     * Begins to describe the active site.
     *
     * @param name of it: there may be several, for several applications
     */
    public static ActiveSiteBuilder of(Sites sites, String name) {
        return new ActiveSiteBuilder(sites, name);
    }

    // ------------------------------------------------------------------ what is known

    /** Returns whether this member's site is active now, as far as this member can be sure. */
    public boolean isActive() {
        lock.lock();
        try {
            return isActive(threads.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    private boolean isActive(long now) {
        return !isClosed && holder.isActive(now);
    }

    /** Returns the term in which this member's site is active, or was last; 0 if it never was. */
    public long term() {
        lock.lock();
        try {
            return holder.term();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the site that has had a majority within the last lease, as far as is known here: for people, not for decisions. */
    public Optional<String> activeSite() {
        lock.lock();
        try {
            String active = holder.activeSite(threads.nanoTime());
            return active.isEmpty() ? Optional.empty() : Optional.of(active);
        } finally {
            lock.unlock();
        }
    }

    /** Returns counts: messages that were not sent in time, and those of others that were ignored. */
    public Map<String, Long> status() {
        lock.lock();
        try {
            return new TreeMap<>(Map.of("unsent", unsent, "ignored", ignored, "active", isActive(threads.nanoTime()) ? 1L : 0L));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes another site active. The present one stops first, at all its members, and the other begins some round trips
     * later; if that is out of reach, when its lease is over. Returns at once; without effect if the site does not get a majority
     * within two leases, except that {@link ActiveSiteBuilder#byHand by hand} it goes on trying.
     *
     * @throws IllegalArgumentException if the site does not vote
     * @throws SendException if the command was not accepted
     */
    public void promote(String site) {
        if (!settings.sites().contains(site)) {
            throw new IllegalArgumentException("site " + site + " is none of " + settings.sites());
        }
        SiteGroup joined = group;
        if (joined == null) {
            throw new IllegalStateException("active site " + name + " is not joined");
        }
        joined.send(new LeaseFrame.Promote(site).encode());
    }

    /** Leaves. This member is not active any more. */
    @Override
    public void close() {
        isClosed = true;
        tell();
        SiteGroup joined = group;
        if (joined != null) {
            joined.close();
        }
    }

    // ------------------------------------------------------------------ inputs

    private void tick() {
        threads.startAfter(leaseNanos / TICKS, "tutti-active-" + name, () -> {
            if (!isClosed) {
                input(this::onTick);
                tick();
            }
        });
    }

    /** Takes an input under the lock, and then sends and tells what follows from it. */
    private void input(LongConsumer input) {
        lock.lock();
        try {
            input.accept(threads.nanoTime());
        } finally {
            lock.unlock();
        }
        send();
        tell();
    }

    private void onTick(long now) {
        View current = view;
        if (current == null || !current.isPrimary()) {
            return;
        }
        pings.put(++number, now);
        if (pings.size() > PINGS_MAX) {
            pings.pollFirstEntry();
        }
        add(new LeaseFrame.Ping(number), Reach.HERE);
        boolean isToServe = isToServe(now);
        if (!isLeader()) {
            return;
        }
        if (isToServe) {
            add(new LeaseFrame.Promote(site), Reach.EVERYWHERE);
        }
        if (holder.isActive(now) && candidacy.isToHandOver(now)) {
            add(new LeaseFrame.Promote(candidacy.wanted()), Reach.EVERYWHERE);
        } else if (candidacy.isToAsk(voter, holder, now)) {
            ask(now);
        }
    }

    /** Returns whether this site's shift has begun, and it has to become active for it. */
    private boolean isToServe(long now) {
        DailySchedule schedule = settings.schedule();
        if (schedule == null) {
            return false;
        }
        Instant wall = Instant.ofEpochMilli(threads.epochMillis());
        DailySchedule.Shift shift = schedule.at(wall);
        return shift.site().equals(site) && candidacy.isToServe(shift.begunBefore(wall).toEpochMilli(), holder, now);
    }

    private void onView(View next) {
        input(now -> {
            View before = view;
            if (before != null && !next.members().containsAll(before.members())) {
                leftNanos = now;
            }
            view = next;
        });
    }

    private void onMessage(SiteMessage message) {
        LeaseFrame frame;
        try {
            frame = LeaseFrame.decode(message.bytes());
        } catch (MalformedException e) {
            input(now -> ignored++);
            return;
        }
        input(now -> onFrame(frame, message, now));
    }

    private void onFrame(LeaseFrame frame, SiteMessage message, long now) {
        boolean isOwn = message.site().equals(site);
        switch (frame) {
            case LeaseFrame.Ping ping -> {
                Long sent = message.incarnation() == sites.node().id().incarnation() ? pings.remove(ping.number()) : null;
                if (isOwn && sent != null) {
                    holder.onPing(sent);
                }
            }
            case Request request -> {
                if (!request.site().equals(message.site()) || request.sites() != settings.sites().hashCode()) {
                    ignore(request, message);
                } else {
                    onRequest(request, isOwn, now);
                }
            }
            case LeaseFrame.Accept accept -> {
                if (isOwn && voter.onAccept(accept, now)) {
                    vote(accept.request());
                }
            }
            case LeaseFrame.Vote vote -> {
                if (settings.sites().contains(message.site())) {
                    holder.onVote(message.site(), vote.request(), now);
                }
            }
            case LeaseFrame.Promote promote -> onPromote(promote.site(), now);
            case LeaseFrame.Passive passive -> {
                if (isOwn) {
                    onPassive(passive.term(), message.incarnation(), now);
                }
            }
            case LeaseFrame.Release release -> onRelease(release, message.site(), now);
        }
    }

    private void ignore(Request request, SiteMessage message) {
        if (ignored++ == 0) {
            LOG.warn("active site {}: a request of {} is ignored, since its list of sites is another one; here it is {}", name, message,
                    settings.sites());
        }
    }

    private void onRequest(Request request, boolean isOwn, long now) {
        holder.onRequest(request);
        if (isOwn) {
            // The site goes on in a term that the members who have stopped do not know.
            isReleasing = false;
        } else {
            candidacy.onRequest(request, now);
        }
        if (voter.onRequest(request, now)) {
            vote(request);
        } else if (isLeader()) {
            long promise = voter.proposal(request, now);
            if (promise > 0) {
                add(new LeaseFrame.Accept(promise, request), Reach.HERE);
            }
        }
    }

    private void vote(Request request) {
        if (isLeader()) {
            add(new LeaseFrame.Vote(request), Reach.EVERYWHERE);
        }
    }

    // ------------------------------------------------------------------ hand-over

    private void onPromote(String other, long now) {
        if (!settings.sites().contains(other)) {
            ignored++;
            return;
        }
        candidacy.onPromote(other, now);
        voter.prefer(other, now);
        View current = view;
        if (!other.equals(site) && voter.isPromisedTo(site) && current != null) {
            long term = holder.yield();
            mayBeActive.clear();
            current.members().stream().map(member -> member.node().incarnation()).forEach(mayBeActive::add);
            isReleasing = true;
            add(new LeaseFrame.Passive(term), Reach.HERE);
        }
    }

    /** Takes that a member has stopped. When all have, and none has left within a lease that it may still have, the vote is free. */
    private void onPassive(long term, long incarnation, long now) {
        if (term < voter.term()) {
            // It was said before this term, in which that member may have become active again.
            return;
        }
        mayBeActive.remove(incarnation);
        if (isReleasing && mayBeActive.isEmpty() && isLeader() && now - leftNanos >= leaseNanos) {
            add(new LeaseFrame.Release(voter.term(), candidacy.wanted()), Reach.EVERYWHERE);
        }
    }

    private void onRelease(LeaseFrame.Release release, String by, long now) {
        voter.onRelease(by, release, now);
        isReleasing = isReleasing && !by.equals(site);
        candidacy.onRelease(now);
        if (release.next().equals(site) && isLeader()) {
            ask(now);
        }
    }

    // ------------------------------------------------------------------ requests

    private boolean isLeader() {
        View current = view;
        return current != null
                && current.isPrimary()
                && current.members().getFirst().node().equals(sites.node().id());
    }

    private void ask(long now) {
        long term = candidacy.nextTerm(voter, holder, now, threads.epochMillis());
        add(new Request(site, term, sites.node().id().incarnation(), ++number, settings.sites().hashCode()), Reach.EVERYWHERE);
    }

    // ------------------------------------------------------------------ outputs

    private void add(LeaseFrame frame, Reach reach) {
        if (out.size() == OUT_MAX) {
            unsent++;
        } else {
            out.add(new Outgoing(frame, reach));
        }
    }

    /** Sends what there is, on a thread of its own. What is not accepted in time is not sent: the next tick asks anew. */
    private void send() {
        SiteGroup joined = group;
        lock.lock();
        try {
            if (isSending || out.isEmpty() || joined == null) {
                return;
            }
            isSending = true;
        } finally {
            lock.unlock();
        }
        threads.start("tutti-active-" + name + "-out", () -> {
            for (Outgoing next = next(); next != null; next = next()) {
                try {
                    joined.send(next.frame.encode(), next.reach);
                } catch (SendException e) {
                    input(now -> unsent++);
                }
            }
        });
    }

    private @Nullable Outgoing next() {
        lock.lock();
        try {
            Outgoing next = out.poll();
            isSending = next != null;
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Tells the listeners, on a thread of its own. */
    private void tell() {
        lock.lock();
        try {
            if (isTelling || isActive(threads.nanoTime()) == isToldActive) {
                return;
            }
            isTelling = true;
        } finally {
            lock.unlock();
        }
        threads.start("tutti-active-" + name + "-listeners", () -> {
            for (Call call = nextCall(); call != null; call = nextCall()) {
                SiteGroup joined = group;
                if (joined == null) {
                    call.code.run();
                } else {
                    joined.local().fence().call(call.callback, call.code);
                }
            }
        });
    }

    private @Nullable Call nextCall() {
        lock.lock();
        try {
            boolean isActive = isActive(threads.nanoTime());
            if (isActive == isToldActive) {
                isTelling = false;
                return null;
            }
            isToldActive = isActive;
            long term = holder.term();
            return isActive
                    ? new Call("onActive", () -> settings.onActive().accept(term))
                    : new Call("onPassive", settings.onPassive());
        } finally {
            lock.unlock();
        }
    }

    /** Votes, and what the members of this site have to agree on. */
    private final class State implements GroupState {

        @Override
        public Snapshot snapshot() {
            ByteOutput image = new ByteOutput();
            lock.lock();
            try {
                voter.put(image);
                holder.put(image);
                candidacy.put(image);
            } finally {
                lock.unlock();
            }
            byte[] bytes = image.copy();
            return to -> to.write(bytes);
        }

        @Override
        public void install(InputStream in) throws IOException {
            ByteInput image = new ByteInput(in.readAllBytes());
            lock.lock();
            try {
                voter.take(image, threads.nanoTime());
                holder.take(image);
                candidacy.take(image);
                image.end();
            } catch (MalformedException e) {
                throw new IOException("the state of active site " + name + " can't be read: " + e.getMessage(), e);
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public String toString() {
        return "active site " + name + " at " + site + ": " + (isActive() ? "active in term " + term() : "waits");
    }
}
