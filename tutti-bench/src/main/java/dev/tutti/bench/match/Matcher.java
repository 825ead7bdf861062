package dev.tutti.bench.match;

import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.match.FilterIndex;
import dev.tutti.grid.match.Patterns;
import dev.tutti.grid.match.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** A way to find the subscriptions that choose a measurement, by their indexes. */
@FunctionalInterface
public interface Matcher {

    /** Gives the subscriptions that choose the measurement. */
    void match(Measurement measurement, IntConsumer consumer);

    /** Returns the index of tutti. */
    static Matcher tutti(List<Filter> filters) {
        FilterIndex<Integer> index = new FilterIndex<>();
        for (int i = 0; i < filters.size(); i++) {
            index.add(filters.get(i), i);
        }
        return (measurement, consumer) -> index.match(measurement, consumer::accept);
    }

    /** Returns a scan of all subscriptions, which the others are compared with. */
    static Matcher scan(List<Filter> filters) {
        List<Selector> selectors = filters.stream().map(filter -> Selector.parse(filter.where())).toList();
        return (measurement, consumer) -> {
            for (int i = 0; i < filters.size(); i++) {
                Filter filter = filters.get(i);
                if (Patterns.matches(filter.topic(), measurement.topic())
                        && measurement.tags().entrySet().containsAll(filter.tags().entrySet())
                        && selectors.get(i).matches(measurement)) {
                    consumer.accept(i);
                }
            }
        };
    }

    /** Returns the subscriptions that choose the measurement, sorted. */
    default List<Integer> found(Measurement measurement) {
        List<Integer> found = new ArrayList<>();
        match(measurement, found::add);
        found.sort(null);
        return found;
    }
}
