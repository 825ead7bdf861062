package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.Outbox;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Selects the members that get an advert of this one.
 *
 * <p>Each member gets one when a session opens. Later the member that this one follows gets every change, including
 * sessions that open and close. When that changes, the one followed before is told; if it is gone, all other
 * coordinators are, or all members outside of the view if this one coordinates now. A member that follows this one,
 * although this one follows another, is told so. Members outside of the view are told of a new view if this member is
 * the coordinator. Nobody else needs an advert: views tell their members about each other.
 */
final class Advertiser {

    /** Number of views whose members are asked for at a time. */
    private static final int ASKED_MAX = 16;

    private final Member self;
    private final Peers peers;

    /** Peers that need a fresh advert: new sessions, and peers with outdated knowledge. */
    private final TreeSet<Member> unadvised = new TreeSet<>();

    /** Peers that have asked for the members of this one's view. */
    private final TreeSet<Member> askers = new TreeSet<>();

    private final TreeMap<ViewId, Member> asked = new TreeMap<>();
    private @Nullable Advert last;

    // Knowledge of the member that is followed.
    private @Nullable Member reportedTo;
    private @Nullable Advert reported;
    private TreeSet<Member> reportedLost = new TreeSet<>();
    private final TreeSet<Member> opened = new TreeSet<>();
    private final TreeSet<Member> closed = new TreeSet<>();

    private long advertsSent;

    Advertiser(Member self, Peers peers) {
        this.self = self;
        this.peers = peers;
    }

    void onOpened(Member member) {
        unadvised.add(member);
        if (reportedTo != null && !closed.remove(member)) {
            opened.add(member);
        }
    }

    void onClosed(Member member) {
        unadvised.remove(member);
        askers.remove(member);
        asked.values().removeIf(member::equals);
        if (member.equals(reportedTo)) {
            reportTo(null);
        } else if (reportedTo != null && !opened.remove(member)) {
            closed.add(member);
        }
    }

    /**
     * Takes an advert of a peer. If it follows this member, it must learn whether this member coordinates.
     *
     * @param hasTurned it followed another member before
     */
    void onAdvert(Peer peer, boolean hasTurned) {
        if (peer.follows(self)) {
            Advert told = peer.told;
            if (told == null || last != null && last.saysMoreThan(told) && !last.follows().equals(self)) {
                unadvised.add(peer.member);
            }
        } else if (hasTurned && isCoordinator(peer)) {
            // It may believe that this member follows one that is gone, and hold its ballots back for that.
            unadvised.add(peer.member);
        }
    }

    private static boolean isCoordinator(Peer peer) {
        return peer.follows(peer.member);
    }

    private boolean isGone(Member followed) {
        return !followed.equals(self) && !peers.contains(followed);
    }

    /**
     * Takes {@link MembershipMessage#WHO}. It is answered at the end of the turn with the other adverts: in the middle of a turn
     * this member may seem to follow one that it follows neither before nor after, which would never be corrected.
     */
    void onAsked(Member asker) {
        askers.add(asker);
    }

    void onListed(Member member) {
        asked.values().removeIf(member::equals);
    }

    /** Notes an answer to the member that is followed, which contains as much as an advert. */
    void onAnswering(ViewId ballot, View view) {
        Advert known = reported;
        if (known != null && ballot.proposer().equals(reportedTo)) {
            reported = new Advert(view.id(), ballot, known.follows(), known.joined());
        }
    }

    /** Notes an installed view. The member that has decided on it knows the state that it gives its members. */
    void onInstalled(View view, long joined) {
        Advert known = reported;
        if (known != null && view.id().proposer().equals(reportedTo)) {
            ViewId promised = view.id().isAfter(known.promised()) ? view.id() : known.promised();
            reported = new Advert(view.id(), promised, known.follows(), joined);
        }
    }

    /** Makes the next advert tell the followed member about the installed view, even if it could know. */
    void confirm() {
        reported = null;
    }

    // ------------------------------------------------------------------ telling

    /** Sends the adverts that are due. Called at the end of a turn, and before an answer. */
    void advertise(Advert current, List<Member> members, TreeSet<Member> lost, Outbox out) {
        Advert before = last;
        // One object for all receivers of the same advert.
        Advert now = before != null && before.equals(current) ? before : current;
        last = now;
        Member follows = now.follows();
        boolean isOwn = follows.equals(self);
        boolean isMore = before == null || now.saysMoreThan(before);
        if (isMore) {
            boolean isInstalled = before == null || !now.view().equals(before.view()) || now.joined() != before.joined();
            // While this member followed another one, it sent members outside of its view no adverts.
            boolean hasTurned = before != null && !before.follows().equals(follows);
            addThoseConcerned(isOwn, isOwn && (isInstalled || hasTurned));
            if (before != null && before.joined() == Advert.OUTSIDE && now.joined() != Advert.OUTSIDE) {
                addThoseMisled(now.view());
            }
            if (before != null && !before.follows().equals(follows)) {
                if (peers.contains(before.follows())) {
                    unadvised.add(before.follows());
                } else if (isGone(before.follows())) {
                    addCoordinators(isOwn);
                }
            }
        }
        if (isOwn) {
            reportTo(null);
        } else {
            report(now, lost, out);
        }
        tell(now, members, isOwn, out);
        ask(out);
    }

