package dev.tutti.blocks.map.distributed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Members that hold each shard, as a function of the members, and shards of keys. */
class LayoutTest {

    private static final int SHARDS = 1_024;

    private static List<NodeId> nodes(int count) {
        List<NodeId> nodes = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            nodes.add(new NodeId(number, "n" + number, "10.0.0." + number + ":7800"));
        }
        return nodes;
    }

    @Test
    void isTheSameInWhateverOrderMembersAreListed() {
        List<NodeId> shuffled = new ArrayList<>(nodes(9));
        Collections.shuffle(shuffled, new Random(1));
        Layout one = new Layout(nodes(9), SHARDS, 3);
        Layout other = new Layout(shuffled, SHARDS, 3);
        assertThat(other.members()).isEqualTo(one.members());
        for (int shard = 0; shard < SHARDS; shard++) {
            assertThat(other.order(shard)).isEqualTo(one.order(shard)).containsExactlyInAnyOrderElementsOf(nodes(9));
        }
    }

    @Test
    void copiesAreSpreadEvenly() {
        Layout layout = new Layout(nodes(8), SHARDS, 2);
        TreeMap<NodeId, Integer> copies = new TreeMap<>();
        TreeMap<NodeId, Integer> homes = new TreeMap<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            List<NodeId> holders = layout.holders(shard);
            assertThat(holders).hasSize(2).doesNotHaveDuplicates();
            holders.forEach(node -> copies.merge(node, 1, Integer::sum));
            homes.merge(holders.getFirst(), 1, Integer::sum);
        }
        // A quarter of the shards, and an eighth.
        assertThat(copies.values()).hasSize(8).allSatisfy(count -> assertThat(count).isBetween(SHARDS / 4 * 8 / 10, SHARDS / 4 * 12 / 10));
        assertThat(homes.values()).hasSize(8).allSatisfy(count -> assertThat(count).isBetween(SHARDS / 8 * 7 / 10, SHARDS / 8 * 13 / 10));
    }

    @Test
    void onlyCopiesOfTheMemberThatComesOrLeavesMove() {
        Layout before = new Layout(nodes(7), SHARDS, 2);
        Layout after = new Layout(nodes(8), SHARDS, 2);
        NodeId newcomer = nodes(8).getLast();
        int moved = 0;
        for (int shard = 0; shard < SHARDS; shard++) {
            if (after.isHolder(shard, newcomer)) {
                moved++;
                assertThat(before.holders(shard)).containsAll(after.holders(shard).stream().filter(node -> !node.equals(newcomer)).toList());
            } else {
                assertThat(after.holders(shard)).isEqualTo(before.holders(shard));
            }
        }
        assertThat(moved).isBetween(SHARDS / 4 * 8 / 10, SHARDS / 4 * 12 / 10);
    }

    @Test
    void fewMembersHoldEverythingAndNobodyNothing() {
        Layout two = new Layout(nodes(2), 16, 3);
        for (int shard = 0; shard < 16; shard++) {
            assertThat(two.holders(shard)).containsExactlyInAnyOrderElementsOf(nodes(2));
        }
        assertThat(new Layout(List.of(), 16, 3).holders(7)).isEmpty();
    }

    @Test
    void keysAreSpreadEvenlyOverShards() {
        int[] counts = new int[64];
        for (int key = 0; key < 64_000; key++) {
            int shard = new EntryKey(("user:" + key).getBytes(StandardCharsets.UTF_8)).shard(64);
            counts[shard]++;
        }
        for (int count : counts) {
            assertThat(count).isBetween(850, 1_150);
        }
    }
}
