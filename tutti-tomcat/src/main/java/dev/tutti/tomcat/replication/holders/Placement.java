package dev.tutti.tomcat.replication.holders;

import dev.tutti.blocks.internal.placement.Rendezvous;
import dev.tutti.core.Member;
import dev.tutti.tomcat.replication.session.SessionVersion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of one view that hold each session, by rendezvous hashing (Thaler and Ravishankar, 1998). A pure function
 * of the members, their zones, the session's key and the number of copies.
 *
 * <p>Each member has a score for each key. The first member by score is the session's <em>home</em>, whatever its zone, so that
 * all members of a view agree on it without a message. The holders are the home, the primary, which is the member that uses
 * the session, and the next members by score, up to the number of copies: first those of zones that have none yet. If home and
 * primary are the only copies, and in one zone, a member of another zone holds a further one. When a member leaves or comes, only
 * the sessions change their holders that it held or holds now.
 *
 * <p>A member whose zone is not known counts as a zone of its own. Members that know different zones choose different holders;
 * the home's choice is the one that lasts.
 */
public final class Placement {

    private final Rendezvous<Member> members;
    private final int copies;
    private final Map<Member, String> zones;

    /** Creates a placement at members without zones. */
    public Placement(Collection<Member> members, int copies) {
        this(members, copies, Map.of());
    }

    /**
     * @param members of a view, in any order; not empty
     * @param copies number of members that hold each session, at least 2
     * @param zones zones of members, as far as they are known
     */
    public Placement(Collection<Member> members, int copies, Map<Member, String> zones) {
        if (members.isEmpty() || copies < 2) {
            throw new IllegalArgumentException(copies + " copies at " + members.size() + " members; at least 2 copies at a member");
        }
        this.members = new Rendezvous<>(members, SessionVersion::originOf);
        this.copies = copies;
        this.zones = Map.copyOf(zones);
    }

    /** Returns the placement without some of the members; null if no member is left. */
    public @Nullable Placement without(Collection<Member> leaving) {
        List<Member> staying = new ArrayList<>(members());
        staying.removeAll(leaving);
        return staying.isEmpty() ? null : new Placement(staying, copies, zones);
    }

    /** Returns the placement at the same members with other zones. */
    Placement with(Map<Member, String> others) {
        return new Placement(members(), copies, others);
    }

    public List<Member> members() {
        return members.members();
    }

    /** Returns the zones of members, as far as they are known. */
    Map<Member, String> zones() {
        return zones;
    }

    public boolean contains(Member member) {
        return members().contains(member);
    }

    /** Returns the member that knows who holds the session. */
    public Member home(String key) {
        return members.first(key);
    }

    /**
     * Returns the members that hold a session: the home first, then the primary, then the next ones by score, those of further
     * zones before others.
     *
     * @param primary the member that uses the session; null if that is not in the view
     */
    public List<Member> holders(String key, @Nullable Member primary) {
        List<Member> order = members.order(key);
        List<Member> holders = new ArrayList<>(copies);
        holders.add(order.getFirst());
        if (primary != null && !holders.contains(primary) && members().contains(primary)) {
            holders.add(primary);
        }
        add(holders, order, copies, true);
        add(holders, order, copies, false);
        if (isInOneZone(holders)) {
            add(holders, order, holders.size() + 1, true);
        }
        return holders;
    }

    /**
     * Adds members in their order until there are {@code count} holders, or no more members.
     *
     * @param isApart whether a member is only added if no holder is in its zone
     */
    private void add(List<Member> holders, List<Member> order, int count, boolean isApart) {
        for (Member member : order) {
            if (holders.size() >= count) {
                return;
            }
            if (!holders.contains(member) && !(isApart && isInZoneOf(member, holders))) {
                holders.add(member);
            }
        }
    }

    private boolean isInZoneOf(Member member, List<Member> holders) {
        String zone = zones.get(member);
        return zone != null && holders.stream().anyMatch(holder -> zone.equals(zones.get(holder)));
    }

    /** Returns whether these members are in one zone, so that its loss is the loss of all of them. */
    boolean isInOneZone(Collection<Member> some) {
        String zone = null;
        for (Member member : some) {
            String own = zones.get(member);
            if (own == null || zone != null && !zone.equals(own)) {
                return false;
            }
            zone = own;
        }
        return zone != null;
    }

    /** Returns whether there are members of more than one zone. */
    boolean hasZones() {
        return !zones.isEmpty() && !isInOneZone(members());
    }

    /**
     * Returns the member that becomes the session's home if all of these holders are lost; null if they are all members.
     */
    public @Nullable Member watcher(String key, Collection<Member> holders) {
        for (Member member : members.order(key)) {
            if (!holders.contains(member)) {
                return member;
            }
        }
        return null;
    }
}
