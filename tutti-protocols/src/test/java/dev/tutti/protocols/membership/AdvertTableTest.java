package dev.tutti.protocols.membership;

import static dev.tutti.protocols.membership.MembershipScene.TIMING;
import static dev.tutti.protocols.membership.MembershipScene.id;
import static dev.tutti.protocols.membership.MembershipScene.m;
import static dev.tutti.protocols.membership.MembershipScene.members;
import static dev.tutti.protocols.membership.MembershipScene.part;
import static dev.tutti.protocols.membership.MembershipScene.steady;
import static dev.tutti.protocols.membership.MembershipScene.vector;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Adverts: lost sessions that they report, the members that get them, and the coordinator that follows from them. */
class AdvertTableTest {

    private static final ViewId BALLOT = id(6, 1, 1);

    /** Member 2 of 5.1@n1 = {1, 2, 3}, with 1 for its coordinator. */
    private final MembershipScene member = steady(2, 1, 2, 3);

    private View next(ViewId ballot, TreeMap<Member, Long> cut) {
        return new View(ballot, members(1, 2, 3), List.of(part(member.view.id(), members(1, 2, 3), cut)));
    }

    private MembershipScene answered() {
        member.prepare(m(1), BALLOT);
        member.frozen(vector(1, 3, 2, 4, 3, 0));
        return member;
    }

    private MembershipScene catchingUp() {
        answered().cut(m(1), BALLOT, next(BALLOT, vector(1, 3, 3, 7)), new TreeMap<>(Map.of(m(3), m(1))));
        return member;
    }

    @Nested
    class Lost {

        @Test
        void isSetToClosedAtAPromise_D10() {
            // 2-3 is closed by both ends, then a ballot comes: the fact must outlive the promise.
            member.close(m(3));
            member.prepare(m(1), BALLOT);
            member.frozen(vector());
            assertThat(member.adverts()).last().asString().startsWith("ADVERT 5.1@n1 promised 6.1@n1").contains("lost [n3]");
        }

        @Test
        void forgetsAtAPromiseWhatHasReconnected_D10() {
            member.close(m(3));
            member.turn();
            member.open(m(3));
            member.prepare(m(1), BALLOT);
            member.frozen(vector());
            assertThat(told(1)).startsWith("ADVERT 5.1@n1 promised 6.1@n1").contains("opened [n3]").contains("lost []");
        }

        @Test
        void staysInTheNewViewIfTheSessionBrokeSinceTheAnswer_D10() {
            answered().close(m(3));
            member.open(m(3));
            member.cut(m(1), BALLOT, next(BALLOT, vector()), new TreeMap<>());
            member.reached(BALLOT);
            assertThat(told(1)).startsWith("ADVERT 6.1@n1 promised 6.1@n1").contains("lost [n3]");
        }

        @Test
        void aSessionThatWasDownAtThePromiseIsLostToANewcomerToo_D10() {
            // 4 was met and lost while it was in no view with 2; 2 has installed a view without it since.
            member.open(m(4));
            member.close(m(4));
            catchingUp().reached(BALLOT);
            member.prepare(m(1), id(7, 1, 1));
            member.frozen(vector());
            member.open(m(4));
            View merged = new View(
                    id(7, 1, 1),
                    members(1, 2, 3, 4),
                    List.of(
                            part(id(1, 1, 4), members(4), vector()),
                            part(BALLOT, members(1, 2, 3), vector())));
            member.cut(m(1), id(7, 1, 1), merged, new TreeMap<>());
            member.reached(id(7, 1, 1));
            assertThat(told(1)).startsWith("ADVERT 7.1@n1 promised 7.1@n1").contains("lost [n4]");
        }

        @Test
        void isForgottenForThoseWhoAreNotInTheView() {
            member.close(m(3));
            member.prepare(m(1), BALLOT);
            member.frozen(vector());
            View pair = new View(BALLOT, members(1, 2), List.of(part(id(5, 1, 1), members(1, 2), vector())));
            member.cut(m(1), BALLOT, pair, new TreeMap<>());
            member.reached(BALLOT);
            member.forget();
            member.open(m(4));
            member.turn();
            assertThat(told(1)).contains("opened [n4]").contains("lost []");
        }

