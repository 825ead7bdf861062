package dev.tutti.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import javax.cache.CacheException;
import javax.cache.expiry.AccessedExpiryPolicy;
import javax.cache.expiry.CreatedExpiryPolicy;
import org.junit.jupiter.api.Tag;

/** Caches of several members in virtual time. */
class ClusterCacheTest {

    private static Components<Member> startAll(Cluster cluster) {
        Components<Member> members = cluster.startAll(Member::new);
        cluster.awaitOneView();
        return members;
    }

    private static void assertAlike(Cluster cluster, Components<Member> members) {
        cluster.awaitRest().advance(Duration.ofMillis(500)).awaitRest();
        Map<String, String> first = members.running().getFirst().entries();
        assertThat(members.running()).allSatisfy(member -> assertThat(member.entries()).isEqualTo(first));
    }

    private static boolean hasA(Member member) {
        return member.cache.containsKey("a");
    }

    @ClusterTest(nodes = 3, seeds = 2)
    void operationsSeeWhatOtherMembersHaveDone(Cluster cluster) {
        Components<Member> members = startAll(cluster);
        members.run(1, member -> {
            member.cache.put("a", "1");
            member.cache.putAll(Map.of("b", "1", "c", "1"));
        });
        members.run(2, member -> {
            assertThat(member.cache.putIfAbsent("a", "2")).isFalse();
            assertThat(member.cache.replace("a", "1", "2")).isTrue();
            assertThat(member.cache.remove("b", "2")).isFalse();
            assertThat(member.cache.getAndRemove("c")).isEqualTo("1");
        });
        members.run(3, member -> {
            assertThat(member.cache.getAndPut("a", "3")).isEqualTo("2");
            assertThat(member.cache.remove("c")).isFalse();
        });
        assertAlike(cluster, members);
        assertThat(members.on(1).entries()).isEqualTo(Map.of("a", "3", "b", "1"));
    }

    @ClusterTest(nodes = 3, seeds = 2)
    void putIfAbsentHasOneWinnerAndListenersHearOnceAtEachMember(Cluster cluster) {
        Components<Member> members = startAll(cluster);
        Map<String, List<String>> winners = new TreeMap<>();
        members.keep(Duration.ofMillis(3), member -> {
            // Several at a time want the same one.
            String key = "k" + cluster.elapsed().toMillis() / 5;
            if (member.cache.putIfAbsent(key, member.name)) {
                winners.computeIfAbsent(key, name -> new ArrayList<>()).add(member.name);
            }
        });
        cluster.advance(Duration.ofMillis(300)).quiet();
        assertAlike(cluster, members);
        assertThat(winners).hasSizeGreaterThan(20);
        assertThat(winners).allSatisfy((key, names) -> assertThat(names)
                .containsExactly(members.on(1).cache.get(key)));
        List<String> heard = members.on(1).heard;
        assertThat(heard).hasSize(winners.size()).doesNotHaveDuplicates();
        assertThat(members.running()).allSatisfy(member -> assertThat(member.heard).isEqualTo(heard));
    }

    @ClusterTest(nodes = 3, seeds = 2)
    void processorsOfAllMembersCountRight(Cluster cluster) {
        Components<Member> members = startAll(cluster);
        List<Boolean> counted = new ArrayList<>();
        members.keep(Duration.ofMillis(3), member -> {
            member.cache.invoke("count", (entry, arguments) -> {
                entry.setValue(entry.exists() ? Integer.toString(Integer.parseInt(entry.getValue()) + 1) : "1");
                return null;
            });
            counted.add(true);
        });
        cluster.advance(Duration.ofMillis(300)).quiet();
        assertAlike(cluster, members);
        assertThat(members.on(2).cache.get("count")).isEqualTo(Integer.toString(counted.size()));
        assertThat(counted).hasSizeGreaterThan(20);
    }

    @ClusterTest(nodes = 2, seeds = 4)
    @Tag("seeds")
    void nothingThatWasAcknowledgedIsLostWhenAMemberCrashes(Cluster cluster) {
        Components<Member> members = startAll(cluster);
        Set<String> acknowledged = new HashSet<>();
        List<Integer> number = new ArrayList<>();
        List<String> last = new ArrayList<>();
        members.keep(Duration.ofMillis(4), member -> {
            number.add(1);
            String key = "k" + number.size();
            try {
                member.cache.put(key, "v");
                acknowledged.add(key);
                if (member.name.equals("n2")) {
                    last.add(key);
                }
            } catch (CacheException e) {
                assertThat(e).hasMessageContaining("may have been made or not");
            }
        });
        int before;
        do {
            before = last.size();
            cluster.advance(Duration.ofNanos(20_000));
        } while (last.size() == before || before < 30);
        // The moment in which the last one was acknowledged.
        cluster.crash(2).advance(Duration.ofSeconds(10)).quiet();
        cluster.awaitRest();
        assertThat(acknowledged).hasSizeGreaterThan(50).contains(last.getLast());
        assertThat(members.on(1).entries()).containsKeys(acknowledged.toArray(String[]::new));
        assertThat(members.on(1).heard).doesNotHaveDuplicates();
        cluster.start(2);
        assertAlike(cluster, members);
        assertThat(members.on(2).entries()).containsKeys(acknowledged.toArray(String[]::new));
    }

