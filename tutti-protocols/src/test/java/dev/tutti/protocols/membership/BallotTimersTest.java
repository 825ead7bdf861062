package dev.tutti.protocols.membership;

import static dev.tutti.protocols.membership.MembershipTimer.HOLD_BACK;
import static dev.tutti.protocols.membership.MembershipScene.TIMING;
import static dev.tutti.protocols.membership.MembershipScene.id;
import static dev.tutti.protocols.membership.MembershipScene.m;
import static dev.tutti.protocols.membership.MembershipScene.members;
import static dev.tutti.protocols.membership.MembershipScene.steady;
import static dev.tutti.protocols.membership.MembershipScene.vector;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Timers of a coordinator: the waits before a ballot, and the time-out of one that makes no progress. */
class BallotTimersTest {

    /** Time to wait for members of a view that disagree on its members. */
    private static final long DISAGREEMENT_NANOS = 300_000_000;

    /** Member 1, coordinator of 2.1@n1 = {1, 2, 3}. */
    private final MembershipScene first = steady(1, 1, 2, 3);

    /** Gives the coordinator an advert of a member in its view. */
    private void says(int from, ViewId promised, List<Member> heard, List<Member> lost) {
        first.advert(m(from), first.view, promised, m(1), heard, lost);
        first.turn();
    }

    /** A ballot, {@code 3.1@n1}, because a member reports a lost session; only the own answer is there. */
    private ViewId runBallot() {
        says(2, first.view.id(), members(1, 2, 3), members(3));
        first.frozen(vector(1, 4, 2, 2, 3, 1));
        return id(3, 1, 1);
    }

    @Test
    void aFollowerOfSomebodyUnheardIsWaitedFor_F_D13() {
        // 2 has noticed that 1 is gone; 3 still follows 1.
        MembershipScene second = steady(2, 1, 2, 3);
        second.close(m(1));
        second.turn();
        assertThat(second.layer.armedNanos(HOLD_BACK)).isEqualTo(TIMING.holdBackNanos() / 16);
        assertThat(second.ballotMessages()).isEmpty();
        second.advert(m(3), second.view, second.view.id(), m(2), members(2, 3), members(1));
        second.turn();
        assertThat(second.ballotMessages()).containsExactly("PREPARE 6.1@n2 to n3");
        assertThat(second.layer.armedNanos(HOLD_BACK)).isEqualTo(-1);
    }

    @Test
    void aFollowerOfSomebodyUnheardIsAsked_F() {
        MembershipScene second = steady(2, 1, 2, 3);
        second.close(m(1));
        second.turn();
        second.forget();
        second.layer.advance(TIMING.holdBackNanos() / 16 - 1);
        assertThat(second.ballotMessages()).isEmpty();
        second.layer.advance(1);
        assertThat(second.ballotMessages()).containsExactly("WHO to n3");
        second.layer.advance(TIMING.holdBackNanos() / 2);
        assertThat(second.ballotMessages()).as("once").isEmpty();
    }

    @Test
    void theWaitForAFollowerEnds_F() {
        MembershipScene second = steady(2, 1, 2, 3);
        second.close(m(1));
        second.turn();
        second.layer.advance(TIMING.holdBackNanos() - 1);
        assertThat(second.count("ballots-started")).isZero();
        second.layer.advance(1);
        second.frozen(vector());
        second.reached(id(6, 1, 2));
        assertThat(second.view.members()).isEqualTo(members(2));
    }

    @Test
    void membersThatDisagreeAreWaitedForUntilTheCoordinatorHasLostThatOneToo() {
        // 2 has noticed that 3 is gone; the coordinator still hears both.
        says(2, first.view.id(), members(1, 2), members(3));
        first.layer.advance(DISAGREEMENT_NANOS - 1);
        assertThat(first.ballotMessages()).isEmpty();
        assertThat(first.state()).isEqualTo("steady");
        first.close(m(3));
        first.turn();
        assertThat(first.ballotMessages()).containsExactly("PREPARE 3.1@n1 to n2");
    }

    @Test
    void membersThatFindEachOtherAgainWhileTheyAreWaitedForStayTogether() {
        says(2, first.view.id(), members(1, 2), members(3));
        says(2, first.view.id(), members(1, 2, 3), members(3));
        assertThat(first.ballotMessages()).containsExactly("PREPARE 3.1@n1 to n2", "PREPARE 3.1@n1 to n3");
    }

