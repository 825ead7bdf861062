package dev.tutti.tomcat.replication.holders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Members that hold a session, as a function of view, key and number of copies. */
class PlacementTest {

    private static final int KEYS = 20_000;

    private static Member member(int number) {
        return new Member(new NodeId(number, "n" + number, "10.0.0." + number + ":7800"), 1);
    }

    private static List<Member> members(int count) {
        List<Member> members = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            members.add(member(number));
        }
        return members;
    }

    @Test
    void allMembersOfAViewFindTheSameHoldersInWhateverOrderTheyListThem() {
        List<Member> members = members(9);
        List<Member> shuffled = new ArrayList<>(members);
        Collections.shuffle(shuffled, new Random(1));
        Placement one = new Placement(members, 3);
        Placement other = new Placement(shuffled, 3);
        for (int key = 0; key < 1_000; key++) {
            assertThat(other.holders("k" + key, member(4))).isEqualTo(one.holders("k" + key, member(4)));
            assertThat(one.holders("k" + key, null).getFirst()).isEqualTo(one.home("k" + key));
        }
    }

    @Test
    void primaryIsAHolderAndCountsAsOneOfTheCopies() {
        Placement placement = new Placement(members(8), 2);
        for (int key = 0; key < 1_000; key++) {
            for (Member primary : placement.members()) {
                List<Member> holders = placement.holders("k" + key, primary);
                assertThat(holders).hasSize(2).doesNotHaveDuplicates().contains(primary, placement.home("k" + key));
            }
        }
    }

    @Test
    void sessionsAreSpreadEvenly() {
        Placement placement = new Placement(members(8), 2);
        Map<Member, Integer> homes = new HashMap<>();
        Map<Member, Integer> seconds = new HashMap<>();
        for (int key = 0; key < KEYS; key++) {
            homes.merge(placement.home("k" + key), 1, Integer::sum);
            seconds.merge(placement.holders("k" + key, null).get(1), 1, Integer::sum);
        }
        assertThat(homes.values()).allSatisfy(count -> assertThat(count).isBetween(KEYS / 8 * 9 / 10, KEYS / 8 * 11 / 10));
        assertThat(seconds.values()).allSatisfy(count -> assertThat(count).isBetween(KEYS / 8 * 9 / 10, KEYS / 8 * 11 / 10));
    }

    @Test
    void onlySessionsOfTheMemberThatLeavesOrComesMove() {
        Placement all = new Placement(members(8), 2);
        Placement rest = all.without(List.of(member(5)));
        for (int key = 0; key < 2_000; key++) {
            String name = "k" + key;
            if (!all.holders(name, null).contains(member(5))) {
                assertThat(rest.holders(name, null)).isEqualTo(all.holders(name, null));
            } else {
                assertThat(rest.holders(name, null)).containsAll(
                        all.holders(name, null).stream().filter(member -> !member.equals(member(5))).toList());
            }
        }
    }

    @Test
    void watcherOfASessionIsItsHomeWhenAllHoldersAreGone() {
        Placement all = new Placement(members(8), 2);
        for (int key = 0; key < 2_000; key++) {
            List<Member> holders = all.holders("k" + key, member(3));
            assertThat(all.without(holders).home("k" + key)).isEqualTo(all.watcher("k" + key, holders));
        }
    }

    @Test
    void fewerMembersThanCopiesAllHoldEverything() {
        Placement placement = new Placement(members(2), 5);
        assertThat(placement.holders("k", null)).hasSize(2);
        assertThat(placement.watcher("k", placement.members())).isNull();
        assertThat(placement.without(placement.members())).isNull();
        assertThat(placement.holders("k", member(77))).as("a primary of another view").hasSize(2).doesNotContain(member(77));
    }

    private static Map<Member, String> zones(String... names) {
        Map<Member, String> zones = new HashMap<>();
        for (int number = 1; number <= names.length; number++) {
            if (!names[number - 1].isEmpty()) {
                zones.put(member(number), names[number - 1]);
            }
        }
        return zones;
    }

    private static Set<String> zonesOf(Map<Member, String> zones, List<Member> holders) {
        return holders.stream().map(holder -> zones.getOrDefault(holder, holder.name())).collect(Collectors.toSet());
    }

    @Test
    void copiesAreInAsManyZonesAsThereAre() {
        Map<Member, String> zones = zones("a", "a", "a", "b", "b", "c", "c", "c");
        for (int copies = 2; copies <= 5; copies++) {
            Placement placement = new Placement(members(8), copies, zones);
            Placement byScore = new Placement(members(8), copies);
            for (int key = 0; key < 1_000; key++) {
                List<Member> holders = placement.holders("k" + key, null);
                assertThat(holders).hasSize(copies).doesNotHaveDuplicates();
                assertThat(zonesOf(zones, holders)).hasSize(Math.min(copies, 3));
                assertThat(placement.home("k" + key)).as("zones do not choose the home").isEqualTo(byScore.home("k" + key)).isEqualTo(holders.getFirst());
            }
        }
    }

    @Test
    void homeAndPrimaryInOneZoneHaveACopyInAnother() {
        Map<Member, String> zones = zones("a", "a", "a", "b", "b", "b");
        Placement two = new Placement(members(6), 2, zones);
        Placement three = new Placement(members(6), 3, zones);
        for (int key = 0; key < 500; key++) {
            String name = "k" + key;
            for (Member primary : two.members()) {
                Member home = two.home(name);
                boolean isOneMore = !primary.equals(home) && zones.get(primary).equals(zones.get(home));
                assertThat(two.holders(name, primary)).hasSize(isOneMore ? 3 : 2).contains(home, primary);
                assertThat(zonesOf(zones, two.holders(name, primary))).hasSize(2);
                assertThat(three.holders(name, primary)).hasSize(3).contains(home, primary);
                assertThat(zonesOf(zones, three.holders(name, primary))).hasSize(2);
            }
        }
    }

    @Test
    void memberWhoseZoneIsNotKnownCountsAsAZoneOfItsOwn() {
        Placement plain = new Placement(members(6), 2);
        Placement none = new Placement(members(6), 2, Map.of());
        Map<Member, String> zones = zones("a", "a", "a", "", "a", "");
        Placement some = new Placement(members(6), 2, zones);
        for (int key = 0; key < 1_000; key++) {
            assertThat(none.holders("k" + key, member(2))).isEqualTo(plain.holders("k" + key, member(2)));
            assertThat(zonesOf(zones, some.holders("k" + key, member(2)))).hasSizeGreaterThanOrEqualTo(2);
        }
        Placement one = new Placement(members(3), 2, zones("a", "a", "a"));
        assertThat(one.holders("k", null)).as("there is no other zone").hasSize(2);
        assertThat(one.hasZones()).isFalse();
        assertThat(some.hasZones()).isTrue();
    }

    @Test
    void onlySessionsOfTheMemberThatLeavesMoveAlsoWithZones() {
        Placement all = new Placement(members(9), 3, zones("a", "b", "c", "a", "b", "c", "a", "b", "c"));
        Placement rest = all.without(List.of(member(5)));
        int moved = 0;
        for (int key = 0; key < 2_000; key++) {
            List<Member> before = all.holders("k" + key, null);
            if (!before.contains(member(5))) {
                assertThat(rest.holders("k" + key, null)).isEqualTo(before);
            } else {
                moved++;
            }
        }
        assertThat(moved).isBetween(2_000 / 9 * 3 * 8 / 10, 2_000 / 9 * 3 * 12 / 10);
    }

    @Test
    void fewerThanTwoCopiesAreRefused() {
        assertThatThrownBy(() -> new Placement(members(3), 1)).hasMessageContaining("at least 2");
    }

    @Test
    void firstHolderThatIsLeftSendsACopyAndTheOthersTellOfTheirs() {
        List<Member> members = members(6);
        Placement before = new Placement(members, 3);
        for (int key = 0; key < 500; key++) {
            String name = "k" + key;
            List<Member> former = before.holders(name, null);
            Placement now = before.without(List.of(former.getFirst()));
            Set<Member> together = Set.copyOf(now.members());
            assertThat(step(name, former.get(1), now, before, together)).as("the next by score is the home").isEqualTo(MovePlan.Step.KEEP);
            assertThat(step(name, former.get(2), now, before, together)).isEqualTo(MovePlan.Step.TELL);
            Placement joined = new Placement(members(40), 3);
            MovePlan.Step first = step(name, former.getFirst(), joined, before, Set.copyOf(members));
            assertThat(first).isEqualTo(joined.home(name).equals(former.getFirst()) ? MovePlan.Step.KEEP : MovePlan.Step.SEND);
        }
    }

    private static MovePlan.Step step(String key, Member self, Placement now, Placement before, Set<Member> together) {
        return MovePlan.step(key, self, now, before, together, null, false);
    }

    @Test
    void copyThatTheHomeKnowsStaysAndOneFromAFileIsSent() {
        Placement now = new Placement(members(6), 2);
        Member other = now.members().stream().filter(member -> !member.equals(now.home("k"))).findFirst().orElseThrow();
        assertThat(MovePlan.step("k", other, now, now, Set.copyOf(now.members()), other, true)).isEqualTo(MovePlan.Step.NOTHING);
        assertThat(MovePlan.step("k", other, now, null, Set.of(other), null, false)).isEqualTo(MovePlan.Step.SEND);
    }
}
