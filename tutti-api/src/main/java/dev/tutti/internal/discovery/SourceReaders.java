package dev.tutti.internal.discovery;

import dev.tutti.NodeInspection;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.discovery.SourceDrops;
import dev.tutti.internal.Host;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** Readers of all sources of a node, from its start to its end. From any thread. */
public final class SourceReaders implements AutoCloseable {

    /** Time for which the end of a node waits for its sources to remove its entries. */
    private static final long RETIRE_NANOS = 2_000_000_000L;

    private final Host host;
    private final List<SourceReader> readers = new ArrayList<>();

    /** @param sources by their names, which are unique */
    public SourceReaders(Map<String, DiscoverySource> sources, NodeEntry self, Host host, SourceReader.Node node) {
        this.host = host;
        new TreeMap<>(sources).forEach((name, source) -> readers.add(new SourceReader(name, source, self, host, node)));
    }

    /** Begins to read. */
    public void start() {
        readers.forEach(SourceReader::start);
    }

    /** Returns the state of all sources, for the inspection of the node. */
    public NodeInspection.Part part() {
        List<SourceState> states = readers.stream().map(SourceReader::state).toList();
        Map<String, String> texts = new TreeMap<>();
        states.forEach(state -> texts.put(state.name(), state.text()));
        Map<String, Long> numbers = new TreeMap<>();
        numbers.put("sources", (long) states.size());
        numbers.put("sources-failing", states.stream().filter(SourceState::isFailing).count());
        numbers.put("listed-addresses", sum(states, SourceState::listed));
        numbers.put("looks", sum(states, SourceState::looks));
        numbers.put("failures", sum(states, SourceState::failures));
        numbers.put("announcements", sum(states, SourceState::announced));
        numbers.put("removed-entries", sum(states, SourceState::removed));
        List<SourceDrops> drops = readers.stream().map(SourceReader::drops).toList();
        numbers.put("malformed-entries", drops.stream().mapToLong(SourceDrops::malformed).sum());
        numbers.put("overflowing-entries", drops.stream().mapToLong(SourceDrops::overflow).sum());
        numbers.put("hanging-calls", readers.stream().mapToLong(SourceReader::hanging).sum());
        return new NodeInspection.Part("sources", texts, numbers, Map.of());
    }

    private static long sum(List<SourceState> states, ToLongFunction<SourceState> number) {
        return states.stream().mapToLong(number).sum();
    }

    /** Ends all readers, and waits for two seconds at most until they have removed the node's entries. Idempotent. */
    @Override
    public void close() {
        readers.forEach(SourceReader::stop);
        long deadlineNanos = host.nanoTime() + RETIRE_NANOS;
        readers.forEach(reader -> reader.awaitEnd(deadlineNanos));
    }
}
