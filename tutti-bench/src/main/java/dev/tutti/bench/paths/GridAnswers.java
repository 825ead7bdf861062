package dev.tutti.bench.paths;

import dev.tutti.grid.Filter;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.Topic;
import org.jspecify.annotations.Nullable;

/** Consumer of all sources, and the producer of the answers to them. */
final class GridAnswers {

    private final Grid grid;
    private final Producer producer;

    GridAnswers(Grid grid, @Nullable Posts posts, End.Arrivals arrivals) {
        this.grid = grid;
        this.producer = grid.produce(ProducerOptions.of("answers", GridEnd.ANSWERED + "#"));
        grid.subscribe(
                SubscriptionOptions.of("answers", Filter.topic(GridEnd.ASKED + "#")),
                GridEnd.listener(arrivals, (source, content) ->
                        GridEnd.publish(producer, posts, Topic.of(GridEnd.ANSWERED + source), content)));
    }

    /** Waits until the consumers of the answers are known here. */
    void awaitConnected(int sources) {
        for (int source = 0; source < sources; source++) {
            String topic = GridEnd.ANSWERED + source;
            GridEnd.awaitConnected(grid, producer, topic, Topic.of(topic));
        }
    }
}
