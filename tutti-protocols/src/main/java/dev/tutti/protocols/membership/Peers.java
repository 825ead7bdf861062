package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Members with a session, by age. Their adverts determine which member to follow, and which members could be in a view
 * together.
 *
 * <p>A view outweighs older adverts of its members: they have promised it, are in it, and have the age that it gives
 * them. An advert from after the promise is newer about the member that its sender follows.
 */
final class Peers {

    /** Longest cycle of followers that is detected. */
    private static final int RING_MAX = 8;

    private static final Comparator<Peer> OLDEST =
            Comparator.comparingLong((Peer peer) -> peer.joined).thenComparing(peer -> peer.member);

    private final Member self;
    private final int version;
    private final LinkedHashMap<Member, Peer> open = new LinkedHashMap<>();

    /** Members of {@link #open} that have sent an advert, by age. */
    private final TreeSet<Peer> byAge = new TreeSet<>(OLDEST);

    private final ViewLists lists;
    private final Hearing hearing;

    private View view;

    /** Members of the view, each with the view since which it has been with others. That determines which is older. */
    private Map<Member, Long> inView;
    private long joined = Advert.NOT_YET;

    /** Number of members that follow this one and are not in its view. */
    private int followersOutside;

    /** Number of members in a view of two or more that is not this member's: nearly always 0. */
    private int inOtherViews;

    private long promises;

    // Addresses of members that have kept this one waiting: nearly always none.
    private TreeSet<String> leftOut = new TreeSet<>();
    private TreeSet<String> passedOver = new TreeSet<>();
    private TreeSet<String> unawaited = new TreeSet<>();

    /** @param version highest version that this member speaks */
    Peers(Member self, int version, View first) {
        this.self = self;
        this.version = version;
        this.lists = new ViewLists(self);
        this.hearing = new Hearing(self);
        this.view = first;
        this.inView = Map.of(self, Advert.NOT_YET);
    }

    // ------------------------------------------------------------------ sessions and views

    /** @param spoken highest version that the member speaks */
    void open(Member member, int spoken) {
        open.put(member, new Peer(member, spoken, promises));
    }

    /** Removes a member, and returns its state; null if there was no session. */
    @Nullable Peer close(Member member) {
        Peer peer = open.remove(member);
        if (peer != null) {
            unrank(peer);
        }
        return peer;
    }

    @Nullable Peer get(Member member) {
        return open.get(member);
    }

    boolean contains(Member member) {
        return open.containsKey(member);
    }

    Collection<Peer> all() {
        return open.values();
    }

    /** Returns the bytes of control messages that are coming in pieces. */
    long assemblyBytes() {
        long bytes = 0;
        for (Peer peer : open.values()) {
            bytes += peer.assembly == null ? 0 : peer.assembly.length();
        }
        return bytes;
    }

    Set<Member> members() {
        return open.keySet();
    }

