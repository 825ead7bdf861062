package dev.tutti.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.config.YamlFile;
import dev.tutti.core.Packet;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Guarantee;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.LayerContext;
import dev.tutti.core.stack.LayerProvider;
import dev.tutti.core.stack.Outbox;
import dev.tutti.layers.rate.RateLimitProvider;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes in virtual time whose groups have layers of this module. */
class LayersClusterTest {

    private static final byte[] TEXT = "the same words again and again, ".repeat(100).getBytes();

    static final class Talker {
        private final AtomicInteger got = new AtomicInteger();
        private final Group group;
        private final Node node;

        Talker(Node node, UnaryOperator<GroupBuilder> settings) {
            this.node = node;
            group = settings.apply(node.group("chat")).onMessage(message -> got.incrementAndGet()).join();
        }

        void talk() {
            group.send(TEXT);
        }

        long count(String layer, String name) {
            NodeInspection.GroupPart part = node.inspection().groups().getFirst();
            return part.layers().stream().filter(one -> one.name().equals(layer)).findFirst().orElseThrow().values().get(name);
        }
    }

    @ClusterTest(nodes = 4, seeds = 5)
    @Tag("seeds")
    void allLayersTogetherKeepTheGuaranteesUnderFaults(Cluster cluster) {
        Components<Talker> talkers = cluster.startAll(node -> new Talker(node, group -> group.set("layers", "compression,rate-limit,fault")
                .set("layer.fault.delay", "20 ms")
                .set("layer.fault.inject", "50")
                .set("layer.rate-limit.messages", "500")));
        talkers.keep(Duration.ofMillis(20), Talker::talk);
        cluster.randomFaults(Duration.ofSeconds(5)).awaitRest();
        assertThat(talkers.running()).anyMatch(talker -> talker.count("layer.compression", "expanded-packets") > 0);
        assertThat(talkers.running()).anyMatch(talker -> talker.count("layer.fault", "delayed-packets") > 0);
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void aRateIsKeptByMakingSendsWait(Cluster cluster) {
        Components<Talker> talkers = cluster.startAll(node -> new Talker(node, group ->
                group.layer(new RateLimitProvider()).set(RateLimitProvider.MESSAGES, 100).set("window", "1 MiB")));
        cluster.awaitOneView();
        talkers.keep(Duration.ofMillis(1), Talker::talk);
        cluster.advance(Duration.ofSeconds(10));
        // 3 KiB messages share packets of 64 KiB while they wait.
        assertThat(talkers.on(1).got.get()).isBetween(1_800, 2_200);
        cluster.quiet().awaitRest();
    }

    /** Layer with the longest header there may be, above reliability. */
    private record LongHeader(List<Guarantee> requires) implements LayerProvider {

        @Override
        public String name() {
            return "long-header";
        }

        @Override
        public int headerBytes() {
            return HEADER_BYTES_MAX;
        }

        @Override
        public Layer create(LayerContext context) {
            return new Layer() {
                @Override
                public void onSend(Packet packet, Outbox out) {
                    for (int index = 0; index < HEADER_BYTES_MAX; index++) {
                        packet.prependByte(index);
                    }
                    out.send(packet);
                }

                @Override
                public void onReceive(Packet packet, Outbox out) {
                    packet.skip(HEADER_BYTES_MAX);
                    if (packet.isMalformed()) {
                        out.drop(packet, DropReason.MALFORMED);
                    } else {
                        out.deliver(packet);
                    }
                }
            };
        }
    }

    @ClusterTest(nodes = 4, seeds = 4)
    @Tag("seeds")
    void longHeadersLeaveWindowsAndTheLargestPacketsRight(Cluster cluster) {
        byte[] large = new byte[Packet.PAYLOAD_MAX - 5];
        boolean isRing = cluster.seed() % 2 == 0;
        List<Guarantee> place = cluster.seed() < 3 ? List.of(Guarantee.RELIABLE) : List.of();
        Components<Talker> talkers = cluster.startAll(node -> new Talker(node, group -> group.layer(new LongHeader(place))
                .set("window", "256 KiB")
                .set("dissemination", isRing ? "ring" : "fan-out")
                .set("stack", "total")
                .set("total.by", "rotation")));
        cluster.awaitOneView();
        talkers.keep(Duration.ofMillis(5), talker -> talker.group.send(large));
        // Each member sends many times its window.
        cluster.advance(Duration.ofSeconds(2)).crash(4).advance(Duration.ofSeconds(2)).quiet().awaitRest();
        assertThat(talkers.on(1).got.get()).isGreaterThan(500);
        // Messages that are all the same do not tell whether the last one has arrived everywhere.
        cluster.advance(Duration.ofSeconds(1));
        assertThat(talkers.running()).extracting(talker -> talker.got.get()).containsOnly(talkers.on(1).got.get());
    }

    @ClusterTest(nodes = 2, seeds = 1)
    void membersWithAndWithoutALayerDoNotMeet(Cluster cluster) {
        AtomicInteger count = new AtomicInteger();
        Components<Talker> talkers = cluster.startAll(node -> new Talker(
                node, group -> count.getAndIncrement() % 2 == 0 ? group : group.set("layers", "compression")));
        cluster.advance(Duration.ofSeconds(5));
        assertThat(talkers.on(1).group.view().size()).isOne();
        assertThat(cluster.story()).anyMatch(line -> line.contains("stack differs: layers is compression here"));
    }

    @Test
    void areNamedInAFileWithTheirSettings() {
        String file = """
                groups:
                  chat:
                    layers: [compression, rate-limit]
                    layer:
                      compression:
                        least: 1 KiB
                      rate-limit:
                        bytes: 10 MiB
                """;
        var chat = YamlFile.parse("node.yaml", file, Node.defaults()).group("chat");
        assertThat(chat.get(RateLimitProvider.BYTES).toString()).isEqualTo("10 MiB");
        assertThatThrownBy(() -> YamlFile.parse("node.yaml", file.replace("least", "last"), Node.defaults()))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("node.yaml:6: there is no setting 'layer.compression.last'; did you mean 'layer.compression.least'?");
    }

    @Test
    void thatDoNotExistAreNamedWithTheNearest() {
        try (Cluster cluster = Cluster.of(1, 1)) {
            cluster.startAll(Node::name);
            assertThatThrownBy(() -> cluster.node(1).group("chat").set("layers", "compresion").join())
                    .isInstanceOf(SettingException.class)
                    .hasMessage("group 'chat': there is no layer 'compresion'; did you mean 'compression'?");
        }
    }
}