    /**
     * Sends the adverts. Those from a coordinator to members outside of its view list the view's members as well, unless it is
     * the view that every member begins with. A later view of one member is listed: who learns only its id has to ask before
     * it follows, and would be missing from the ballot that is to take it in (spec/README.md, findings).
     */
    private void tell(Advert now, List<Member> members, boolean isOwn, Outbox out) {
        if (isOwn && !now.view().equals(View.alone(self).id())) {
            TreeSet<Member> outsiders = new TreeSet<>(unadvised);
            outsiders.removeIf(peers::isInView);
            unadvised.removeAll(outsiders);
            if (!outsiders.isEmpty()) {
                send(now, new Advert.Listed(members), outsiders, out);
            }
        }
        if (!unadvised.isEmpty()) {
            send(now, new Advert.Nothing(), unadvised, out);
            unadvised.clear();
        }
        if (!askers.isEmpty()) {
            send(now, new Advert.Listed(members), askers, out);
            askers.clear();
        }
    }

    private void addThoseConcerned(boolean isOwn, boolean isForOutsiders) {
        for (Peer peer : peers.all()) {
            if (isForOutsiders && !peers.isInView(peer.member) || !isOwn && peer.follows(self)) {
                unadvised.add(peer.member);
            }
        }
    }

    /**
     * Adds the peers that were told that this member is outside of the primary partition after it had promised the
     * installed view: they take that for newer than the view.
     */
    private void addThoseMisled(ViewId installed) {
        for (Peer peer : peers.all()) {
            Advert told = peer.told;
            if (told != null && told.isOutsideSince(installed)) {
                unadvised.add(peer.member);
            }
        }
    }

    /**
     * Adds the possible successors of a coordinator that is gone, which must know that this member does not wait for
     * it. Members of the view may not have it yet, and would stop following one that mentions it; they ask if needed.
     */
    private void addCoordinators(boolean isOwn) {
        for (Peer peer : peers.all()) {
            if (isCoordinator(peer) || isOwn && !peers.isInView(peer.member)) {
                unadvised.add(peer.member);
            }
        }
    }

    /** Tells the followed member the changes that it does not know. */
    private void report(Advert now, TreeSet<Member> lost, Outbox out) {
        Member follows = now.follows();
        boolean isNew = !follows.equals(reportedTo) || isUntold(follows);
        boolean isNews = !now.equals(reported) || !opened.isEmpty() || !closed.isEmpty() || !lost.equals(reportedLost);
        if (!isNew && !isNews) {
            unadvised.remove(follows);
            return;
        }
        Advert.Detail detail = isNew
                ? Advert.heard(peers.members(), lost)
                : new Advert.Changes(new ArrayList<>(opened), new ArrayList<>(closed), new ArrayList<>(lost));
        unadvised.remove(follows);
        send(now, detail, new TreeSet<>(List.of(follows)), out);
        reportTo(follows);
        reported = now;
        reportedLost = new TreeSet<>(lost);
    }

    private void reportTo(@Nullable Member follows) {
        reportedTo = follows;
        opened.clear();
        closed.clear();
    }

    private boolean isUntold(Member member) {
        Peer peer = peers.get(member);
        return peer != null && peer.told == null;
    }

    private void ask(Outbox out) {
        Peer unlisted = asked.size() < ASKED_MAX ? peers.unlisted(asked.keySet()) : null;
        if (unlisted != null) {
            asked.put(unlisted.view, unlisted.member);
            Control.send(Control.message(MembershipMessage.WHO, 1), unlisted.member, out);
        }
    }

    private void send(Advert advert, Advert.Detail detail, TreeSet<Member> receivers, Outbox out) {
        Packet message = Control.message(MembershipMessage.ADVERT, advert.bytesMax(detail));
        advert.appendTo(message, detail);
        for (Member receiver : receivers) {
            Peer peer = peers.get(receiver);
            if (peer != null) {
                peer.told = advert;
                advertsSent++;
            }
        }
        Control.send(message, receivers, out);
    }

    long advertsSent() {
        return advertsSent;
    }
}
