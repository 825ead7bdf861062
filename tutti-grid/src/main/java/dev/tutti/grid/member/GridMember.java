package dev.tutti.grid.member;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.grid.Answer;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.Subscription;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.internal.codec.GridCodec;
import dev.tutti.grid.internal.delivery.Gaps;
import dev.tutti.grid.internal.delivery.LastNumbers;
import dev.tutti.grid.internal.delivery.LocalConsumer;
import dev.tutti.grid.internal.delivery.Recipient;
import dev.tutti.grid.internal.links.LinkReport;
import dev.tutti.grid.match.Selector;
import dev.tutti.sites.SiteMessage;
import dev.tutti.sites.Sites;
import dev.tutti.sites.SitesView;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member of the grid: a process with a node. Members of a site are a group; each of them has all entries of the site, and sends
 * measurements directly to the members with consumers that choose them.
 *
 * <p>When a member leaves or crashes, its entries are gone with the view that excludes it, at every other member.
 */
public final class GridMember implements Grid {

    /** Most producers, and most consumers, of one member. */
    public static final int REGISTERED_MAX = Registry.MEMBER_ENTRIES_MAX / 2;

    private static final Logger LOG = LoggerFactory.getLogger(GridMember.class);
    /** Most entries whose changes wait to be announced when a client registers another one. */
    private static final int CHANGES_MAX = 100_000;

    private static final long RETAINED_BYTES = 64L << 20;

    /** Time for which {@link #close} waits until what was published has been sent. */
    private static final long UNSENT_NANOS_MAX = 2_000_000_000L;

    private final Node node;
    private final Threads threads;
    private final String name;
    private final String site;
    private final long queueBytes;
    private final Callbacks callbacks;
    private final LocalConsumers consumers = new LocalConsumers();
    private final MemberHome.Counters counters = new MemberHome.Counters();
    private final CompletableFuture<Void> complete = new CompletableFuture<>();
    private final StoreKeeper store;
    private final Registry registry;
    private final Announcer announcer;
    private final @Nullable SiteLink siteLink;
    private final LocalProducers producers = new LocalProducers();
    private final MemberHome home;
    private final Clients clients;
    private final Leases leases;
    private final LinkReport links;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable TreeSet<Member> awaited;
    private long number;
    private boolean isClosed;

    private volatile @Nullable Group group;
    private volatile @Nullable Queries queries;
    private volatile String whyLeft = "";

    private GridMember(GridBuilder options) {
        Sites sites = options.sites();
        this.node = options.node();
        this.threads = node.threads();
        this.name = options.name();
        this.site = sites == null ? "" : sites.site();
        this.queueBytes = options.queueBytes();
        this.callbacks = new Callbacks(node.group(name));
        this.store = new StoreKeeper(threads, options.store());
        this.registry = new Registry(this::flowTo, store);
        this.announcer = new Announcer(threads, name, registry);
        this.leases = new Leases(threads, registry);
        this.links = new LinkReport(this, node, sites, name);
        this.home = new MemberHome(registry, announcer, producers, consumers, counters);
        this.clients = new Clients(node, site, this::call, producers, consumers, new ClientHome());
        this.siteLink = sites == null ? null : new SiteLink(sites, registry, queueBytes, options.linger(), counters.flows, consumers::filters);
    }

    /** Begins to describe a member of the grid of one site. */
    public static GridBuilder on(Node node) {
        return new GridBuilder(node, null);
    }

    /** Begins to describe a member of the grid of several sites. */
    public static GridBuilder on(Sites sites) {
        return new GridBuilder(sites.node(), sites);
    }

    static GridMember join(GridBuilder options) {
        GridMember member = new GridMember(options);
        try {
            member.open(options.sites(), options.linger());
            member.awaitEntries(options.timeout());
            if (options.hasLinks()) {
                member.links.start();
            }
        } catch (RuntimeException e) {
            member.close();
            throw e;
        }
        return member;
    }

    private void open(@Nullable Sites sites, Duration linger) {
        Group joined = node.group(name)
                .onMessage(this::onMessage)
                .onView(this::onView)
                .onClosed(this::onClosed)
                .join();
        group = joined;
        announcer.onJoined(joined);
        queries = new Queries(node, sites, name, new MemberSource(store, producers, registry, () -> joined.self().node()));
        SiteLink link = siteLink;
        if (sites != null && link != null) {
            link.onJoined(sites.group(name + ".sites")
                    .retain(RETAINED_BYTES, dev.tutti.sites.WhenFull.DROP_OLDEST)
                    .linger(linger)
                    .onMessage(this::onSiteMessage)
                    .onGap(gap -> onGap(Gaps.ofSite(gap)))
                    .onView(view -> Gaps.ofPartition(view).ifPresent(this::onGap))
                    .join());
        }
        store.start(registry::all);
    }

