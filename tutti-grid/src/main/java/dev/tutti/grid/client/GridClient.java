package dev.tutti.grid.client;

import dev.tutti.Threads;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Callbacks;
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
import dev.tutti.grid.client.Links.Link;
import dev.tutti.grid.internal.codec.GridCodec;
import dev.tutti.grid.internal.delivery.ConsumerCounters;
import dev.tutti.grid.internal.delivery.LastNumbers;
import dev.tutti.grid.internal.delivery.LocalConsumer;
import dev.tutti.grid.internal.delivery.Recipient;
import dev.tutti.grid.internal.wire.ClientMessage;
import dev.tutti.grid.internal.wire.Identity;
import dev.tutti.grid.match.Selector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A grid as a process without a node sees it, through one of several mediators.
 *
 * <p>When its mediator is gone, the client goes to the next one, with which it has a spare connection open if it can, and registers everything
 * again. Entries of the registry outlast that by their lease. Measurements that are published meanwhile wait, and those that the mediator had not confirmed are sent again.
 * Measurements that were on their way from the mediator are lost: each consumer here is told of a gap with an unknown number.
 */
public final class GridClient implements Grid {

    private static final Logger LOG = LoggerFactory.getLogger(GridClient.class);

    /** Most producers and consumers. */
    public static final int REGISTERED_MAX = 10_000;

    private static final long LOAD_NANOS = 1_000_000_000L;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final List<URI> mediators;
    private final HttpClient http;
    private final Threads threads = new Threads() {};
    private final Callbacks callbacks = new Callbacks(threads);
    private final Outgoing outgoing;
    private final Links links;
    private final String secret = UUID.randomUUID().toString();
    private final String identity;
    private final ClientCounters counters = new ClientCounters();
    private final ConsumerCounters consumed = new ConsumerCounters();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final TreeMap<String, RemoteProducer> producers = new TreeMap<>();
    private final TreeMap<String, LocalConsumer> consumers = new TreeMap<>();
    private final TreeMap<Long, Question> questions = new TreeMap<>();
    private long entryNumber;
    private long questionNumber;

    private volatile long registration = 1;
    private volatile String site = "";
    private volatile String node = "";
    private volatile boolean isClosing;
    private volatile boolean isClosed;
    private volatile @Nullable Connection current;

    private record Question(ClientMessage message, CompletableFuture<ClientMessage> answer) {}

    GridClient(GridClientBuilder options) {
        this.mediators = options.mediators();
        options.token();
        this.http = options.http();
        this.outgoing = new Outgoing(options.bufferBytes());
        this.links = new Links(mediators, options::token, http, threads, this::onMessage, outgoing::wake);
        this.identity = Identity.of(options.name(), secret);
        threads.start("tutti-grid-client", this::run);
    }

    /**
     * Begins to describe a client.
     *
     * @param mediators addresses such as {@code https://monitor.example:7795}, one of which is drawn; another one is tried when it does not answer
     */
    public static GridClientBuilder of(URI... mediators) {
        if (mediators.length == 0) {
            throw new IllegalArgumentException("a client has the address of at least one mediator");
        }
        List<URI> sockets = new ArrayList<>();
        for (URI each : mediators) {
            String scheme = String.valueOf(each.getScheme());
            boolean isHttp = scheme.equals("http") || scheme.equals("https");
            if (!isHttp || each.getHost() == null || each.getRawUserInfo() != null || each.getPort() > GridClientBuilder.PORT_MAX) {
                throw new IllegalArgumentException(each + " is no address of a mediator, such as https://monitor.example:7795");
            }
            sockets.add(URI.create(scheme.replace("http", "ws") + "://" + each.getRawAuthority() + "/v1/grid"));
        }
        return new GridClientBuilder(List.copyOf(sockets));
    }

    // ------------------------------------------------------------------ connection

