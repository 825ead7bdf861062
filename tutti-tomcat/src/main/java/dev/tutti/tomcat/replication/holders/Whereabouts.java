package dev.tutti.tomcat.replication.holders;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.tomcat.replication.base.LocalMember;
import dev.tutti.tomcat.replication.base.Peers;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import dev.tutti.tomcat.replication.session.SessionVersion;
import dev.tutti.tomcat.replication.session.Spread;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Where sessions are and belong, as of this member's view. Replaced on the group's thread, read from any. */
final class Whereabouts {

    /**
     * A view.
     *
     * @param before members that came with this one from an earlier view, placed as in that view; null at the first one
     */
    private record Now(long view, Placement placement, Peers peers, @Nullable Placement before) {}

    private final SessionStore store;
    private final LocalMember self;
    private final int copies;

    /** Zones that members of the view have told, this one included. On the group's thread. */
    private final Map<Member, String> zones = new HashMap<>();

    private volatile @Nullable Now now;
    private volatile CompletableFuture<Void> next = new CompletableFuture<>();

    Whereabouts(SessionStore store, LocalMember self, int copies) {
        this.store = store;
        this.self = self;
        this.copies = copies;
    }

    /**
     * Notes a view. A member that came another way may lack what was written meanwhile, so that it does not count as a
     * holder any more. A copy whose session has another home now may lack what was written through that, so that the home
     * has to be told of it again, and so may one whose session had another home for a while.
     *
     * @param zone of this member; empty if it has none
     * @param onNewHome receives sessions whose home this member has become, and the other holders that it knows from hearsay
     */
    void onMembers(View view, Peers present, Member member, String zone, BiConsumer<SessionRecord, Set<Member>> onNewHome) {
        Set<Member> together = view.transitionalSet(member);
        zones.keySet().retainAll(view.members());
        noteZone(member, zone);
        Placement placement = new Placement(view.members(), copies, zones);
        Placement before = placement();
        for (SessionRecord record : store.after(null).values()) {
            String key = keyOf(record);
            Member home = placement.home(key);
            boolean isNewHome = self.is(home) && (before == null || !self.is(before.home(key)));
            synchronized (record) {
                Spread spread = record.spread();
                Member known = spread.home();
                boolean isKnown = home.equals(known) && together.contains(home);
                if (!together.containsAll(spread.others()) || known != null && !isKnown) {
                    Set<Member> others = new HashSet<>(spread.others());
                    others.retainAll(together);
                    record.spread(new Spread(others, isKnown ? home : null));
                }
                if (isNewHome) {
                    onNewHome.accept(record, record.spread().others());
                }
            }
        }
        now = new Now(view.id().number(), placement, present, before);
        CompletableFuture<Void> begun = next;
        next = new CompletableFuture<>();
        begun.complete(null);
    }

    /** Notes the zone of a member of the view. Returns whether it is news. */
    boolean onZone(Member member, String zone) {
        Now present = now;
        if (present == null || !present.placement.contains(member) || !noteZone(member, zone)) {
            return false;
        }
        now = new Now(present.view, present.placement.with(zones), present.peers, present.before);
        return true;
    }

    private boolean noteZone(Member member, String zone) {
        return zone.isEmpty() ? zones.remove(member) != null : !zone.equals(zones.put(member, zone));
    }

    /** Returns the number of members by zone, in the order of zones; those that have told none are left out. */
    Map<String, Integer> membersByZone() {
        Map<String, Integer> counts = new TreeMap<>();
        Placement placement = placement();
        if (placement != null) {
            placement.zones().values().forEach(zone -> counts.merge(zone, 1, Integer::sum));
        }
        return counts;
    }

    /** Returns whether all copies of a session are in one zone although there are more; false at other members than its home. */
    boolean isInOneZone(SessionRecord record) {
        Placement placement = placement();
        return placement != null && placement.hasZones() && isHome(keyOf(record))
                && placement.isInOneZone(withSelf(record.spread().others()));
    }

    /** Returns a future that completes when the next view begins. */
    CompletableFuture<Void> next() {
        return next;
    }