        /** The last that the member was told. */
        private String told(int receiver) {
            return member.adverts().stream()
                    .filter(text -> text.endsWith("to n" + receiver))
                    .reduce("", (before, text) -> text);
        }
    }

    @Nested
    class Told {

        @Test
        void isTheOneThatIsFollowedAndNobodyElse() {
            member.open(m(4));
            member.turn();
            assertThat(member.messages())
                    .containsExactly(
                            "ADVERT 5.1@n1 promised 5.1@n1 follows n1 opened [n4] closed [] lost [] to n1",
                            "ADVERT 5.1@n1 promised 5.1@n1 follows n1 to n4");
        }

        @Test
        void isNobodyWhenAViewIsInstalledInWhichNothingHadToBeKept() {
            answered().cut(m(1), BALLOT, next(BALLOT, vector()), new TreeMap<>());
            member.forget();
            member.reached(BALLOT);
            assertThat(member.messages()).as("who has decided on it knows").isEmpty();
        }

        @Test
        void isTheCoordinatorWhenAViewIsInstalledWhosePartHasPacketsToKeep() {
            catchingUp().forget();
            member.reached(BALLOT);
            assertThat(member.messages())
                    .containsExactly("ADVERT 6.1@n1 promised 6.1@n1 follows n1 opened [] closed [] lost [] to n1");
        }

        @Test
        void areBothWhenAnotherIsFollowed() {
            member.open(m(0));
            member.turn();
            member.forget();
            member.advert(m(0), View.alone(m(0)), id(1, 1, 0), m(0), members(1, 2, 3), List.of());
            member.turn();
            assertThat(member.messages()).as("0 has never been in a view: 1 is older").isEmpty();
            View older = new View(id(4, 1, 0), members(0, 1), List.of());
            member.advert(m(0), older, older.id(), m(0), members(1, 2, 3), List.of());
            member.listed(m(0), older);
            assertThat(member.messages())
                    .contains(
                            "ADVERT 5.1@n1 promised 5.1@n1 follows n0 heard [n1, n3, n0] lost [] to n0",
                            "ADVERT 5.1@n1 promised 5.1@n1 follows n0 to n1");
        }

        @Test
        void areThoseOutsideWhenTheCoordinatorIsGoneAndThisMemberTakesItsPlace() {
            member.open(m(4));
            member.turn();
            member.forget();
            member.close(m(1));
            member.turn();
            assertThat(member.messages())
                    .as("4 must not believe that this member waits for 1")
                    .containsExactly("ADVERT 5.1@n1 promised 5.1@n1 follows n2 members [n1, n2, n3] to n4");
        }

        @Test
        void isOneThatHasBecomeACoordinator() {
            member.open(m(4));
            member.turn();
            member.advert(m(4), View.alone(m(4)), id(1, 1, 4), m(1), members(1), List.of());
            member.turn();
            member.forget();
            member.advert(m(4), View.alone(m(4)), id(1, 1, 4), m(4), members(1), List.of());
            member.turn();
            assertThat(member.messages())
                    .as("it may hold its ballots back for what it believes of this member")
                    .containsExactly("ADVERT 5.1@n1 promised 5.1@n1 follows n1 to n4");
        }

        @Test
        void isWhoFollowsAMemberThatFollowsAnother() {
            member.open(m(4));
            member.turn();
            member.forget();
            member.advert(m(4), View.alone(m(4)), id(1, 1, 4), m(2), members(2), List.of());
            member.turn();
            assertThat(member.messages()).as("it knows already").isEmpty();
            answered().cut(m(1), BALLOT, next(BALLOT, vector()), new TreeMap<>());
            member.forget();
            member.reached(BALLOT);
            assertThat(member.messages()).containsExactly("ADVERT 6.1@n1 promised 6.1@n1 follows n1 to n4");
        }

