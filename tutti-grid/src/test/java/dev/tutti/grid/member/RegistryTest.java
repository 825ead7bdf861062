package dev.tutti.grid.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Threads;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Messages of two members about one client, in each order that they may come in. */
class RegistryTest {

    private static final long LEASE = 30;
    private static final Topic TOPIC = Topic.of("a");
    private static final Member ONE = member(1);
    private static final Member TWO = member(2);

    private final List<String> changes = new ArrayList<>();
    private final Registry registry = new Registry(
            member -> new Flow(
                    new Threads() {},
                    member.name(),
                    new Flow.Way() {
                        @Override
                        public boolean trySend(byte[] message) {
                            return true;
                        }

                        @Override
                        public void send(byte[] message) {}
                    },
                    1,
                    0,
                    new Flow.Counters()),
            new Registry.Changes() {
                @Override
                public void onPut(Entry entry) {
                    changes.add("put " + entry.registration());
                }

                @Override
                public void onRemoved(String id) {
                    changes.add("removed");
                }
            });

    private static Member member(int number) {
        return new Member(new NodeId(number, "n" + number, "n" + number + ":7800"), 1);
    }

    private static Entry consumer(long registration) {
        return new Entry("c", Entry.Kind.CONSUMER, "c", "", "", "", List.of(Filter.topic("a")), "", "", -1, registration, Map.of());
    }

    @Test
    void theLargerNumberCountsWhicheverComesFirst() {
        registry.put(TWO, consumer(2), LEASE, null);
        registry.put(ONE, consumer(1), LEASE, null);
        registry.remove(ONE, "c");
        assertThat(registry.all()).containsExactly(consumer(2));
        assertThat(registry.isWanted(TOPIC)).isTrue();
        registry.remove(TWO, "c");
        assertThat(registry.all()).isEmpty();
        assertThat(registry.isWanted(TOPIC)).isFalse();
        assertThat(changes).containsExactly("put 2", "removed");
    }

    @Test
    void aWithdrawalOfTheMemberBeforeIsIgnored() {
        registry.put(ONE, consumer(1), LEASE, null);
        registry.put(TWO, consumer(2), LEASE, null);
        registry.remove(ONE, "c");
        registry.removeAll(ONE, 0);
        assertThat(registry.all()).containsExactly(consumer(2));
        assertThat(registry.orphans()).isEmpty();
        assertThat(registry.isWanted(TOPIC)).isTrue();
        assertThat(changes).containsExactly("put 1", "put 2");
    }

    @Test
    void anEntryWithoutAMemberIsTakenOverOrEnds() {
        registry.put(ONE, consumer(1), LEASE, null);
        registry.removeAll(ONE, 100);
        assertThat(registry.isWanted(TOPIC)).isFalse();
        assertThat(registry.endLeases(110)).isEqualTo(20);
        assertThat(registry.all()).hasSize(1);
        registry.put(TWO, consumer(2), LEASE, null);
        assertThat(registry.endLeases(200)).isNegative();
        assertThat(registry.all()).containsExactly(consumer(2));
        registry.removeAll(TWO, 200);
        assertThat(registry.endLeases(230)).isNegative();
        assertThat(registry.all()).isEmpty();
        assertThat(changes).containsExactly("put 1", "put 2", "removed");
    }

    /** The lease has begun when the client left its member, and goes on when the member leaves. */
    @Test
    void aLeaseThatHasBegunIsNotBegunAnew() {
        registry.put(ONE, consumer(1), LEASE, 105L);
        registry.removeAll(ONE, 100);
        assertThat(registry.endLeases(104)).isEqualTo(1);
        assertThat(registry.endLeases(105)).isNegative();
        assertThat(registry.all()).isEmpty();
        registry.put(ONE, consumer(1), LEASE, 205L);
        registry.put(ONE, consumer(2), LEASE, null);
        registry.removeAll(ONE, 200);
        assertThat(registry.endLeases(205)).isEqualTo(25);
    }

    @Test
    void aMemberThatComesBackAfterAPartitionHasItsEntriesAgain() {
        registry.put(ONE, consumer(1), LEASE, null);
        registry.removeAll(ONE, 0);
        registry.put(ONE, consumer(1), LEASE, null);
        assertThat(registry.orphans()).isEmpty();
        assertThat(registry.isWanted(TOPIC)).isTrue();
        registry.putOrphan(consumer(1), LEASE, 10);
        assertThat(registry.orphans()).isEmpty();
    }

    @Test
    void aClientDoesNotTakeTheIdentityOfAMembersOwn() {
        registry.put(ONE, consumer(1), 0, null);
        registry.put(TWO, consumer(9), LEASE, null);
        registry.put(ONE, consumer(9), LEASE, null);
        assertThat(registry.putOwn(consumer(9), LEASE, null)).isFalse();
        assertThat(registry.all()).containsExactly(consumer(1));
        registry.removeAll(ONE, 0);
        assertThat(registry.all()).isEmpty();
    }

    /** A producer announces its load later than it is told, and may be closed meanwhile. */
    @Test
    void anEntryThatWasWithdrawnIsNotReplaced() {
        registry.putOwn(consumer(1), LEASE, null);
        assertThat(registry.replaceOwn(consumer(1))).isTrue();
        assertThat(registry.own()).singleElement().extracting(Holding::leaseNanos).isEqualTo(LEASE);
        registry.removeOwn("c");
        assertThat(registry.replaceOwn(consumer(1))).isFalse();
        assertThat(registry.all()).isEmpty();
        registry.put(ONE, consumer(2), LEASE, null);
        assertThat(registry.replaceOwn(consumer(3))).isFalse();
        assertThat(registry.all()).containsExactly(consumer(2));
    }
}