    void close() {
        now = null;
    }

    /** Returns whether no other member is there. */
    boolean isAlone() {
        Now present = now;
        return present == null || present.peers.others().isEmpty();
    }

    long view() {
        Now present = now;
        return present == null ? 0 : present.view;
    }

    /** Returns the placement of the present view; null before the first one. */
    @Nullable Placement placement() {
        Now present = now;
        return present == null ? null : present.placement;
    }

    /** Returns the placement of the view before; null if there was none. */
    @Nullable Placement before() {
        Now present = now;
        return present == null ? null : present.before;
    }

    Set<Member> others() {
        Now present = now;
        return present == null ? Set.of() : present.peers.others();
    }

    String keyOf(SessionRecord record) {
        return store.keyOf(record.id());
    }

    /** Returns the home of a session; null before the first view. */
    @Nullable Member home(String key) {
        Now present = now;
        return present == null ? null : present.placement.home(key);
    }

    boolean isHome(String key) {
        Member home = home(key);
        return home == null || self.is(home);
    }

    /** Returns whether the copy here is as new as any: its home tells all that write to the session of it. */
    boolean isCurrent(SessionRecord record) {
        Member home = home(keyOf(record));
        return home == null || self.is(home) || home.equals(record.spread().home());
    }

    /** Returns the member that has used the session last; null if it is not in the view. */
    @Nullable Member primary(SessionRecord record) {
        Now present = now;
        return present == null ? self.member() : present.peers.origins().get(record.touched().origin());
    }

    /** Returns the other members that are to hold a session which {@code primary} uses. */
    Set<Member> wanted(String key, @Nullable Member primary) {
        Now present = now;
        if (present == null) {
            return Set.of();
        }
        Set<Member> wanted = new LinkedHashSet<>(present.placement.holders(key, primary));
        wanted.removeIf(self::is);
        return wanted;
    }

    /**
     * Returns whether this member needs its copy of a session, of which another one says that it is one too many. The home decides, as the two
     * may know different zones, but it may not know of the last use, which makes this member the primary; and a member that was the home
     * under a former id does not decide.
     */
    boolean isNeededHere(SessionRecord record, Member sender) {
        Member primary = primary(record);
        return !sender.equals(home(keyOf(record))) || primary != null && self.is(primary);
    }

    /** Returns whether this member is to hold a session. */
    boolean isWantedHere(SessionRecord record) {
        Now present = now;
        return present == null || present.placement.holders(keyOf(record), primary(record)).stream().anyMatch(self::is);
    }

    /** Returns the member that watches a session with these holders; null if there is no other member. */
    @Nullable Member watcher(String key, Collection<Member> holders) {
        Now present = now;
        return present == null ? null : present.placement.watcher(key, holders);
    }

    /** Returns whether this member watches a session with these holders. */
    boolean isWatcher(String key, Collection<Member> holders) {
        Member watcher = watcher(key, holders);
        return watcher != null && self.is(watcher);
    }

    /** Returns those members that are in the view, and this one. */
    Set<Member> withSelf(Collection<Member> members) {
        Set<Member> all = new HashSet<>(members);
        all.retainAll(others());
        Member own = self.member();
        if (own != null) {
            all.add(own);
        }
        return all;
    }

    /** Returns the members of the view with these origins, without this one. */
    Set<Member> members(Collection<Long> origins) {
        Now present = now;
        Set<Member> members = new HashSet<>();
        for (long origin : origins) {
            Member member = present == null ? null : present.peers.origins().get(origin);
            if (member != null && !self.is(member)) {
                members.add(member);
            }
        }
        return members;
    }

    /** Returns those origins that are of no member of the view. */
    Set<Long> gone(Collection<Long> origins) {
        Now present = now;
        Set<Long> gone = new HashSet<>(origins);
        gone.removeAll(present == null ? origins : present.peers.origins().keySet());
        return gone;
    }

    static List<Long> origins(Collection<Member> members) {
        List<Long> origins = new ArrayList<>(members.size());
        for (Member member : members) {
            origins.add(SessionVersion.originOf(member));
        }
        return origins;
    }
}
