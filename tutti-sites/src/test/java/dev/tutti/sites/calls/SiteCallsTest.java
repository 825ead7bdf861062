package dev.tutti.sites.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.sites.SiteGroupBuilder;
import dev.tutti.sites.Sites;
import dev.tutti.sites.WhenFull;
import dev.tutti.sites.calls.SiteCallException.Reason;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import dev.tutti.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;

/** Calls between two sites of three processes, in virtual time. */
class SiteCallsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static final class Member implements AutoCloseable {

        final Sites sites;
        final SiteCalls<String, String> calls;
        final List<String> handled = new ArrayList<>();
        final CompletableFuture<String> gate = new CompletableFuture<>();
        private int count;

        Member(Node node, Cluster cluster, String[] seeds, UnaryOperator<SiteCallsBuilder<String, String>> settings) {
            this(node, cluster, seeds, group -> group.expect("berlin", "paris"), settings);
        }

        Member(
                Node node,
                Cluster cluster,
                String[] seeds,
                UnaryOperator<SiteGroupBuilder> group,
                UnaryOperator<SiteCallsBuilder<String, String>> settings) {
            sites = Sites.on(node)
                    .site(cluster.siteOf(cluster.numberOf(node)))
                    .bridge(() -> Node.of(Node.defaults()).cluster("bridge").seeds(seeds))
                    .open();
            calls = settings.apply(SiteCalls.on(group.apply(sites.group("calls")), Codec.TEXT, Codec.TEXT)
                            .handle(this::handle))
                    .join();
        }

        private String handle(String request, String site, String caller) {
            handled.add(request);
            return switch (request) {
                case "fail" -> throw new IllegalStateException("no such thing");
                case "wait" -> sites.node().threads().join(gate);
                default -> request.toUpperCase(Locale.ROOT) + " for " + caller + " at " + site + " by " + sites.node().name();
            };
        }

        void callOther() {
            count++;
            String request = sites.node().name() + "#" + sites.node().id().incarnation() + " " + count;
            try {
                calls.call(sites.site().equals("berlin") ? "paris" : "berlin", request);
            } catch (SiteCallException e) {
                assertThat(e.reason()).isNotEqualTo(Reason.FAILED);
            }
        }

