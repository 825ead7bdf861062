package dev.tutti.protocols.membership;

import static dev.tutti.protocols.membership.MembershipScene.TIMING;
import static dev.tutti.protocols.membership.MembershipScene.id;
import static dev.tutti.protocols.membership.MembershipScene.m;
import static dev.tutti.protocols.membership.MembershipScene.members;
import static dev.tutti.protocols.membership.MembershipScene.steady;
import static dev.tutti.protocols.membership.MembershipScene.vector;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.View;
import dev.tutti.core.stack.Signal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One that is followed and does nothing, and those who keep ballots waiting. */
class PatienceTest {

    /** ballot-timeout; pauses are from 2 to 24 times as long. */
    private static final long TIMEOUT = 5_000_000_000L;

    private static final long BOUND = new Patience(TIMING).boundNanos();
    private static final long SECOND = 1_000_000_000L;

    /** An outsider claims to be as old as the oldest, and is a lower one: all follow it. */
    private static View claimOfTheGreatestAge(MembershipScene scene) {
        View claimed = new View(id(2, 1, 0), members(0, 9), List.of());
        scene.open(m(0));
        scene.open(m(9));
        scene.advert(m(0), claimed, claimed.id(), m(0), members(0, 9), List.of());
        scene.listed(m(0), claimed);
        return claimed;
    }

    @Test
    void whoClaimsTheGreatestAgeAndDoesNothingIsPassedOver() {
        MembershipScene first = steady(1, 1, 2, 3);
        claimOfTheGreatestAge(first);
        first.close(m(3));
        first.turn();
        first.layer.advance(BOUND - 1);
        assertThat(first.ballotMessages()).as("it waits for the older one").noneMatch(text -> text.startsWith("PREPARE"));
        first.layer.advance(1);
        first.turn();
        assertThat(first.layer.takeLowered(Signal.Peer.Distrusted.class)).singleElement().satisfies(told -> {
            assertThat(told.member()).isEqualTo(m(0));
            assertThat(told.reason()).contains("is not followed for 10 s");
        });
        first.layer.advance(TIMING.holdBackNanos());
        assertThat(first.ballotMessages()).anyMatch(text -> text.startsWith("PREPARE") && text.endsWith("to n2"));
        assertThat(first.count("coordinators-passed-over")).isEqualTo(1);
    }

    @Test
    void coordinatorThatAsksAgainAndAgainAndDecidesNothingIsPassedOver() {
        MembershipScene member = steady(2, 1, 2, 3);
        int attempt = 1;
        long waited = 0;
        while (member.layer.takeLowered(Signal.Peer.Distrusted.class).isEmpty()) {
            member.prepare(m(1), id(6, attempt++, 1));
            member.frozen(vector());
            member.layer.advance(SECOND);
            waited += SECOND;
            assertThat(waited).isLessThanOrEqualTo(Patience.TURNS_MAX * BOUND + SECOND);
        }
        assertThat(waited).isGreaterThan(2 * BOUND);
    }

    @Test
    void coordinatorWhoseSessionIsLostAndComesBackIsNotWaitedForLonger() {
        MembershipScene member = steady(2, 1, 2, 3);
        int attempt = 1;
        long waited = 0;
        while (member.layer.takeLowered(Signal.Peer.Distrusted.class).isEmpty()) {
            member.prepare(m(1), id(6, attempt++, 1));
            member.frozen(vector());
            member.layer.advance(SECOND);
            member.close(m(1));
            member.turn();
            member.open(m(1));
            member.advert(m(1), member.view, member.view.id(), m(1), members(1, 2, 3), List.of());
            member.turn();
            waited += SECOND;
            assertThat(waited).isLessThanOrEqualTo(Patience.TURNS_MAX * BOUND + SECOND);
        }
        assertThat(waited).isGreaterThan(2 * BOUND);
    }

