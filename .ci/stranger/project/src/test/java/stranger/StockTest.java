package stranger;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.Objects;

class StockTest {

    @ClusterTest(nodes = 3, seeds = 2)
    void isTheSameEverywhereAfterAPartition(Cluster cluster) {
        Components<ReplicatedMap<String, Integer>> stocks = cluster.startAll(node ->
                ReplicatedMap.on(node.group("stock"), Codec.TEXT, Codec.INT).lastWriter());
        cluster.awaitOneView();
        cluster.partition(1);
        stocks.run(1, stock -> stock.put("tea", 10));
        cluster.advance(Duration.ofSeconds(10)).heal().awaitRest();
        for (ReplicatedMap<String, Integer> stock : stocks.running()) {
            assertEquals(10, Objects.requireNonNull(stock.get("tea")));
        }
    }
}
