package dev.tutti.blocks.map.distributed;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A member's map with some copies of each entry, in a simulated cluster. */
final class MapHolder implements AutoCloseable {

    static final int SHARDS = 12;

    final DistributedMap<String, String> map;

    /** Shards that were reported lost here. */
    final List<Integer> lost = new ArrayList<>();

    MapHolder(Node node, UnaryOperator<DistributedMapBuilder<String, String>> settings) {
        map = settings.apply(DistributedMap.on(node, "map", Codec.TEXT, Codec.TEXT)
                        .shards(SHARDS)
                        .timeout(Duration.ofSeconds(10))
                        .onLost(lost::addAll))
                .join();
    }

    @Override
    public void close() {
        map.close();
    }

    long status(String counter) {
        return map.status().getOrDefault(counter, -1L);
    }

    static @Nullable String get(Components<MapHolder> holders, int number, String key) {
        return holders.ask(number, holder -> holder.map.get(key));
    }

    static Map<String, String> getAll(Components<MapHolder> holders, int number, Collection<String> keys) {
        return holders.ask(number, holder -> holder.map.getAll(keys));
    }

    static long size(Components<MapHolder> holders, int number) {
        return holders.ask(number, holder -> holder.map.size());
    }

    /** Waits until each shard is served by one member, and held by as many as there are copies, or by all. */
    static void awaitSettled(Cluster cluster, Components<MapHolder> holders, int copies) {
        cluster.advanceUntil("copies where they are to be", Duration.ofSeconds(60), () -> isSettled(holders, copies));
    }

    private static boolean isSettled(Components<MapHolder> holders, int copies) {
        List<MapHolder> running = holders.running();
        int shards = running.isEmpty() ? SHARDS : running.getFirst().map.shards();
        long held = Math.min(copies, running.size()) * (long) shards;
        return running.stream().allMatch(holder -> holder.map.view().size() == running.size() && holder.status("unsettled") == 0)
                && running.stream().mapToLong(holder -> holder.status("copies")).sum() == held
                && running.stream().mapToLong(holder -> holder.status("homes")).sum() == shards;
    }
}
