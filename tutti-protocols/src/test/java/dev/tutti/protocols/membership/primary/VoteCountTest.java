package dev.tutti.protocols.membership.primary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.Members;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.protocols.LayerTest;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Result of votes: the predecessor, whether there is a majority, and the view that may have been decided already. */
class VoteCountTest {

    private static final PrimaryChain.Primary OLD = new PrimaryChain.Primary(id(2, 1, 1), 1, List.of(1L, 2L, 3L));
    private static final PrimaryChain.Primary LAST = new PrimaryChain.Primary(id(3, 1, 1), 2, List.of(1L, 2L, 3L, 4L));

    private final TreeMap<Member, PrimaryChain.Vote> votes = new TreeMap<>();

    private static Member m(int number) {
        return LayerTest.member(number);
    }

    private static ViewId id(long number, int attempt, int proposer) {
        return new ViewId(number, attempt, m(proposer));
    }

    private static PrimaryChain.Proposal proposal(ViewId ballot) {
        View.Primary place = new View.Primary(3, LAST.id(), List.of(1L), List.of());
        return new PrimaryChain.Proposal(ballot, new View(ballot, List.of(m(1)), List.of(), place), List.of(2L));
    }

    private void vote(int member, long voter, PrimaryChain.Primary last) {
        votes.put(m(member), new PrimaryChain.Vote(voter, last, null));
    }

    private VoteCount votes() {
        return VoteCount.of(votes);
    }

    @Test
    void majorityIsOfTheVotersOfTheNewestView() {
        vote(1, 1, LAST);
        vote(2, 2, LAST);
        vote(7, 70, LAST);
        vote(8, 80, OLD);
        assertThat(votes().last()).isEqualTo(LAST);
        assertThat(votes().isMajority()).as("two of four, whoever else is here").isFalse();
        assertThat(chain("n1").missing(votes().last(), votes().present())).contains("2 of 4 voters", "3 are needed");
        vote(9, 3, LAST);
        assertThat(votes().isMajority()).as("a voter is its record, whichever member comes with it").isTrue();
    }

    private static PrimaryChain chain(String... founders) {
        PrimaryChain chain = new PrimaryChain(m(1), List.of(founders), 1);
        chain.load(null, new Members(), new Random(1));
        return chain;
    }

    @Test
    void aFounderThatWaitsCountsItselfAndNamesTheOthers() {
        assertThat(chain("n1", "n3", "n2").missing())
                .endsWith("1 of 3 voters of the founders are here, 2 are needed; missing: n2, n3");
    }

    @Test
    void aNodeThatIsNoFounderSaysItsNameAndThoseOfTheFounders() {
        assertThat(chain("a", "b", "c").missing()).endsWith("this node is named n1, and the founders are a, b, c");
    }

    @Test
    void namesOfFoundersHaveALimit() {
        String[] founders = IntStream.range(0, 100).mapToObj(number -> "a-node-with-a-long-name-" + number).toArray(String[]::new);
        assertThat(chain(founders).missing()).hasSizeLessThan(400).endsWith(" others");
    }

    @Test
    void whoDoesNotKnowOfItIsBehindIfItIsAVoter() {
        vote(1, 1, LAST);
        vote(2, 2, OLD);
        vote(3, 30, OLD);
        assertThat(votes().behind()).containsExactly(m(2));
        assertThat(votes().present()).containsExactly(1L);
    }

    @Test
    void twoWithOneRecordAreOneVoter() {
        vote(1, 1, LAST);
        vote(2, 1, LAST);
        vote(3, 2, LAST);
        assertThat(votes().present()).hasSize(2);
        assertThat(votes().isMajority()).isFalse();
    }

    @Test
    void highestAcceptedBallotCountsAndNoneForAnOlderView() {
        votes.put(m(1), new PrimaryChain.Vote(1, LAST, proposal(id(5, 1, 1))));
        votes.put(m(2), new PrimaryChain.Vote(2, LAST, proposal(id(5, 2, 3))));
        votes.put(m(3), new PrimaryChain.Vote(3, OLD, proposal(id(9, 1, 3))));
        PrimaryChain.Proposal accepted = votes().accepted();
        assertThat(accepted).isNotNull();
        assertThat(accepted.ballot()).isEqualTo(id(5, 2, 3));
    }

    @Test
    void foundersVoteByName() {
        PrimaryChain.Primary founding = PrimaryChain.founding(List.of("n1", "n2", "n3"));
        vote(1, 100, founding);
        vote(7, 700, new PrimaryChain.Primary(id(0, 0, 1), 0, List.of()));
        assertThat(votes().isMajority()).isFalse();
        vote(3, 300, founding);
        assertThat(votes().isMajority()).isTrue();
    }
}