    /** n1 leads the others and has told n4 nothing; n4 waited for n2 and n3 in turn, for as long as their pauses, without end. */
    @Test
    void thoseWhoFollowTheSameSilentCoordinatorArePassedOverTogether() {
        MembershipScene newcomer = new MembershipScene(4);
        View view = new View(id(5, 1, 1), members(1, 2, 3), List.of());
        for (int number = 1; number <= 3; number++) {
            newcomer.open(m(number));
        }
        for (int number = 2; number <= 3; number++) {
            newcomer.advert(m(number), view, view.id(), m(1), view.members(), List.of());
            newcomer.listed(m(number), view);
            newcomer.advert(m(number), view, view.id(), m(1), view.members(), List.of());
        }
        newcomer.turn();
        assertThat(newcomer.layer.texts().get("membership.follows")).isEqualTo(m(2).toString());
        newcomer.layer.advance(BOUND);
        newcomer.turn();
        assertThat(newcomer.layer.takeLowered(Signal.Peer.Distrusted.class)).extracting(Signal.Peer.Distrusted::member).containsExactly(m(2));
        assertThat(newcomer.layer.texts().get("membership.follows")).isEqualTo(m(4).toString());
    }

    @Test
    void coordinatorThatInstallsAViewInTimeIsFollowed() {
        MembershipScene member = steady(2, 1, 2, 3);
        member.layer.advance(10 * BOUND);
        assertThat(member.layer.takeLowered(Signal.Peer.Distrusted.class)).isEmpty();
    }

    @Test
    void firstDefaultIsForgivenAndPausesGrowToTheirBound() {
        Defaulters defaulters = new Defaulters(1, TIMEOUT);
        assertThat(defaulters.add(m(1), 0)).isZero();
        long now = 0;
        long before = 0;
        for (int index = 0; index < 12; index++) {
            long pause = defaulters.add(m(1), now);
            assertThat(pause).isGreaterThanOrEqualTo(Math.min(2 * before, 24 * TIMEOUT));
            assertThat(defaulters.leftOut(now)).containsExactly(m(1).node().address());
            assertThat(defaulters.nextReturnNanos(now)).isEqualTo(now + pause);
            now += pause;
            assertThat(defaulters.leftOut(now)).isEmpty();
            before = pause;
        }
        assertThat(before).isEqualTo(24 * TIMEOUT);
        assertThat(defaulters.add(m(1), now + 24 * TIMEOUT)).as("forgiven").isZero();
    }

    @Test
    void whenOneIsGoneTheOthersAreTakenBackAndItIsNot() {
        Defaulters defaulters = new Defaulters(0, TIMEOUT);
        defaulters.add(m(1), 0);
        defaulters.add(m(2), 0);
        defaulters.forgiveOthers(m(2), 1);
        assertThat(defaulters.leftOut(1)).containsExactly(m(2).node().address());
        assertThat(defaulters.add(m(1), 2)).as("pauses go on to grow").isEqualTo(4 * TIMEOUT);
    }

    @Test
    void whoeverIsRememberedIsBounded() {
        Defaulters defaulters = new Defaulters(0, TIMEOUT);
        for (int number = 0; number < 2 * Defaulters.KNOWN_MAX; number++) {
            defaulters.add(m(number), 0);
        }
        assertThat(defaulters.leftOut(1)).hasSize(Defaulters.KNOWN_MAX);
    }

    @Test
    void answerThatSaysNothingNewDoesNotKeepABallotWaiting() {
        MembershipScene first = steady(1, 1, 2, 3);
        first.advert(m(3), first.view, first.view.id(), m(1), members(1, 2, 3), members(2));
        first.turn();
        first.frozen(vector());
        first.ack(m(2), id(3, 1, 1), first.view, vector());
        for (int second = 0; second < 4; second++) {
            first.layer.advance(SECOND);
            first.ack(m(2), id(3, 1, 1), first.view, vector());
        }
        first.layer.advance(SECOND);
        assertThat(first.layer.takeLowered(Signal.Peer.Expel.class)).extracting(Signal.Peer.Expel::member).containsExactly(m(3));
    }
}