    private void awaitEntries(Duration timeout) {
        try {
            threads.get(complete, timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new IllegalStateException("the entries of " + awaitedNames() + " have not come within " + timeout);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the group " + name + " was left while its entries were awaited", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the thread was interrupted while it waited for the entries of other members");
        }
    }

    private List<String> awaitedNames() {
        lock.lock();
        try {
            return awaited == null ? List.of() : awaited.stream().map(Member::name).toList();
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ the group of the site

    private Flow flowTo(Member member) {
        return new Flow(threads, member.name(), new Flow.ToMember(joined(), member), queueBytes, 0, counters.flows);
    }

    private Group joined() {
        return Objects.requireNonNull(group, "the grid is not joined");
    }

    private void onView(Group from, View view) {
        group = from;
        Member self = from.self();
        view.left().forEach(member -> registry.removeAll(member, threads.nanoTime()));
        Gaps.ofPartition(view).ifPresent(this::onGap);
        leases.watch();
        lock.lock();
        try {
            if (awaited == null) {
                awaited = new TreeSet<>(view.members());
                awaited.remove(self);
            }
            awaited.retainAll(view.members());
            completeIfAllHaveCome();
        } finally {
            lock.unlock();
        }
        if (!view.joined().isEmpty()) {
            // One member is enough, and the oldest has seen the others leave.
            announcer.announceAll(view.members().getFirst().equals(self));
        }
    }

    private void completeIfAllHaveCome() {
        if (awaited != null && awaited.isEmpty()) {
            complete.complete(null);
        }
    }

    private void onMessage(Group from, Message message) {
        Member sender = message.sender();
        if (sender.equals(from.self())) {
            return;
        }
        try {
            Records.read(message.buffer(), (kind, content) -> onRecord(sender, kind, content));
        } catch (MalformedException e) {
            onMalformed(sender.toString(), e);
        }
    }

    private void onMalformed(String sender, MalformedException e) {
        counters.malformed.increment();
        if (counters.malformed.sum() == 1) {
            LOG.warn("Grid {}: a message of {} is malformed and was ignored, as further ones will be without a message here: {}",
                    name, sender, e.getMessage());
        }
    }

    private void onRecord(Member sender, int kind, ByteInput content) {
        switch (kind) {
            case Records.ENTRY -> registry.put(sender, GridCodec.ENTRY.take(content), 0, null);
            case Records.CLIENT_ENTRY -> {
                long leaseNanos = Records.takeLease(content);
                long leftNanos = content.takeLong();
                Long endNanos = leftNanos < 0 ? null : (Long) (threads.nanoTime() + Math.min(leftNanos, leaseNanos));
                Entry entry = GridCodec.ENTRY.take(content);
                registry.put(sender, entry, leaseNanos, endNanos);
                clients.onRegisteredElsewhere(entry.id(), entry.registration());
            }
            case Records.ORPHAN -> {
                long leaseNanos = Records.takeLease(content);
                long endNanos = threads.nanoTime() + Math.min(content.takeLong(), leaseNanos);
                registry.putOrphan(GridCodec.ENTRY.take(content), leaseNanos, endNanos);
                leases.watch();
            }
            case Records.WITHDRAWN -> registry.remove(sender, content.takeText());
            case Records.COMPLETE -> {
                lock.lock();
                try {
                    if (awaited != null) {
                        awaited.remove(sender);
                    }
                    completeIfAllHaveCome();
                } finally {
                    lock.unlock();
                }
            }
            default -> onFlow(kind, content);
        }
    }

    private void onFlow(int kind, ByteInput content) {
        switch (kind) {
            case Records.MEASUREMENT -> {
                Measurement measurement = GridCodec.MEASUREMENT.take(content);
                counters.received.increment();
                consumers.offer(measurement);
            }
            case Records.GAP -> onGap(GridCodec.GAP.take(content));
            default -> throw new MalformedException("record of kind " + kind);
        }
    }

    private void onClosed(String reason) {
        whyLeft = reason.isEmpty() ? "it was closed" : reason;
        complete.completeExceptionally(new IllegalStateException(reason));
    }

    private void onGap(Gap gap) {
        consumers.offer(gap, registry.find(gap.producer()).orElse(null));
    }

    // ------------------------------------------------------------------ other sites

    private void onSiteMessage(SiteMessage message) {
        SiteLink link = siteLink;
        if (link == null || message.site().equals(site)) {
            return;
        }
        try {
            Records.read(ByteBuffer.wrap(message.bytes()), (kind, content) -> {
                switch (kind) {
                    case Records.INTERESTS -> link.onInterests(message, content);
                    case Records.INTERESTS_WANTED -> link.tell();
                    default -> onFlow(kind, content);
                }
            });
        } catch (MalformedException e) {
            onMalformed(message.sender() + " at " + message.site(), e);
        }
    }

    // ------------------------------------------------------------------ producers and consumers

    @Override
    public String site() {
        return site;
    }

    /** Returns the name of the grid. */
    public String name() {
        return name;
    }

    /** Returns the sites, as this member was told last; an empty view if there is one site. */
    public SitesView sites() {
        SiteLink link = siteLink;
        return link == null ? new SitesView(0, List.of()) : link.sites();
    }

    /**
     * Returns the reason for which the group of the grid was left, although the grid is not closed; empty while it has not been. A member
     * that has left gets no measurements, and sends none. Close it and join again, with a new node if the node has stopped.
     */
    public String whyLeft() {
        return whyLeft;
    }

    /** Returns the name of the node. */
    public String node() {
        return node.name();
    }

    @Override
    public Producer produce(ProducerOptions options) {
        lock.lock();
        try {
            checkMayRegister(producers.count(), "producers");
            Entry entry = new Entry(
                    nextId(),
                    Entry.Kind.PRODUCER,
                    options.name(),
                    site,
                    node.name(),
                    options.address(),
                    options.topics().stream().map(Filter::topic).toList(),
                    options.type(),
                    options.schema(),
                    -1,
                    1,
                    options.attributes());
            LocalProducer producer = new LocalProducer(home, threads, options, entry, null);
            producers.add(entry.id(), producer);
            registry.putOwn(entry, 0, null);
            announcer.announce(entry.id());
            return producer;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Subscription subscribe(SubscriptionOptions options, MeasurementListener listener) {
        options.filters().forEach(filter -> Selector.parse(filter.where()));
        LocalConsumer consumer;
        lock.lock();
        try {
            checkMayRegister(consumers.count(), "consumers");
            Entry entry = new Entry(
                    nextId(), Entry.Kind.CONSUMER, options.name(), site, node.name(), "", options.filters(), "", "", -1, 1, options.attributes());
            consumer = new LocalConsumer(threads, this::call, entry, options, listener, new LastNumbers(), consumers.counters(), this::withdraw);
            consumers.add(consumer);
            registry.putOwn(entry, 0, null);
            announcer.announce(entry.id());
        } finally {
            lock.unlock();
        }
        tellSites();
        return consumer;
    }

    private <T extends Object> void call(String callback, Consumer<? super T> method, T argument) {
        // Not as a listener of the group: what one consumer does with a measurement is no reason for the member to leave.
        Throwable thrown = callbacks.attempt(() -> method.accept(argument));
        if (thrown != null) {
            counters.listenerFailures.increment();
            LOG.error("Grid {}: {} of a listener has failed", name, callback, thrown);
        }
    }

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("grid " + name + " is closed");
        }
        if (!whyLeft.isEmpty()) {
            throw new IllegalStateException("node " + node.name() + " has left the group of grid " + name + ": " + whyLeft);
        }
    }

    private void checkMayRegister(int count, String kind) {
        checkOpen();
        if (count >= REGISTERED_MAX) {
            throw new IllegalStateException("grid " + name + " has " + count + " " + kind + " here, and no more are possible");
        }
    }

    private String nextId() {
        NodeId id = joined().self().node();
        number++;
        return id.name() + "-" + Long.toHexString(id.incarnation()) + "-" + number;
    }

    private void withdraw(LocalConsumer consumer) {
        Entry entry = consumer.entry();
        if (consumers.remove(consumer)) {
            registry.removeOwn(entry.id());
            announcer.announce(entry.id());
            tellSites();
        }
    }

    private void tellSites() {
        SiteLink link = siteLink;
        if (link != null) {
            link.tell();
        }
    }

    /** Returns the producers and consumers of processes without a node, which a mediator registers here. */
    public Clients clients() {
        return clients;
    }

    private final class ClientHome extends MemberHome implements Clients.Home {

        ClientHome() {
            super(registry, announcer, producers, consumers, counters);
        }

        @Override
        public void register(Entry entry, long leaseNanos) {
            if (announcer.waiting() >= CHANGES_MAX) {
                throw new IllegalStateException("the changes of " + CHANGES_MAX + " entries have not been announced yet; register it later");
            }
            boolean isProducer = entry.kind() == Entry.Kind.PRODUCER;
            lock.lock();
            try {
                checkMayRegister(isProducer ? producers.count() : consumers.count(), isProducer ? "producers" : "consumers");
            } finally {
                lock.unlock();
            }
            if (!registry.putOwn(entry, leaseNanos, null)) {
                throw new IllegalStateException("identity " + entry.id() + " is in use elsewhere; a client that comes back registers with a larger"
                        + " number than " + registry.find(entry.id()).map(Entry::registration).orElse(entry.registration()));
            }
            announcer.announce(entry.id());
        }

        @Override
        public void onDisconnected(Entry entry, long leaseNanos, long leftNanos) {
            if (registry.putOwn(entry, leaseNanos, threads.nanoTime() + leftNanos)) {
                announcer.announce(entry.id());
            }
        }

        @Override
        public void withdraw(String id) {
            registry.removeOwn(id);
            announcer.announce(id);
        }

        @Override
        public void onFiltersChanged() {
            tellSites();
        }

        @Override
        public boolean isPassedOn(long nanos) {
            return flows().stream().allMatch(flow -> flow.isPassedOn(nanos));
        }
    }

    // ------------------------------------------------------------------ queries

    private Queries asking() {
        lock.lock();
        try {
            checkOpen();
        } finally {
            lock.unlock();
        }
        return Objects.requireNonNull(queries, "the grid is not joined");
    }

    @Override
    public Answer<Entry> find(Query query) {
        return asking().ask(query);
    }

    @Override
    public Answer<Measurement> latest(Filter filter, Duration deadline) {
        Selector.parse(filter.where());
        return asking().ask(filter, Instant.MIN, Instant.MAX, true, deadline);
    }

    @Override
    public Answer<Measurement> history(Filter filter, Instant from, Instant to, Duration deadline) {
        Selector.parse(filter.where());
        return asking().ask(filter, from, to, false, deadline);
    }

    // ------------------------------------------------------------------ state

    private List<Flow> flows() {
        SiteLink link = siteLink;
        return Stream.concat(registry.flows().stream(), link == null ? Stream.of() : link.flows().stream()).toList();
    }

    @Override
    public Map<String, Long> status() {
        TreeMap<String, Long> status = new TreeMap<>();
        status.put("joined", whyLeft.isEmpty() ? 1L : 0L);
        status.put("producers", (long) producers.count());
        status.putAll(consumers.numbers());
        status.put("sent", counters.flows.sent.sum());
        status.put("unsent", counters.flows.unsent.sum());
        status.put("unsent-waiting-bytes", flows().stream().mapToLong(Flow::waitingBytes).sum());
        status.put("published", counters.published.sum());
        status.put("received", counters.received.sum());
        status.put("malformed", counters.malformed.sum());
        status.put("listener-failures", counters.listenerFailures.sum());
        status.put("entries", (long) registry.count());
        status.put("entries-orphaned", (long) registry.orphanCount());
        status.put("entries-refused", registry.refused());
        status.putAll(clients.numbers());
        status.put("store-failures", store.failures());
        status.putAll(links.status());
        return status;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
        } finally {
            lock.unlock();
        }
        links.close();
        clients.close();
        leases.close();
        producers.all().forEach(LocalProducer::close);
        Flow.await(flows(), threads, UNSENT_NANOS_MAX);
        Recipient.closeAll(consumers.all());
        announcer.close();
        SiteLink link = siteLink;
        if (link != null) {
            link.close();
        }
        Queries asking = queries;
        if (asking != null) {
            asking.close();
        }
        Group joined = group;
        if (joined != null) {
            joined.close();
        }
        store.close();
    }

    @Override
    public String toString() {
        return "grid " + name + " at " + node;
    }
}
