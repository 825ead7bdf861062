package dev.tutti.codecs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.tutti.Node;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.Outcomes;
import dev.tutti.blocks.calls.Procedure;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.presence.Presence;
import dev.tutti.blocks.typed.TypedGroup;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values in JSON and Protocol Buffers in each block that has a codec. */
class CodecsInBlocksTest {

    record Price(String article, int cents, @Nullable String note) {}

    private static final Codec<Price> PRICES = JsonCodec.of(Price.class);
    private static final Codec<Struct> STRUCTS = ProtobufCodec.of(Struct.getDefaultInstance());

    private static final Price TEA = new Price("tea", 450, null);
    private static final Struct RED =
            Struct.newBuilder().putFields("colour", Value.newBuilder().setStringValue("red").build()).build();

    private static final class Shop {
        static final Procedure<Price, Struct> PAINT = Procedure.of("paint", PRICES, STRUCTS);

        final List<String> heard = new ArrayList<>();
        final TypedGroup<Price> group;
        final ReplicatedMap<String, Struct> map;
        final Presence<String, Price> presence;
        final Calls calls;

        Shop(Node node) {
            group = TypedGroup.on(node.group("prices"), PRICES)
                    .onMessage(message -> heard.add(message.value().article()))
                    .join();
            map = ReplicatedMap.on(node.group("structs"), Codec.TEXT, STRUCTS).totalOrder();
            presence = Presence.on(node.group("offers"), Codec.TEXT, PRICES).join();
            calls = Calls.on(node.group("calls")).handle(PAINT, (price, context) -> RED).join();
        }
    }

    @ClusterTest(nodes = 3, seeds = 2)
    void valuesReachAllMembers(Cluster cluster) {
        Components<Shop> shops = cluster.startAll(Shop::new);
        cluster.awaitOneView();
        shops.run(1, shop -> {
            shop.group.send(TEA);
            shop.map.put("tea", RED);
            shop.presence.put("tea", TEA);
            Outcomes<Struct> painted = shop.calls.toAll().call(Shop.PAINT, TEA);
            assertThat(painted.values()).containsExactly(RED, RED, RED);
        });
        cluster.awaitRest();
        assertThat(shops.running()).allSatisfy(shop -> {
            assertThat(shop.heard).containsExactly("tea");
            assertThat(shop.map.get("tea")).isEqualTo(RED);
            assertThat(shop.presence.at("tea")).isEqualTo(Map.of(shops.on(1).presence.self(), TEA));
        });
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void bytesThatAreNoValueArePassedOverAtAllMembers(Cluster cluster) {
        cluster.expectCallbackFailures(thrown -> thrown instanceof MalformedException
                && String.valueOf(thrown.getMessage()).contains("is no value of this group: Price.cents: "));
        Components<Shop> shops = cluster.startAll(Shop::new);
        cluster.awaitOneView();
        shops.run(1, shop -> {
            byte[] json = "\0\0\0\21{\"cents\": \"many\"}".getBytes(java.nio.charset.StandardCharsets.UTF_8);
            json[3] = (byte) (json.length - 4);
            shop.group.group().send(json);
            shop.group.send(TEA);
        });
        cluster.awaitRest();
        assertThat(shops.running()).allSatisfy(shop -> {
            assertThat(shop.heard).containsExactly("tea");
            assertThat(shop.group.malformed()).isEqualTo(1);
        });
    }
}