    private void run() {
        try {
            for (Link link = links.next(); link != null; link = links.next()) {
                onConnected(link);
                links.keepSpare(link);
                send(link);
                current = null;
                link.socket().abort();
                if (isClosed) {
                    break;
                }
                links.onTrouble(link.mediator(), link.connection().reason());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            links.close();
            ended.complete(null);
        }
    }

    private void onConnected(Link link) {
        LOG.info("Grid: connected with {}", link.mediator());
        List<LocalConsumer> all;
        boolean isAgain;
        lock.lock();
        try {
            counters.connections.increment();
            isAgain = counters.connections.sum() > 1;
            registration = counters.connections.sum();
            List<ClientMessage> first = new ArrayList<>();
            first.add(new ClientMessage.Identify(secret));
            producers.values().forEach(producer -> first.add(producer.registration(registration)));
            consumers.values().forEach(consumer -> first.add(registration(consumer)));
            questions.values().forEach(question -> first.add(question.message));
            outgoing.restart(first, link);
            current = link.connection();
            greet(link.connection());
            all = List.copyOf(consumers.values());
        } finally {
            lock.unlock();
        }
        if (isAgain) {
            Gap gap = new Gap("", 0, "the mediator was changed; " + links.trouble());
            all.forEach(consumer -> consumer.offer(gap));
        }
    }

    private ClientMessage.Register registration(LocalConsumer consumer) {
        Entry entry = consumer.entry();
        return new ClientMessage.Register(consumer(entry.id(), entry.name(), entry.filters(), entry.attributes()), 0);
    }

    private Entry consumer(String id, String name, List<Filter> filters, Map<String, String> attributes) {
        return new Entry(id, Entry.Kind.CONSUMER, name, site, node, "", filters, "", "", -1, registration, attributes);
    }

    private void send(Link link) throws InterruptedException {
        Connection connection = link.connection();
        while (connection.isOpen()) {
            // The messages of close() are sent, too.
            byte[] next = outgoing.next(() -> connection.isOpen() && !(isClosed && outgoing.isEmpty()));
            if (next.length == 0) {
                break;
            }
            try {
                link.send(next).get(Links.SEND_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException e) {
                LOG.debug("Grid: the connection has ended while a message was sent", e);
            } catch (TimeoutException e) {
                connection.end("the mediator has taken nothing for " + Links.SEND_TIMEOUT);
            }
        }
        if (connection.isOpen()) {
            try {
                link.socket().sendClose(WebSocket.NORMAL_CLOSURE, "").get(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException | TimeoutException e) {
                LOG.debug("Grid: the mediator was not told that the connection ends", e);
            }
            connection.end("closed");
        }
    }

    private void onMessage(Connection from, ClientMessage message) {
        switch (message) {
            case ClientMessage.Welcome welcome -> {
                from.onWelcome(welcome);
                greet(from);
            }
            case ClientMessage.Registered _ -> {
                // It counts from now on.
            }
            case ClientMessage.Refused(String id, long number, String reason) -> {
                counters.refused.increment();
                LOG.warn("Grid: {} was not registered: {}", id, reason);
            }
            case ClientMessage.Deliver(String id, Measurement measurement) -> {
                counters.received.increment();
                deliver(from, id, consumer -> consumer.offer(measurement));
            }
            case ClientMessage.Missing(String id, Gap gap) -> deliver(from, id, consumer -> consumer.offer(gap));
            case ClientMessage.Confirm(long count) -> confirm(from, count);
            case ClientMessage.Entries entries -> answer(entries.question(), message);
            case ClientMessage.Measurements measurements -> answer(measurements.question(), message);
            case ClientMessage.Identify _, ClientMessage.Register _, ClientMessage.Withdraw _, ClientMessage.Publish _, ClientMessage.Lost _, ClientMessage.Load _,
                    ClientMessage.Find _, ClientMessage.Ask _ ->
                throw new MalformedException("a message of clients");
        }
    }

    /** Takes the names of the site and the node, if they are those of the present mediator. */
    private void greet(Connection from) {
        lock.lock();
        try {
            ClientMessage.Welcome welcome = from.welcome();
            if (from == current && welcome != null) {
                site = welcome.site();
                node = welcome.node();
            }
        } finally {
            lock.unlock();
        }
    }

    private void confirm(Connection from, long count) {
        lock.lock();
        try {
            // One that has ended counts from another beginning.
            if (from == current) {
                outgoing.confirm(count);
            }
        } finally {
            lock.unlock();
        }
    }

    private void deliver(Connection from, String id, Consumer<LocalConsumer> delivery) {
        lock.lock();
        try {
            LocalConsumer consumer = consumers.get(id);
            // What comes late from a mediator of before belongs to the gap that consumers are told when there is another one.
            if (from != current) {
                counters.ignored.increment();
            } else if (consumer != null) {
                delivery.accept(consumer);
            }
        } finally {
            lock.unlock();
        }
    }

    private void answer(long number, ClientMessage message) {
        Question question;
        lock.lock();
        try {
            question = questions.remove(number);
        } finally {
            lock.unlock();
        }
        if (question != null) {
            question.answer.complete(message);
        }
    }

    // ------------------------------------------------------------------ producers and consumers

    /** Returns the number of the present registration of all entries. */
    long registration() {
        return registration;
    }

    /** Returns the name of the node of the mediator that was connected last; empty before the first one. */
    public String node() {
        return node;
    }

    @Override
    public String site() {
        return site;
    }

    void publish(Measurement measurement) {
        outgoing.add(new ClientMessage.Publish(measurement));
    }

    /** Sends what is for the present mediator; a later one is told all anyway. */
    void send(ClientMessage message) {
        lock.lock();
        try {
            Connection connection = current;
            if (connection != null && !outgoing.add(message)) {
                // The next connection begins with what is registered and asked by then, which is bounded.
                connection.end("the mediator has not taken what was to be registered and asked, and more than that may not wait");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Runs a task after a second: loads are announced that often at most. */
    void afterPause(Runnable task) {
        threads.startAfter(LOAD_NANOS, "tutti-grid-client-load", task);
    }

    void withdraw(String id) {
        lock.lock();
        try {
            producers.remove(id);
            consumers.remove(id);
            send(new ClientMessage.Withdraw(id));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Producer produce(ProducerOptions options) {
        lock.lock();
        try {
            RemoteProducer producer = new RemoteProducer(this, options, nextId());
            producers.put(producer.entry().id(), producer);
            send(producer.registration(registration));
            return producer;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Subscription subscribe(SubscriptionOptions options, MeasurementListener listener) {
        options.filters().forEach(filter -> Selector.parse(filter.where()));
        lock.lock();
        try {
            Entry entry = consumer(nextId(), options.name(), options.filters(), options.attributes());
            LocalConsumer consumer = new LocalConsumer(
                    threads, this::call, entry, options, listener, new LastNumbers(), consumed, closed -> withdraw(closed.entry().id()));
            consumers.put(entry.id(), consumer);
            send(registration(consumer));
            return consumer;
        } finally {
            lock.unlock();
        }
    }

    private <T extends Object> void call(String callback, Consumer<? super T> method, T argument) {
        Throwable thrown = callbacks.attempt(() -> method.accept(argument));
        if (thrown != null) {
            counters.failures.increment();
            LOG.error("Grid: {} of a listener has failed", callback, thrown);
        }
    }

    private void checkOpen() {
        if (isClosing) {
            throw new IllegalStateException("the client of the grid is closed");
        }
    }

    private String nextId() {
        checkOpen();
        if (producers.size() + consumers.size() >= REGISTERED_MAX) {
            throw new IllegalStateException("the client has " + REGISTERED_MAX + " producers and consumers, and no more are possible");
        }
        entryNumber++;
        return identity + "-" + entryNumber;
    }

    // ------------------------------------------------------------------ questions

    @Override
    public Answer<Entry> find(Query query) {
        Query sent = query.within(beforeThat(query.deadline()));
        ClientMessage answer = ask(number -> new ClientMessage.Find(number, sent), query.deadline());
        return answer instanceof ClientMessage.Entries entries ? entries.answer() : new Answer<>(List.of(), List.of(unanswered(query.deadline())));
    }

    @Override
    public Answer<Measurement> latest(Filter filter, Duration deadline) {
        return ask(filter, Instant.MIN, Instant.MAX, true, deadline);
    }

    @Override
    public Answer<Measurement> history(Filter filter, Instant from, Instant to, Duration deadline) {
        return ask(filter, from, to, false, deadline);
    }

    private Answer<Measurement> ask(Filter filter, Instant from, Instant to, boolean isLatest, Duration within) {
        Duration deadline = Query.bounded(within);
        Selector.parse(filter.where());
        ClientMessage answer = ask(
                number -> new ClientMessage.Ask(number, filter, GridCodec.boundedMicros(from), GridCodec.boundedMicros(to), isLatest, beforeThat(deadline).toMillis()),
                deadline);
        return answer instanceof ClientMessage.Measurements measurements
                ? measurements.answer()
                : new Answer<>(List.of(), List.of(unanswered(deadline)));
    }

    /** Returns the deadline for the mediator, which has to answer with what it has before the client gives up. */
    private static Duration beforeThat(Duration deadline) {
        return deadline.multipliedBy(4).dividedBy(5);
    }

    private String unanswered(Duration deadline) {
        if (isClosing) {
            return "the client of the grid was closed before a mediator had answered";
        }
        return "no mediator has answered within " + deadline + (current == null ? ": " + links.trouble() : "");
    }

    private @Nullable ClientMessage ask(LongFunction<ClientMessage> message, Duration deadline) {
        CompletableFuture<ClientMessage> answer = new CompletableFuture<>();
        long number;
        lock.lock();
        try {
            checkOpen();
            questionNumber++;
            number = questionNumber;
            Question question = new Question(message.apply(number), answer);
            questions.put(number, question);
            send(question.message);
        } finally {
            lock.unlock();
        }
        try {
            return answer.get(Math.max(1, deadline.toNanos()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } finally {
            lock.lock();
            try {
                questions.remove(number);
            } finally {
                lock.unlock();
            }
        }
    }

    // ------------------------------------------------------------------ state

    /** Returns whether a mediator is connected now. */
    public boolean isConnected() {
        return current != null;
    }

    @Override
    public Map<String, Long> status() {
        TreeMap<String, Long> status = new TreeMap<>();
        List<LocalConsumer> all;
        lock.lock();
        try {
            status.put("producers", (long) producers.size());
            all = List.copyOf(consumers.values());
        } finally {
            lock.unlock();
        }
        status.put("consumers", (long) all.size());
        status.putAll(consumed.all());
        status.put("waiting-bytes", all.stream().mapToLong(LocalConsumer::waitingBytes).sum());
        status.putAll(outgoing.numbers());
        status.put("received", counters.received.sum());
        status.put("received-late", counters.ignored.sum());
        status.put("connections", counters.connections.sum());
        status.put("spare-connections", links.hasSpare() ? 1L : 0L);
        status.put("refused", counters.refused.sum());
        status.put("listener-failures", counters.failures.sum());
        return status;
    }

    @Override
    public void close() {
        List<RemoteProducer> openProducers;
        List<LocalConsumer> openConsumers;
        lock.lock();
        try {
            if (isClosing) {
                return;
            }
            isClosing = true;
            IllegalStateException closed = new IllegalStateException("the client of the grid is closed");
            questions.values().forEach(question -> question.answer.completeExceptionally(closed));
            openProducers = List.copyOf(producers.values());
            openConsumers = List.copyOf(consumers.values());
        } finally {
            lock.unlock();
        }
        openProducers.forEach(RemoteProducer::close);
        Recipient.closeAll(openConsumers);
        isClosed = true;
        outgoing.wake();
        links.close();
        try {
            ended.get(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("Grid: the connection has not ended in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        http.shutdownNow();
    }

    @Override
    public String toString() {
        return "client " + identity + " of " + mediators;
    }
}