    @ClusterTest(nodes = 3, seeds = 2)
    void memberOutsideOfThePrimaryPartitionRefusesAllAndComesBack(Cluster cluster) {
        Map<String, String> founders = Map.of("dev.tutti.jcache.founders", "n1, n2, n3", "dev.tutti.jcache.timeout", "PT2S");
        cluster.configure(node -> node.set("records.directory", "simulated"));
        Components<Member> members = cluster.startAll(node -> new Member(node, founders, configuration -> {}));
        cluster.awaitOneView();
        members.run(3, member -> member.cache.put("a", "1"));
        cluster.partition(3).advance(Duration.ofSeconds(30));
        members.run(3, member -> {
            assertThatThrownBy(() -> member.cache.get("a"))
                    .isInstanceOf(CacheException.class)
                    .hasMessageContaining("outside of the primary partition");
            assertThatThrownBy(() -> member.cache.put("a", "3")).isInstanceOf(CacheException.class);
        });
        members.run(1, member -> member.cache.put("a", "2"));
        cluster.heal().awaitOneView();
        assertAlike(cluster, members);
        members.run(3, member -> {
            assertThat(member.cache.get("a")).isEqualTo("2");
            member.cache.put("b", "1");
        });
        assertThat(members.on(3).heard).containsSubsequence("CREATED a null 1", "UPDATED a 1 2", "CREATED b null 1");
    }

    @ClusterTest(nodes = 3, seeds = 2)
    void entriesThatAreGivenUpAfterAPartitionAreToldToListeners(Cluster cluster) {
        Components<Member> members = startAll(cluster);
        cluster.partition(3).advance(Duration.ofSeconds(30));
        members.run(3, member -> member.cache.put("right", "1"));
        members.run(1, member -> member.cache.put("left", "1"));
        cluster.heal().awaitOneView();
        assertAlike(cluster, members);
        boolean isLeft = members.on(3).entries().containsKey("left");
        assertThat(members.on(3).entries()).isEqualTo(Map.of(isLeft ? "left" : "right", "1"));
        assertThat(members.on(isLeft ? 3 : 1).cache.unwrap(CacheStatus.class).status()).containsEntry("given-up", 1L);
        assertThat(members.on(isLeft ? 3 : 1).heard)
                .containsExactlyElementsOf(isLeft
                        ? List.of("CREATED right null 1", "REMOVED right 1 1", "CREATED left null 1")
                        : List.of("CREATED left null 1", "REMOVED left 1 1", "CREATED right null 1"));
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void entriesExpireAtAllMembers(Cluster cluster) {
        Components<Member> members = cluster.startAll(node -> new Member(
                node,
                Map.of(),
                configuration -> configuration.setExpiryPolicyFactory(
                        CreatedExpiryPolicy.factoryOf(new javax.cache.expiry.Duration(TimeUnit.SECONDS, 5)))));
        cluster.awaitOneView();
        members.run(2, member -> member.cache.put("a", "1"));
        cluster.advance(Duration.ofSeconds(4));
        assertThat(hasA(members.on(1))).isTrue();
        cluster.advance(Duration.ofSeconds(2));
        assertThat(hasA(members.on(1))).isFalse();
        cluster.awaitRest();
        assertThat(members.running()).allSatisfy(member -> assertThat(member.heard)
                .containsExactly("CREATED a null 1", "EXPIRED a 1 1"));
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void readAtOneMemberKeepsAnEntryAtAll(Cluster cluster) {
        Components<Member> members = cluster.startAll(node -> new Member(
                node,
                Map.of(),
                configuration -> configuration.setExpiryPolicyFactory(
                        AccessedExpiryPolicy.factoryOf(new javax.cache.expiry.Duration(TimeUnit.SECONDS, 10)))));
        cluster.awaitOneView();
        members.run(1, member -> member.cache.put("a", "1"));
        for (int second = 0; second < 30; second++) {
            cluster.advance(Duration.ofSeconds(1));
            members.run(2, member -> assertThat(member.cache.get("a")).isEqualTo("1"));
        }
        assertThat(hasA(members.on(1))).isTrue();
        cluster.advance(Duration.ofSeconds(12)).awaitRest();
        assertThat(hasA(members.on(1))).isFalse();
        assertThat(members.on(1).heard).containsExactly("CREATED a null 1", "EXPIRED a 1 1");
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void newcomerHasAllEntries(Cluster cluster) {
        Components<Member> members = cluster.deploy(Member::new);
        cluster.start(1);
        cluster.awaitRest();
        members.run(1, member -> {
            Map<String, String> many = new TreeMap<>();
            for (int index = 0; index < 1_000; index++) {
                many.put("key " + index, "value " + index);
            }
            member.cache.putAll(many);
            member.cache.put("large", "x".repeat(300_000));
        });
        cluster.start(2).awaitOneView();
        assertAlike(cluster, members);
        assertThat(members.on(2).entries()).hasSize(1_001);
        assertThat(members.on(2).heard).isEmpty();
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void fullCacheDropsTheEldestEntriesAtAllMembers(Cluster cluster) {
        Components<Member> members = cluster.startAll(
                node -> new Member(node, Map.of("dev.tutti.jcache.entriesMax.c", "10"), configuration -> {}));
        cluster.awaitOneView();
        members.run(1, member -> {
            for (int index = 0; index < 25; index++) {
                member.cache.put("k" + index, "v");
            }
        });
        assertAlike(cluster, members);
        assertThat(members.on(2).entries()).hasSize(10).containsKeys("k24", "k15").doesNotContainKey("k14");
    }
}
