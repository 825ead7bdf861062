package dev.tutti.sites;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Times of messages between sites while a master is killed: two sites of three members, 40 ms apart, in virtual time. */
class TakeoverTest {

    private static final long LINK_MILLIS = 40;

    /**
     * Most time of a message, a little more than that of three ways: it reaches a master that is gone, the other site is told so, and the
     * message is sent to the next master. An answer before that would take two more.
     */
    private static final long MILLIS_MAX = 125;

    /** Time after the kill until which the masters of the other site have not noticed it by themselves: the connection ends, and is tried again. */
    private static final long NOTICED_MILLIS = 120;

    /** Most time of a message that nothing holds up, beside that of the link. */
    private static final long FLOW_MILLIS_MAX = 5;

    /** A message of the other site. */
    private record Delivery(long sentMillis, long deliveredMillis) {

        long millis() {
            return deliveredMillis - sentMillis;
        }
    }

    /** A member of the site group, which sends the time, and notes that of each message of the other site. */
    private static final class Clocked implements AutoCloseable {

        private final Cluster cluster;
        private final Sites sites;
        private final SiteGroup group;
        private final List<Delivery> deliveries = new ArrayList<>();
        private boolean isSending;

        Clocked(Cluster cluster, Node node, String... seeds) {
            this.cluster = cluster;
            this.sites = Sites.on(node)
                    .site(cluster.siteOf(cluster.numberOf(node)))
                    .bridge(() -> Node.of(Node.defaults()).cluster("bridge").seeds(seeds))
                    .open();
            this.group = sites.group("orders").onMessage(this::onMessage).join();
        }

        private void onMessage(SiteMessage message) {
            if (!message.site().equals(sites.site())) {
                deliveries.add(new Delivery(Long.parseLong(message.text()), cluster.elapsed().toMillis()));
            }
        }

        void send() {
            if (isSending) {
                return;
            }
            isSending = true;
            try {
                group.send(String.valueOf(cluster.elapsed().toMillis()));
            } catch (SendException e) {
                // The group is closed.
            } finally {
                isSending = false;
            }
        }

        int master() {
            return number(group.local().view().members().getFirst().name());
        }

        int secondMaster() {
            return number(group.local().view().members().get(1).name());
        }

        int receiverAt(String site) {
            Member receiver = sites.bridge().masterOf(site, group.name());
            return number(requireNonNull(receiver, site).node().name());
        }

        @Override
        public void close() {
            sites.close();
        }
    }

    private static int number(String name) {
        return Integer.parseInt(name.substring(1));
    }

    @ClusterTest(nodes = 6, seeds = 1)
    void messagesFlowSoonAfterTheSendingMasterIsKilled(Cluster cluster) {
        Components<Clocked> members = start(cluster);
        kill(cluster, members, members.on(1).master());
    }

    @ClusterTest(nodes = 6, seeds = 1)
    void messagesFlowSoonAfterTheReceivingMasterIsKilled(Cluster cluster) {
        Components<Clocked> members = start(cluster);
        kill(cluster, members, members.on(members.on(4).master()).receiverAt("berlin"));
    }

    /** The view without a master, that with its successor, and the start of the one that was killed: none of them holds up a stream. */
    @ClusterTest(nodes = 6, seeds = 1)
    void messagesFlowWhileTheMastersAgreeOnAView(Cluster cluster) {
        Components<Clocked> members = start(cluster);
        int number = members.on(1).secondMaster();
        members.keep(Duration.ofMillis(10), Clocked::send);
        cluster.advance(Duration.ofMillis(500));
        long killed = cluster.elapsed().toMillis();
        cluster.crash(number).advance(Duration.ofSeconds(1));
        cluster.restart(number).advance(Duration.ofSeconds(1));
        for (Clocked member : members.running()) {
            // A newcomer's state is agreed on by all masters, and those that have it take messages behind that.
            long joined = member.sites.site().equals("berlin") ? killed + NOTICED_MILLIS : Long.MAX_VALUE;
            assertThat(member.deliveries).as("messages at %s", member.sites.node().name())
                    .filteredOn(each -> each.sentMillis > killed - LINK_MILLIS)
                    .isNotEmpty()
                    .allMatch(each -> each.millis() <= MILLIS_MAX)
                    .filteredOn(each -> each.sentMillis < joined)
                    .allMatch(each -> each.millis() <= LINK_MILLIS + FLOW_MILLIS_MAX,
                            "at most " + (LINK_MILLIS + FLOW_MILLIS_MAX) + " ms, killed at " + killed);
        }
    }

    private static void kill(Cluster cluster, Components<Clocked> members, int number) {
        members.keep(Duration.ofMillis(10), Clocked::send);
        cluster.advance(Duration.ofMillis(500));
        long killed = cluster.elapsed().toMillis();
        cluster.crash(number).advance(Duration.ofMillis(500));
        for (Clocked member : members.running()) {
            List<Delivery> due = member.deliveries.stream().filter(each -> each.sentMillis < killed + NOTICED_MILLIS - LINK_MILLIS).toList();
            assertThat(due).as("messages at %s", member.sites.node().name())
                    .anyMatch(each -> each.sentMillis > killed)
                    .allMatch(each -> each.millis() <= MILLIS_MAX, "at most " + MILLIS_MAX + " ms, killed at " + killed);
        }
    }

    private static Components<Clocked> start(Cluster cluster) {
        cluster.site("berlin", 1, 2, 3).site("paris", 4, 5, 6).latencyBetweenSites(Duration.ofMillis(LINK_MILLIS), Duration.ZERO);
        String[] seeds = cluster.addresses(1);
        Components<Clocked> members = cluster.startAll(node -> new Clocked(cluster, node, seeds));
        cluster.advanceUntil("sites know each other", Duration.ofSeconds(20), () -> members.running().size() == cluster.size()
                && members.running().stream().allMatch(member -> member.group.knownSites().size() == 1
                        && member.sites.view().up().size() == 2));
        return members;
    }
}