    /**
     * Returns whether all others in a view have announced themselves that they have installed it. One that announces a later
     * view may never have been in this one, and may lack what its part has delivered.
     */
    boolean haveInstalled(View installed) {
        for (Member member : installed.members()) {
            Peer peer = open.get(member);
            if (!member.equals(self) && (peer == null || !peer.confirmed.equals(installed.id()))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the highest version that all members of a view speak. A member without a session counts as one of the first
     * version, because nothing else is known of it.
     */
    int version(View of) {
        int lowest = version;
        for (Member member : of.members()) {
            Peer peer = open.get(member);
            if (!member.equals(self)) {
                lowest = Math.min(lowest, peer == null ? MembershipMessage.FIRST_VERSION : peer.version);
            }
        }
        return lowest;
    }

    /** Returns the highest version that this member speaks. */
    int version() {
        return version;
    }

    /** Notes that this member promises a ballot: {@link #isUnbroken} refers to this moment from now on. */
    void onPromise() {
        promises++;
    }

    /** Returns whether the session with the member has been open ever since the last promise. */
    boolean isUnbroken(Member member) {
        Peer peer = open.get(member);
        return peer != null && peer.promisesBefore < promises;
    }

    boolean isInView(Member member) {
        return inView.containsKey(member);
    }

    int followersOutside() {
        return followersOutside;
    }

    /** Returns, by rank in a decided view, the view since which each of its members has been with others. */
    long[] since(View decided) {
        long[] since = new long[decided.size()];
        for (int rank = 0; rank < since.length; rank++) {
            Member member = decided.members().get(rank);
            Peer peer = open.get(member);
            long known = member.equals(self)
                    ? joined
                    : peer == null ? inView.getOrDefault(member, Advert.NOT_YET) : peer.joined;
            since[rank] = Math.min(known, decided.id().number());
        }
        return since;
    }

    /**
     * Notes that this member has installed a view.
     *
     * @param since by rank, see {@link #since}: all members must agree on the oldest, even those that never exchanged
     *     an advert
     */
    void install(View installed, long[] since) {
        List<Peer> spoken = leave(view);
        view = installed;
        inView = new HashMap<>();
        long number = installed.id().number();
        for (int rank = 0; rank < since.length; rank++) {
            inView.put(installed.members().get(rank), Math.min(since[rank], number));
        }
        if (view.size() > 1 || view.isPrimary()) {
            // All must agree on its age. If it took itself for older or younger, two could follow each other for ever.
            joined = inView.getOrDefault(self, joined);
        }
        for (Peer peer : spoken) {
            outweigh(peer);
            rank(peer);
        }
    }

    /** Returns the view since which this member has been with others. */
    long joined() {
        return joined;
    }

    /**
     * Notes, in a group with a primary partition, that this member and {@code others} are outside of it. They count as
     * newcomers, so that a member of the partition leads.
     *
     * @param ballot ballot that all of them have answered
     */
    void stepOut(List<Member> others, ViewId ballot) {
        List<Peer> spoken = leave(view);
        view = View.alone(self);
        inView = Map.of(self, Advert.OUTSIDE);
        joined = Advert.OUTSIDE;
        TreeSet<Member> outside = new TreeSet<>(others);
        for (Peer peer : spoken) {
            if (outside.contains(peer.member)) {
                peer.joined = Advert.OUTSIDE;
                peer.view = View.alone(peer.member).id();
                peer.saidPromised = ballot.isAfter(peer.saidPromised) ? ballot : peer.saidPromised;
            }
            rank(peer);
        }
        for (Peer peer : open.values()) {
            // A view may have outweighed earlier adverts: a peer that follows this member needs a new one.
            peer.told = null;
        }
    }

    /** Takes all peers out of the order of age until the next view is set up, and returns those that were in it. */
    private List<Peer> leave(View past) {
        list(past.id(), past.members());
        List<Peer> spoken = List.copyOf(byAge);
        byAge.clear();
        spoken.forEach(peer -> {
            peer.isRanked = false;
            peer.isCounted = false;
        });
        followersOutside = 0;
        inOtherViews = 0;
        return spoken;
    }

    /** Takes an advert of a member; its details follow. */
    void said(Peer peer, Advert advert) {
        uncount(peer);
        long age = advert.view().equals(view.id()) ? inView.getOrDefault(peer.member, advert.joined()) : advert.joined();
        if (peer.joined != joined(peer.member, age, advert.view().number(), advert.promised())) {
            unrank(peer);
        }
        if (!advert.follows().equals(self)) {
            peer.forgetHearing();
        }
        peer.hasSpoken = true;
        // One object per id: there are thousands of peers, and most announce a known one.
        peer.view = peer.view.equals(advert.view()) ? peer.view : advert.view();
        peer.promised = peer.view.equals(advert.promised()) ? peer.view : advert.promised();
        peer.follows = advert.follows();
        peer.joined = age;
        peer.confirmed = peer.view;
        peer.saidPromised = peer.promised;
        outweigh(peer);
        rank(peer);
    }

    /** Takes the members that a peer hears. Returns false if it claims to hear too many. */
    boolean hears(Peer peer, List<Member> heard) {
        peer.heard = new BitSet(heard.size());
        return hearsMore(peer, heard);
    }

    boolean hearsMore(Peer peer, List<Member> opened) {
        return hearing.add(peer, opened, open.values(), view.size());
    }

    boolean hearsLess(Peer peer, List<Member> closed) {
        return hearing.remove(peer, closed);
    }

    /** Takes the list of the members of a view. */
    void list(ViewId id, List<Member> members) {
        lists.put(id, members);
        for (Member member : members) {
            Peer peer = open.get(member);
            if (peer != null && peer.hasSpoken && peer.view.number() < id.number() && !peer.isOutsideSince(id)) {
                unrank(peer);
                peer.raise(id);
                rank(peer);
            }
        }
    }

    private void outweigh(Peer peer) {
        Long since = inView.get(peer.member);
        if (view.size() > 1 && since != null && !peer.isOutsideSince(view.id())) {
            if (view.id().isAfter(peer.saidPromised) && !peer.follows.equals(self)) {
                // All members that the proposer took followed it, and told only it. One that has promised the view and
                // announces another leader has turned away since, installed or not.
                peer.follows = view.id().proposer();
            }
            if (peer.view.number() < view.id().number()) {
                peer.raise(view.id());
            }
            peer.joined = joined(peer.member, peer.joined, peer.confirmed.number(), peer.saidPromised);
            peer.promised = view.id().isAfter(peer.promised) ? view.id() : peer.promised;
        }
    }

    /**
     * Returns the age of a member, given the believed one. The view outweighs an announcement in an older view.
     *
     * @param confirmed number of the view that it was in then
     * @param saidPromised ballot that it had promised then
     */
    private long joined(Member member, long believed, long confirmed, ViewId saidPromised) {
        Long since = view.size() > 1 ? inView.get(member) : null;
        if (since == null
                || confirmed >= view.id().number()
                || Advert.isOutsideSince(believed, saidPromised, view.id())) {
            return believed;
        }
        // Also if that makes it younger than believed: all must agree on it.
        return since;
    }

    /** Takes a peer out of the order and the counts, before a change of anything that they depend on. */
    private void unrank(Peer peer) {
        uncount(peer);
        if (peer.isRanked) {
            peer.isRanked = false;
            byAge.remove(peer);
        }
    }

    private void uncount(Peer peer) {
        if (peer.isCounted) {
            peer.isCounted = false;
            followersOutside -= isFollowerOutside(peer) ? 1 : 0;
            inOtherViews -= isInOtherView(peer) ? 1 : 0;
        }
    }

    private void rank(Peer peer) {
        if (!peer.isRanked) {
            peer.isRanked = true;
            byAge.add(peer);
        }
        peer.isCounted = true;
        followersOutside += isFollowerOutside(peer) ? 1 : 0;
        inOtherViews += isInOtherView(peer) ? 1 : 0;
    }

    // ------------------------------------------------------------------ whom not to wait for

    /**
     * Sets the members that this one does not wait for now, by address.
     *
     * @param candidates members that are asked in no ballot
     * @param coordinators members that are not followed
     * @param others members for which no ballot is held back
     */
    void distrust(TreeSet<String> candidates, TreeSet<String> coordinators, TreeSet<String> others) {
        leftOut = candidates;
        passedOver = coordinators;
        unawaited = others;
    }

    private static boolean isIn(TreeSet<String> addresses, Member member) {
        return !addresses.isEmpty() && addresses.contains(member.node().address());
    }

    // ------------------------------------------------------------------ whom to follow

    /** Returns the coordinator to follow: the oldest member heard, unless its view can't include this one [D12]. */
    Member follows() {
        for (Peer peer : byAge) {
            if (!isOlder(peer)) {
                break;
            }
            if (canFollow(peer) && !isLeftToSelf(peer) && !isPassedOver(peer)) {
                return peer.member;
            }
        }
        return self;
    }

    /**
     * Returns whether a peer is passed over: it is itself, or it follows one that is. Peers that follow the same leader
     * as a passed-over one are passed over together, or this member would wait for one after the other.
     */
    private boolean isPassedOver(Peer peer) {
        if (passedOver.isEmpty()) {
            return false;
        }
        return isIn(passedOver, peer.member)
                || isIn(passedOver, peer.follows)
                || !peer.follows.equals(peer.member) && isFollowedByPassedOver(peer.follows);
    }

    private boolean isFollowedByPassedOver(Member leader) {
        return byAge.stream().anyMatch(peer -> peer.follows.equals(leader)
                && !peer.member.equals(leader)
                && isIn(passedOver, peer.member));
    }

    /** Returns whether an older member is heard. If it can't be followed, more sessions with its view may open. */
    boolean hearsSomebodyOlder() {
        return !byAge.isEmpty() && isOlder(byAge.first());
    }

    /** Returns an older member of a view whose members are not known; null if there is none. */
    @Nullable Peer unlisted(Set<ViewId> asked) {
        if (inOtherViews == 0) {
            return null;
        }
        for (Peer peer : byAge) {
            if (!isOlder(peer)) {
                break;
            }
            if (!isListed(peer) && !asked.contains(peer.view)) {
                return peer;
            }
        }
        return null;
    }

    /**
     * Returns whether following the peer would close a cycle of which this member is the lowest. Its members would wait
     * for each other, so the lowest leads. In a cycle of three each knows all links, in a longer one those told.
     */
    private boolean isLeftToSelf(Peer peer) {
        Peer next = peer;
        for (int step = 0; step < RING_MAX && next != null && self.compareTo(next.member) < 0; step++) {
            if (next.follows.equals(self)) {
                return true;
            }
            if (next.follows.equals(next.member)) {
                return false;
            }
            next = open.get(next.follows);
        }
        return false;
    }

    private boolean isOlder(Peer peer) {
        return peer.joined < joined || peer.joined == joined && peer.member.compareTo(self) < 0;
    }

    private boolean isListed(Peer peer) {
        return !isInOtherView(peer) || lists.contains(peer.view);
    }

    private boolean isInOtherView(Peer peer) {
        return !isAlone(peer) && !peer.view.equals(view.id());
    }

    private static boolean isAlone(Peer peer) {
        return peer.view.number() == 1 && peer.view.attempt() == 1 && peer.view.proposer().equals(peer.member);
    }

    private boolean canFollow(Peer peer) {
        return peer.view.equals(view.id()) || isAlone(peer) || lists.canInclude(peer.view, open.keySet());
    }

    // ------------------------------------------------------------------ who follows this member

    private boolean isFollowerOutside(Peer peer) {
        return peer.follows.equals(self) && !inView.containsKey(peer.member);
    }

    /**
     * Returns C of [R3]: the members that follow this one and have sessions with it and with all before them, by rank.
     * This member is one of them, even if an older one follows it.
     */
    List<Member> candidates() {
        return hearing.candidates(followers(), open);
    }

    /**
     * Returns whether a member of the view that follows this one, and is heard, is no candidate: it has lost another
     * one, or another one has lost it.
     */
    boolean leavesOutFollowers(List<Member> candidates) {
        int staying = 0;
        for (Member candidate : candidates) {
            staying += inView.containsKey(candidate) && !candidate.equals(self) ? 1 : 0;
        }
        int following = 0;
        for (Peer peer : byAge) {
            boolean isFollower = peer.follows.equals(self) && inView.containsKey(peer.member);
            following += isFollower && !isIn(leftOut, peer.member) ? 1 : 0;
        }
        return staying < following;
    }

    /** Returns this member and those that follow it, by rank. */
    private List<Member> followers() {
        List<Member> mine = new ArrayList<>();
        boolean isSelfIn = false;
        for (Peer peer : byAge) {
            if (!isSelfIn && !isOlder(peer)) {
                mine.add(self);
                isSelfIn = true;
            }
            if (peer.follows.equals(self) && !isIn(leftOut, peer.member)) {
                mine.add(peer.member);
            }
        }
        if (!isSelfIn) {
            mine.add(self);
        }
        return mine;
    }

    /** Notes that a peer has promised a ballot of this member. */
    void answered(Peer peer, ViewId ballot) {
        peer.promised = ballot.isAfter(peer.promised) ? ballot : peer.promised;
    }

    /** Returns whether a member follows this one that could not be in a view with it yet. */
    boolean hasIncompleteFollowers() {
        return candidates().size() < followers().size();
    }

    /** Returns whether a member outside of the view follows this one and brings others of its own view along. */
    boolean hasPartOutside() {
        for (Peer peer : byAge) {
            if (isFollowerOutside(peer) && !isAlone(peer)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether all peers have sent an advert, and none follows a member that this one does not hear. */
    boolean isSettled() {
        for (Peer peer : open.values()) {
            if (isUnsettled(peer)) {
                return false;
            }
        }
        return true;
    }

    private boolean isUnsettled(Peer peer) {
        return (!peer.hasSpoken || isOrphan(peer)) && !isIn(unawaited, peer.member);
    }

    /** Returns the peers that keep {@link #isSettled} false. */
    List<Member> unsettled() {
        return open.values().stream().filter(this::isUnsettled).map(peer -> peer.member).toList();
    }

    /** Returns the peers that are known to follow a member that this one does not hear. */
    List<Member> orphans() {
        return open.values().stream().filter(peer -> peer.hasSpoken && isOrphan(peer)).map(peer -> peer.member).toList();
    }

    private boolean isOrphan(Peer peer) {
        Member followed = peer.follows;
        boolean isHeard = open.containsKey(followed) && !isIn(passedOver, followed);
        return !followed.equals(self) && !followed.equals(peer.member) && !isHeard;
    }
}
