package dev.tutti.protocols.membership;

import static dev.tutti.protocols.membership.MembershipScene.id;
import static dev.tutti.protocols.membership.MembershipScene.m;
import static dev.tutti.protocols.membership.MembershipScene.members;
import static dev.tutti.protocols.membership.MembershipScene.part;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Choice of the member to follow when some are outside of the primary partition. */
class PeersTest {

    private static final View TOGETHER = view(id(5, 1, 1), 1, 2, 3, 4);

    private static View view(ViewId id, int... numbers) {
        List<Member> members = members(numbers);
        List<View.Part> parts = new ArrayList<>();
        members.forEach(member -> parts.add(part(View.alone(member).id(), List.of(member), new TreeMap<>())));
        return new View(id, members, parts);
    }

    private static Peers peers(int self, int... others) {
        Peers peers = new Peers(m(self), 1, View.alone(m(self)));
        for (int other : others) {
            peers.open(m(other), 1);
            says(peers, other, View.alone(m(other)).id(), other, Advert.NOT_YET);
        }
        return peers;
    }

    private static Peers together(int self, int... others) {
        Peers peers = peers(self, others);
        peers.install(TOGETHER, new long[] {5, 5, 5, 5});
        return peers;
    }

    private static void says(Peers peers, int from, ViewId promised, int follows, long joined) {
        Peer peer = Objects.requireNonNull(peers.get(m(from)));
        peers.said(peer, new Advert(View.alone(m(from)).id(), promised, m(follows), joined));
    }

    @Test
    void newcomersFollowTheLowestAlsoWhenTheyHaveSteppedOutside() {
        Peers peers = peers(3, 1, 2);
        assertThat(peers.follows()).isEqualTo(m(1));
        peers.stepOut(members(1, 2, 3), id(2, 1, 1));
        assertThat(peers.follows()).isEqualTo(m(1));
        assertThat(Objects.requireNonNull(peers.get(m(2))).joined).isEqualTo(Advert.OUTSIDE);
    }

    @Test
    void ofARingOfThoseWhoFollowEachOtherTheLowestFollowsNobody() {
        // 3 has a view that says that 2 is the oldest, which has never come to it.
        Peers one = peers(1, 2, 3);
        says(one, 3, id(3, 1, 9), 2, 3);
        says(one, 2, id(3, 1, 9), 2, Advert.NOT_YET);
        assertThat(one.follows()).as("3 is older, and 2 does not wait for 1").isEqualTo(m(3));
        says(one, 2, id(3, 1, 9), 1, Advert.NOT_YET);
        assertThat(one.follows()).isEqualTo(m(1));
        Peers two = peers(2, 1, 3);
        says(two, 3, id(3, 1, 9), 2, 3);
        says(two, 1, id(1, 1, 1), 3, Advert.NOT_YET);
        assertThat(two.follows()).as("1 is lower").isEqualTo(m(1));
    }

    @Test
    void whoRunsABallotHasASayInItWhoeverIsOlder() {
        Peers peers = together(2, 1, 3, 4);
        // Member 1 takes this one for the older, and has not said yet whom it hears.
        says(peers, 1, TOGETHER.id(), 2, 5);
        says(peers, 3, TOGETHER.id(), 2, 5);
        peers.hears(Objects.requireNonNull(peers.get(m(3))), members(1, 2, 4));
        assertThat(peers.candidates()).as("3 hears all, and 1 does not hear 2").containsExactly(m(2));
        peers.hears(Objects.requireNonNull(peers.get(m(1))), members(2, 3, 4));
        assertThat(peers.candidates()).containsExactly(m(1), m(2), m(3));
    }

    @Test
    void whoStandsOutsideFollowsWhoDoesNot() {
        Peers peers = together(2, 1, 3, 4);
        peers.stepOut(members(1, 2), id(6, 1, 1));
        assertThat(peers.follows()).isEqualTo(m(3));
    }

    @Test
    void whoSaysThatItStandsOutsideIsYoungerThanTheView() {
        Peers peers = together(4, 1, 2, 3);
        assertThat(peers.follows()).isEqualTo(m(1));
        says(peers, 1, id(6, 1, 1), 1, Advert.OUTSIDE);
        assertThat(peers.follows()).as("the next one in the order").isEqualTo(m(2));
        says(peers, 2, id(6, 1, 1), 1, Advert.OUTSIDE);
        assertThat(peers.follows()).isEqualTo(m(3));
    }

    @Test
    void whoSteppedOutsideAfterItHadPromisedTheViewIsNotInIt() {
        Peers peers = together(4, 1, 2, 3);
        says(peers, 1, TOGETHER.id(), 1, Advert.OUTSIDE);
        assertThat(peers.follows()).isEqualTo(m(2));
    }

    @Test
    void whoSteppedOutsideBeforeItHadPromisedTheViewHasComeToIt() {
        Peers peers = together(4, 1, 2, 3);
        says(peers, 1, id(4, 1, 1), 1, Advert.OUTSIDE);
        assertThat(peers.follows()).isEqualTo(m(1));
    }

    @Test
    void installationTakesTheAgeThatTheViewSaysOfWhoStoodOutside() {
        Peers peers = peers(4, 1, 2, 3);
        says(peers, 1, id(4, 1, 1), 1, Advert.OUTSIDE);
        peers.install(TOGETHER, new long[] {5, 3, 5, 5});
        assertThat(peers.follows()).isEqualTo(m(2));
        assertThat(Objects.requireNonNull(peers.get(m(1))).joined).isEqualTo(5);
    }
}