    @Test
    void aRunningBallotEndsWhileMembersDisagree() {
        ViewId ballot = runBallot();
        first.ballotMessages();
        says(2, ballot, members(1, 2), members(3));
        first.ack(m(2), ballot, first.view, vector());
        first.ack(m(3), ballot, first.view, vector());
        assertThat(first.layer.takeDropped()).containsOnly(DropReason.OLD_BALLOT);
        assertThat(first.state()).isEqualTo("answered");
        first.layer.advance(DISAGREEMENT_NANOS);
        assertThat(first.ballotMessages()).containsExactly("PREPARE 3.2@n1 to n2");
    }

    @Test
    void joinsThatComeTogetherShareAViewChange_J() {
        for (int newcomer = 4; newcomer <= 6; newcomer++) {
            List<Member> all = members(1, 2, 3, 4, 5, 6);
            first.open(m(newcomer));
            first.advert(m(newcomer), View.alone(m(newcomer)), id(1, 1, newcomer), m(1), all, List.of());
            first.advert(m(2), first.view, first.view.id(), m(1), all, List.of());
            says(3, first.view.id(), all, List.of());
            first.layer.advance(2_000_000);
        }
        first.layer.advance(20_000_000);
        assertThat(first.ballotMessages()).as("there were more than at first, there may be more").isEmpty();
        first.layer.advance(5_000_000);
        assertThat(first.ballotMessages()).hasSize(5).allMatch(text -> text.startsWith("PREPARE 3.1@n1"));
        assertThat(first.count("ballots-started")).isEqualTo(2);
    }

    @Test
    void aCrashDoesNotWaitForJoins_J() {
        first.open(m(4));
        first.advert(m(4), View.alone(m(4)), id(1, 1, 4), m(1), members(1, 2, 3, 4), List.of());
        first.turn();
        first.close(m(3));
        says(2, first.view.id(), members(1, 2, 4), members(3));
        assertThat(first.ballotMessages()).contains("PREPARE 3.1@n1 to n2", "PREPARE 3.1@n1 to n4");
    }

    @Test
    void whoDoesNotAnswerIsExpelled_R() {
        ViewId ballot = runBallot();
        first.ack(m(2), ballot, first.view, vector());
        first.layer.advance(TIMING.ballotTimeoutNanos() - 1);
        assertThat(first.layer.takeLowered(Signal.Peer.Expel.class)).isEmpty();
        first.layer.advance(1);
        assertThat(first.layer.takeLowered(Signal.Peer.Expel.class))
                .singleElement()
                .satisfies(expel -> {
                    assertThat(expel.member()).isEqualTo(m(3));
                    assertThat(expel.reason()).contains("3.1@n1").contains("ballot-timeout");
                });
    }

    @Test
    void answersAreProgress_R() {
        ViewId ballot = runBallot();
        first.layer.advance(TIMING.ballotTimeoutNanos() - 1);
        first.ack(m(2), ballot, first.view, vector());
        first.layer.advance(TIMING.ballotTimeoutNanos() - 1);
        assertThat(first.layer.takeLowered(Signal.Peer.Expel.class)).isEmpty();
    }

    @Test
    void earlyLateAndRepeatedOnesAreHarmless() {
        for (MembershipScene scene : List.of(first, steady(2, 1, 2, 3))) {
            for (int round = 0; round < 3; round++) {
                for (MembershipTimer timer : MembershipTimer.values()) {
                    scene.layer.fire(timer);
                }
            }
            assertThat(scene.state()).isEqualTo("steady");
            assertThat(scene.messages()).isEmpty();
            assertThat(scene.layer.takeLowered(Signal.Peer.Expel.class)).isEmpty();
        }
    }

    @Test
    void earlyAndRepeatedOnesDuringABallotExpelOnlyTheSilent() {
        ViewId ballot = runBallot();
        first.ack(m(2), ballot, first.view, vector());
        for (MembershipTimer timer : MembershipTimer.values()) {
            first.layer.fire(timer);
            first.layer.fire(timer);
        }
        assertThat(first.layer.takeLowered(Signal.Peer.Expel.class))
                .extracting(Signal.Peer.Expel::member)
                .containsOnly(m(3));
        first.ack(m(3), ballot, first.view, vector());
        first.reached(ballot);
        assertThat(first.state()).isEqualTo("steady");
    }
}
