package dev.tutti.grid.member;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import dev.tutti.sites.Sites;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Component of the tests: a node at a site that joins the grid only when it is told to. */
final class LateStation {

    private final Sites sites;
    private @Nullable GridMember grid;
    private @Nullable Producer producer;

    LateStation(Node node, String site, Supplier<NodeBuilder> bridge) {
        sites = Sites.on(node).site(site).bridge(bridge).open();
    }

    /** Returns the number of members of all sites, as this one sees them. */
    int members() {
        return sites.view().sites().stream().mapToInt(site -> site.members().size()).sum();
    }

    void join() {
        GridMember joined = GridMember.on(sites).join();
        producer = joined.produce(ProducerOptions.of("p", "#"));
        grid = joined;
    }

    void subscribe(String topic) {
        Objects.requireNonNull(grid, "not joined").subscribe(SubscriptionOptions.of("c", Filter.topic(topic)), _ -> {});
    }

    boolean isWanted(String topic) {
        return Objects.requireNonNull(producer, "not joined").isWanted(Topic.of(topic));
    }
}
