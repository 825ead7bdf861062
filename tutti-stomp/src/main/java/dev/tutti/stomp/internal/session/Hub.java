package dev.tutti.stomp.internal.session;

import dev.tutti.Node;
import dev.tutti.core.Member;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Logs;
import dev.tutti.internal.door.Audit;
import dev.tutti.internal.door.Backoff;
import dev.tutti.internal.door.Hosts;
import dev.tutti.internal.door.Places;
import dev.tutti.stomp.Access;
import dev.tutti.stomp.Authenticator;
import dev.tutti.stomp.Login;
import dev.tutti.stomp.Pages;
import dev.tutti.stomp.StompMessage;
import dev.tutti.stomp.StompSettings;
import dev.tutti.stomp.StompSource;
import dev.tutti.stomp.internal.broker.Backlog;
import dev.tutti.stomp.internal.broker.BrokerMembers;
import dev.tutti.stomp.internal.broker.Publication;
import dev.tutti.stomp.internal.broker.ServedGroup;
import dev.tutti.stomp.internal.codec.Content;
import dev.tutti.stomp.internal.codec.Destination;
import dev.tutti.stomp.internal.codec.FrameException;
import dev.tutti.stomp.internal.codec.Headers;
import dev.tutti.stomp.internal.codec.StompFault;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** State that the clients and groups of a server share. Thread-safe. */
public final class Hub {

    private static final Logger LOG = Logs.of(Hub.class);
    private static final String DEFAULT_GROUP = "topic";

    private final Node node;
    private final Options options;
    private final List<String> origins;
    private final Hosts hosts;
    private final Places places;
    private final Backoff backoff;
    private final Audit audit;
    private final Application application;
    private final Consumer<String> onLost;
    private final StompCounters counters = new StompCounters();
    private final Backlog backlog;
    private final Map<String, ServedGroup> groups = new LinkedHashMap<>();
    private final BrokerMembers members;
    private final List<Shard> shards = new ArrayList<>();
    private final AtomicInteger subscriptions = new AtomicInteger();
    private final AtomicLong held = new AtomicLong();
    private final AtomicLong sessions = new AtomicLong();
    private final AtomicInteger nextShard = new AtomicInteger();
    private final AtomicBoolean isClosing = new AtomicBoolean();
    private final AtomicBoolean isRelieving = new AtomicBoolean();
    private final Publication nothing = new Publication(
            Publication.INFO_GROUP, "", 0, 0, new Content(new Destination("/", List.of()), new Headers(), new byte[0]));

    /**
     * @param endpoints at which clients reach this member, separated by commas
     * @param onLost called with the reason when a group was left or lost
     */
    public Hub(
            Node node,
            Settings settings,
            String endpoints,
            Application application,
            Consumer<String> onLost) {
        this.node = node;
        this.options = Options.of(settings);
        this.origins = settings.get(StompSettings.ORIGINS);
        this.hosts = hosts(settings, endpoints);
        this.places = new Places(options.clientsMax(), options.strangersMax());
        this.backoff = new Backoff(LOGINS_WAITING_MAX, options.times().connectTimeoutNanos(), System::nanoTime);
        this.audit = new Audit("STOMP of node " + node.name(), System::nanoTime);
        this.application = application;
        this.onLost = onLost;
        this.backlog = new Backlog(settings.get(StompSettings.BACKLOG).bytes());
        String membersGroup = settings.get(StompSettings.MEMBERS_GROUP);
        this.members = new BrokerMembers(membersGroup, endpoints, new FromMembers());
        List<String> names = settings.get(StompSettings.GROUPS);
        long historyBytes = settings.get(StompSettings.HISTORY).bytes();
        for (String name : names.isEmpty() ? List.of(DEFAULT_GROUP) : names) {
            check(name, membersGroup);
            groups.put(name, new ServedGroup(groups.size(), name, historyBytes, new FromGroups()));
        }
        for (String name : application.sources().keySet()) {
            check(name, membersGroup);
            if (groups.containsKey(name)) {
                throw new SettingException("stomp.groups: " + name + " is served as a group, and has a source of destinations too");
            }
        }
        for (String name : application.states().keySet()) {
            if (!groups.containsKey(name)) {
                throw new SettingException("stomp.groups: " + name + " is given a state and is not served; served are "
                        + String.join(", ", groups.keySet()));
            }
        }
    }

    /** Names of this server that are in its endpoints or were set. */
    private static Hosts hosts(Settings settings, String endpoints) {
        List<String> names = new ArrayList<>(settings.get(StompSettings.HOSTS));
        names.add(settings.get(StompSettings.ADDRESS));
        for (String endpoint : endpoints.split(",", -1)) {
            names.add(endpoint.substring(endpoint.indexOf("//") + 2).replace("/", ""));
        }
        return new Hosts(names);
    }