        @Override
        public void close() {
            calls.close();
            sites.close();
        }
    }

    private static Components<Member> start(Cluster cluster, UnaryOperator<SiteCallsBuilder<String, String>> settings) {
        cluster.site("berlin", 1, 2, 3).site("paris", 4, 5, 6).latencyBetweenSites(Duration.ofMillis(20), Duration.ofMillis(10));
        String[] seeds = cluster.addresses(1);
        Components<Member> members = cluster.startAll(node -> new Member(node, cluster, seeds, settings));
        cluster.advanceUntil("sites are connected", Duration.ofSeconds(20), () -> members.running().stream()
                .allMatch(member -> member.sites.view().up().size() == 2));
        return members;
    }

    private static void assertRefused(Components<Member> members, int number, String site, String member, Reason reason, String text) {
        members.run(number, caller -> assertThatThrownBy(() -> {
                    if (member.isEmpty()) {
                        caller.calls.call(site, "question");
                    } else {
                        caller.calls.call(site, member, "question");
                    }
                })
                .isInstanceOfSatisfying(SiteCallException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContaining(text));
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void membersOfASiteTakeTurnsAndOneCanBeNamed(Cluster cluster) {
        Components<Member> members = start(cluster, calls -> calls);
        TreeSet<String> by = new TreeSet<>();
        for (int call = 0; call < 3; call++) {
            String answer = members.ask(1, caller -> caller.calls.call("paris", "question"));
            assertThat(answer).startsWith("QUESTION for n1 at berlin by ");
            by.add(answer.substring(answer.lastIndexOf(' ') + 1));
        }
        assertThat(by).containsExactly("n4", "n5", "n6");
        assertThat(members.<String>ask(2, caller -> caller.calls.call("paris", "n5", "you"))).isEqualTo("YOU for n2 at berlin by n5");
        assertThat(members.<String>ask(2, caller -> caller.calls.call("berlin", "n3", "here"))).isEqualTo("HERE for n2 at berlin by n3");
        assertThat(members.on(1).calls.status()).containsEntry("open", 0L);
    }

    @ClusterTest(nodes = 6, seeds = 2)
    void aCallSaysWhyThereIsNoAnswer(Cluster cluster) {
        Components<Member> members = start(cluster, calls -> calls.runningMax(1));
        assertRefused(members, 1, "paris", "n9", Reason.UNREACHABLE, "there is no member n9 at site paris");
        assertRefused(members, 1, "rome", "", Reason.UNREACHABLE, "the site is not up");
        members.run(1, caller -> assertThatThrownBy(() -> caller.calls.call("paris", "fail"))
                .hasMessageContaining("IllegalStateException: no such thing"));
        CompletableFuture<String> waiting = members.ask(1, caller -> caller.calls.callAsync("paris", "n4", "wait"));
        cluster.advance(SECOND);
        assertRefused(members, 2, "paris", "n4", Reason.REFUSED, "n4 runs 1 handlers");
        members.on(4).gate.complete("done");
        cluster.advance(SECOND);
        assertThat(waiting).isCompletedWithValue("done");
        cluster.setWallClock(5, Duration.ofHours(1));
        assertRefused(members, 2, "paris", "n5", Reason.REFUSED, "ms after its deadline, if the clocks of both nodes agree");
        cluster.partition(4, 5, 6);
        assertRefused(members, 1, "paris", "", Reason.TIMED_OUT, "site paris has not answered within PT10S");
        assertRefused(members, 1, "paris", "", Reason.UNREACHABLE, "the site is not up");
    }

    /** A request that was kept while the sites were not connected is not handled when nobody waits for it any more. */
    @ClusterTest(nodes = 6, seeds = 2)
    void aRequestThatComesTooLateIsNotHandled(Cluster cluster) {
        Components<Member> members = start(cluster, calls -> calls);
        cluster.partition(4, 5, 6);
        assertRefused(members, 1, "paris", "", Reason.TIMED_OUT, "has not answered");
        cluster.heal().advance(Duration.ofSeconds(20));
        assertThat(members.running()).allMatch(member -> member.handled.isEmpty());
        assertThat(members.running().stream().mapToLong(member -> member.calls.status().get("refused")).sum()).isOne();
    }

    @ClusterTest(nodes = 6, seeds = 4)
    @Tag("seeds")
    void aCallIsHandledAtMostOnceWhileMastersCrash(Cluster cluster) {
        Components<Member> members = start(cluster, calls -> calls);
        // By identity: two members may have handled the same requests, which must not be taken for one.
        Set<List<String>> handled = Collections.newSetFromMap(new IdentityHashMap<>());
        members.running().forEach(member -> handled.add(member.handled));
        members.keep(Duration.ofMillis(100), Member::callOther);
        for (int round = 0; round < 3; round++) {
            cluster.randomFaults(Duration.ofSeconds(4), Fault.CRASH, Fault.STOP);
            members.running().forEach(member -> handled.add(member.handled));
        }
        cluster.quiet().awaitRest();
        members.running().forEach(member -> handled.add(member.handled));
        List<String> all = handled.stream().flatMap(List::stream).toList();
        assertThat(all).hasSizeGreaterThan(50).doesNotHaveDuplicates();
    }

    /** The site that answers keeps as much as it may for a third one, so that its answers have to wait. */
    @ClusterTest(nodes = 3, seeds = 2)
    void answersThatCanNotBeSentAreBoundedAndCounted(Cluster cluster) {
        cluster.site("berlin", 1).site("paris", 2).site("rome", 3).latencyBetweenSites(Duration.ofMillis(20), Duration.ofMillis(1));
        String[] seeds = cluster.addresses(1);
        Components<Member> members = cluster.startAll(node -> new Member(
                node,
                cluster,
                seeds,
                group -> group.expect("berlin", "paris", "rome").retain(1 << 16, WhenFull.WAIT),
                calls -> calls.runningMax(2)));
        cluster.advanceUntil("sites are connected", Duration.ofSeconds(20), () -> members.running().stream()
                .allMatch(member -> member.sites.view().up().size() == 3));
        cluster.partition(3);
        members.run(2, member -> {
            for (int call = 0; call < 2; call++) {
                member.calls.callAsync("rome", "x".repeat(30_000));
            }
        });
        cluster.advance(Duration.ofMillis(100));
        for (int round = 0; round < 15; round++) {
            members.run(1, member -> member.calls.callAsync("paris", "x".repeat(6_000)));
            cluster.advance(Duration.ofMillis(200));
        }
        // Four answers for each handler that may run: those wait, and the others are not sent.
        assertThat(members.on(2).handled.size() + members.on(2).calls.status().get("refused")).isEqualTo(15);
        assertThat(members.on(2).calls.status().get("unsent")).isEqualTo(15 - 4 * 2);
    }

    @ClusterTest(nodes = 6, seeds = 1)
    void bytesThatAreNoCallAreCounted(Cluster cluster) {
        Components<Member> members = start(cluster, calls -> calls.openMax(1));
        members.run(1, caller -> caller.calls.group().send("hello"));
        cluster.advance(SECOND);
        members.running().forEach(member -> assertThat(member.calls.status()).containsEntry("malformed", 1L));
        members.run(1, caller -> {
            CompletableFuture<String> first = caller.calls.callAsync("paris", "n4", "wait");
            assertThatThrownBy(() -> caller.calls.call("paris", "question")).hasMessageContaining("the maximum (openMax)");
            assertThat(first).isNotDone();
            caller.calls.close();
            assertThat(first).isCompletedExceptionally();
        });
        members.on(4).gate.complete("late");
    }
}
