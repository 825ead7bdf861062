package dev.tutti.grid.member;

import dev.tutti.core.NodeId;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Query;
import dev.tutti.grid.store.StoreException;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Answers queries from what this member has. */
final class MemberSource implements Queries.Source {

    private final StoreKeeper store;
    private final LocalProducers producers;
    private final Registry registry;
    private final Supplier<NodeId> self;

    MemberSource(StoreKeeper store, LocalProducers producers, Registry registry, Supplier<NodeId> self) {
        this.store = store;
        this.producers = producers;
        this.registry = registry;
        this.self = self;
    }

    @Override
    public List<Entry> find(Query query) throws StoreException {
        return store.find(query);
    }

    @Override
    public List<Measurement> values(Request.Values request) {
        return producers.values(request);
    }

    @Override
    public TreeSet<NodeId> producersOf(String pattern) {
        TreeSet<NodeId> nodes = new TreeSet<>();
        registry.producersOf(pattern).forEach(member -> nodes.add(member.node()));
        if (producers.isAskedBy(pattern)) {
            nodes.add(self.get());
        }
        return nodes;
    }
}