    private static void check(String name, String membersGroup) {
        boolean isFree = !name.equals(Destination.INFO) && !name.equals(membersGroup) && !name.equals(Destination.ONE)
                && !name.equals(Destination.REST) && !name.contains("/");
        if (!isFree) {
            throw new SettingException("stomp.groups: '" + name + "' can't be served: a name has no slash, and is not "
                    + Destination.INFO + ", " + membersGroup + " (stomp.members-group), * or **");
        }
    }

    /** Sets the threads that serve clients; called before any group is joined. */
    public void serveOn(Iterable<EventLoop> loops) {
        for (EventLoop loop : loops) {
            Shard shard = new Shard(this, loop);
            shards.add(shard);
            shard.start();
        }
    }

    /** Joins all groups; returns when this member is in a view of each. */
    public void join() {
        members.join(node);
        groups.values().forEach(group -> group.join(node, application.states().get(group.name())));
    }

    /** Tells clients the reason, and leaves the groups. */
    public void close(String reason) {
        isClosing.set(true);
        for (Shard shard : shards) {
            await(shard, () -> shard.closeAll(reason));
        }
        backlog.close();
        groups.values().forEach(ServedGroup::close);
        members.close();
    }

    private static void await(Shard shard, Runnable task) {
        try {
            CompletableFuture.runAsync(task, shard.loop()).get(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("STOMP: clients of a thread were not told that the server closes: {}", e.toString());
        }
    }

    private static final long CLOSE_SECONDS_MAX = 5;

    /** Limit of delayed log-ins of one address. */
    private static final int LOGINS_WAITING_MAX = 16;

    // ------------------------------------------------------------------ for connections

    Options options() {
        return options;
    }

    StompCounters counters() {
        return counters;
    }

    BrokerMembers members() {
        return members;
    }

    List<String> origins() {
        return origins;
    }

    Hosts hosts() {
        return hosts;
    }

    /** Returns whether clients have to log in. */
    boolean asksForLogIn() {
        return application.authenticator() != null;
    }

    /**
     * Begins a log-in.
     *
     * @return null if the limit of delayed log-ins of its address is reached
     */
    Backoff.@Nullable Attempt begin(Login login) {
        Authenticator judge = application.authenticator();
        boolean mayBeGuessed = judge != null && judge.mayBeGuessed();
        return mayBeGuessed ? backoff.begin(login.address(), login.login()) : Backoff.Attempt.IMMEDIATE;
    }

    Audit audit() {
        return audit;
    }

    Pages pages() {
        return application.pages();
    }

    /** Returns a placeholder for no publication. */
    Publication nothing() {
        return nothing;
    }

    String product() {
        String version = Hub.class.getPackage().getImplementationVersion();
        return "tutti/" + (version == null ? "dev" : version);
    }

    String nextSession() {
        return Long.toUnsignedString(node.id().incarnation(), Character.MAX_RADIX) + "-" + sessions.incrementAndGet();
    }

    /** Returns the group that a destination belongs to, or null if it is not served. */
    @Nullable ServedGroup group(Destination destination) {
        return groups.get(destination.group());
    }

    /** Returns the source that a destination belongs to, or null if it has none. */
    @Nullable StompSource source(Destination destination) {
        return application.sources().get(destination.group());
    }

    /** Returns the groups whose messages a pattern may match. */
    List<ServedGroup> groups(Destination pattern) {
        return groups.values().stream()
                .filter(group -> pattern.mayMatchGroup(group.name()))
                .toList();
    }

    /** Returns the prefixes of destinations, for error messages. */
    String prefixes() {
        return String.join(", ", Stream.concat(groups.keySet().stream(), application.sources().keySet().stream().sorted())
                .map(name -> "/" + name + "/")
                .toList());
    }

    void authenticate(Login login, Consumer<@Nullable Access> then) {
        Thread.ofVirtual().name("tutti-stomp-login").start(() -> {
            Access access = null;
            Authenticator judge = application.authenticator();
            try {
                access = judge == null ? Access.ALL : judge.authenticate(login);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                // User code may fail in any way; none of them lets a client in.
                LOG.error("STOMP: the authenticator has failed for {}", login, e);
            }
            try {
                then.accept(access);
            } catch (RejectedExecutionException e) {
                LOG.debug("STOMP: the server was closed during the log-in of {}", login);
            }
        });
    }

    void onSubscribed(int count) {
        subscriptions.addAndGet(count);
    }

    /** Adds to the bytes held for all clients; negative if they are released. */
    void held(long more) {
        held.addAndGet(more);
    }

    /** If all clients together hold too much, disconnects the one that holds the most, on whichever thread it is. */
    void checkMemory(Shard from) {
        if (held.get() <= options.memoryBytes()) {
            return;
        }
        Shard worst = from;
        for (Shard shard : shards) {
            worst = shard.largestBytes() > worst.largestBytes() ? shard : worst;
        }
        if (worst == from) {
            from.evictLargest();
        } else if (isRelieving.compareAndSet(false, true)) {
            Shard other = worst;
            other.loop().execute(() -> {
                isRelieving.set(false);
                if (held.get() > options.memoryBytes()) {
                    other.evictLargest();
                }
            });
        }
    }

    /** Returns a place for a connection, or null if there is none. */
    Places.@Nullable Place enter(Shard shard, StompConnection connection) {
        counters.increment(Counter.ACCEPTED);
        return places.enter(connection.address(), () -> shard.loop().execute(() -> connection.drop(StompFault.CLIENTS)));
    }

    Shard shardOf(EventLoop loop) {
        for (Shard shard : shards) {
            if (shard.loop() == loop) {
                return shard;
            }
        }
        throw new IllegalStateException("no shard for " + loop);
    }

    // ------------------------------------------------------------------ deliveries

    /** Offers a publication to all shards; each reports when it is done. */
    private void offer(Publication publication, long charged) {
        publication.offered(shards.size(), charged);
        for (Shard shard : shards) {
            shard.offer(publication);
        }
    }

    void onDrained(Publication publication) {
        long free = publication.drained();
        if (free > 0) {
            backlog.remove(free);
        }
    }

    private void schedule(Runnable task, long delayMillis) {
        EventLoop loop = shards.get(Math.floorMod(nextShard.getAndIncrement(), shards.size())).loop();
        try {
            if (delayMillis == 0) {
                loop.execute(task);
            } else {
                loop.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
            }
        } catch (RejectedExecutionException e) {
            LOG.debug("STOMP: the server is closed");
        }
    }

    private void onGroupClosed(String group, String reason) {
        if (isClosing.compareAndSet(false, true)) {
            onLost.accept("group " + group + ": " + reason);
        }
    }

    private void onMalformed(Member sender, String reason) {
        counters.increment(Counter.DELIVERED_MALFORMED);
        LOG.debug("STOMP: ignored a message of {}: {}", sender, reason);
    }

    private final class FromGroups implements ServedGroup.Outlet {

        @Override
        public void deliver(Member sender, Publication publication) {
            counters.increment(Counter.DELIVERED);
            application.onMessage().accept(message(sender, publication));
            if (subscriptions.get() > 0) {
                backlog.add(publication.bytes());
                offer(publication, publication.bytes());
            }
        }

        @Override
        public void schedule(Runnable task, long delayMillis) {
            Hub.this.schedule(task, delayMillis);
        }

        @Override
        public void onMalformed(Member sender, String reason) {
            Hub.this.onMalformed(sender, reason);
        }

        @Override
        public void onClosed(String group, String reason) {
            onGroupClosed(group, reason);
        }
    }

    private final class FromMembers implements BrokerMembers.Listener {

        @Override
        public void onInfo(Publication info) {
            offer(info, 0);
        }

        @Override
        public void onMalformed(Member sender, String reason) {
            Hub.this.onMalformed(sender, reason);
        }

        @Override
        public void onClosed(String group, String reason) {
            onGroupClosed(group, reason);
        }
    }

    private static StompMessage message(Member sender, Publication publication) {
        Map<String, String> texts = new LinkedHashMap<>();
        Headers headers = publication.content().headers();
        for (int index = 0; index < headers.count(); index++) {
            texts.putIfAbsent(headers.name(index), headers.value(index));
        }
        return new StompMessage(
                publication.destination().text(), publication.id(), sender, texts, publication.content().body());
    }

    // ------------------------------------------------------------------ for the server

    /**
     * Sends a message from this process.
     *
     * @return completes when all members have it
     * @throws IllegalArgumentException if the destination is not one of a group that is served
     */
    public CompletableFuture<Void> publish(String destination, Map<String, String> headers, byte[] body) {
        try {
            Destination exact = Destination.exact(destination);
            ServedGroup group = group(exact);
            if (group == null) {
                throw new IllegalArgumentException("'" + destination + "' belongs to no group here; destinations begin with " + prefixes());
            }
            Headers given = new Headers();
            headers.forEach(given::add);
            CompletableFuture<Void> done = new CompletableFuture<>();
            group.publish(List.of(new Content(exact, given, body.clone())), () -> done.complete(null))
                    .whenComplete((_, error) -> {
                        if (error != null) {
                            done.completeExceptionally(error);
                        }
                    });
            return done;
        } catch (FrameException e) {
            throw new IllegalArgumentException(e.text(), e);
        }
    }

    /** Returns the current counters and levels by name. */
    public Map<String, Long> status() {
        Map<String, Long> status = new LinkedHashMap<>(counters.snapshot());
        status.put("clients", (long) places.taken());
        status.put("subscriptions", (long) subscriptions.get());
        status.put("held-bytes", held.get());
        status.put("backlog-bytes", backlog.bytes());
        status.put("backlog-waits", backlog.waits());
        status.put("receipts-waiting", groups.values().stream().mapToLong(ServedGroup::waiting).sum());
        return status;
    }
}