        @Test
        void areThoseOutsideOfANewViewByItsCoordinator() {
            MembershipScene first = steady(1, 1, 2, 3);
            first.open(m(4));
            first.turn();
            first.forget();
            first.close(m(3));
            first.advert(m(2), first.view, first.view.id(), m(1), members(1, 2), members(3));
            first.turn();
            first.layer.advance(TIMING.holdBackNanos());
            first.frozen(vector());
            first.ack(m(2), id(3, 1, 1), first.view, vector());
            first.forget();
            first.reached(id(3, 1, 1));
            assertThat(first.messages()).containsExactly("ADVERT 3.1@n1 promised 3.1@n1 follows n1 members [n1, n2] to n4");
        }
    }

    @Nested
    class Follows {

        private String follows() {
            return member.layer.texts().get("membership.follows");
        }

        @Test
        void theOldestThatIsHeard() {
            assertThat(follows()).isEqualTo("n1");
            member.close(m(1));
            assertThat(follows()).isEqualTo("n2");
        }

        /** Else those who joined later would order the older ones by their names, each as far as it has heard of them. */
        @Test
        void theOneThatTheViewSaysIsTheOldest() {
            member.prepare(m(1), BALLOT);
            member.frozen(vector(1, 3));
            member.cut(m(1), BALLOT, next(BALLOT, vector(1, 3)), new long[] {4, 5, 2});
            member.reached(BALLOT);
            assertThat(follows()).isEqualTo("n3");
        }

        @Test
        void itselfIfTheViewSaysThatItIsTheOldest() {
            member.prepare(m(1), BALLOT);
            member.frozen(vector(1, 3));
            member.cut(m(1), BALLOT, next(BALLOT, vector(1, 3)), new long[] {4, 3, 6});
            member.reached(BALLOT);
            assertThat(follows()).isEqualTo("n2");
        }

        @Test
        void itselfIfTheOlderOneFollowsItAndComesAfterItByName() {
            member.close(m(1));
            assertThat(follows()).as("2 before 3, both of one view").isEqualTo("n2");
            MembershipScene two = new MembershipScene(2);
            two.open(m(3));
            View pair = new View(id(3, 1, 3), members(3, 2), List.of());
            two.listed(m(3), pair);
            assertThat(two.layer.texts()).as("the older").containsEntry("membership.follows", "n3");
            two.advert(m(3), pair, pair.id(), m(2), members(2, 3), List.of());
            assertThat(two.layer.texts()).as("each takes the other for the older").containsEntry("membership.follows", "n2");
        }

        @Test
        void notIntoAViewItCannotBeIn_D12() {
            MembershipScene three = new MembershipScene(3);
            three.open(m(1));
            View pair = new View(id(3, 1, 1), members(1, 2), List.of());
            three.advert(m(1), pair, pair.id(), m(1), members(1, 2, 3), List.of());
            three.listed(m(1), pair);
            assertThat(three.layer.texts()).containsEntry("membership.follows", "n3");
        }

        @Test
        void waitsWhileTheOldestAdvertisesAViewWithIt_D12() {
            MembershipScene three = new MembershipScene(3);
            three.open(m(1));
            View all = new View(id(3, 1, 1), members(1, 2, 3), List.of());
            three.advert(m(1), all, all.id(), m(1), members(1, 2, 3), List.of());
            three.listed(m(1), all);
            assertThat(three.layer.texts()).containsEntry("membership.follows", "n1");
        }

        @Test
        void intoAViewWithAllOfWhomItHasSessions() {
            MembershipScene three = new MembershipScene(3);
            three.open(m(1));
            three.open(m(2));
            View pair = new View(id(3, 1, 1), members(1, 2), List.of());
            three.advert(m(1), pair, pair.id(), m(1), members(1, 2, 3), List.of());
            three.advert(m(2), pair, pair.id(), m(1), members(1, 2, 3), List.of());
            three.listed(m(1), pair);
            assertThat(three.layer.texts()).containsEntry("membership.follows", "n1");
        }
    }
}
