package dev.tutti.bench.systems;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.bench.BenchException;
import dev.tutti.bench.watch.Watch;
import dev.tutti.bench.watch.Watched;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.driver.RendezvousSettings;
import dev.tutti.core.driver.TransportSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * tutti with every setting at its default except the transport and the order; the seeds are all members,
 * or a rendezvous server knows them.
 */
final class TuttiSystem implements GroupSystem {

    /** Transport. */
    enum Carrier {
        TCP,
        UDP,
        /** UDP, with messages to all members sent once. */
        MULTICAST,
        /** The same, encrypted. */
        ENCRYPTED,
        /** TCP through a rendezvous server, from which members know each other. */
        RELAYED,
        /** The same, encrypted from node to node. */
        RELAYED_ENCRYPTED;

        boolean isRelayed() {
            return this == RELAYED || this == RELAYED_ENCRYPTED;
        }
    }

    /** Secret of encrypted clusters, whose members are on this machine. */
    private static final String SECRET = "bPzX2vQ8Rk5tYw1NcJ7mHs4GfLd9EaUoTi3VqKxB6Zy";

    /** System property with a directory to which each member writes its node's status after each phase. */
    private static final String STATUS = "bench.status";

    /** Network of its multicast addresses, which keeps them apart from those of other systems. */
    private static final int MULTICAST_NET = 78;

    private final Seat seat;
    private final Listener listener;
    private final Carrier carrier;
    private final boolean isInline;
    private final Map<String, String> order;
    private final List<Group> further = new ArrayList<>();
    private final Semaphore furtherViews = new Semaphore(0);
    private final Semaphore furtherMessages = new Semaphore(0);
    private @Nullable Node node;
    private @Nullable Group group;
    private @Nullable Watched watched;

    TuttiSystem(
            Seat seat, Listener listener, Carrier carrier, boolean isInline, Map<String, String> order) {
        this.seat = seat;
        this.listener = listener;
        this.carrier = carrier;
        this.isInline = isInline;
        this.order = order;
    }

    @Override
    public void start() {
        String[] seeds = new String[seat.members()];
        for (int rank = 0; rank < seeds.length; rank++) {
            seeds[rank] = Addresses.of(rank) + ":" + seat.ports().get(rank);
        }
        boolean isTcp = carrier == Carrier.TCP || carrier.isRelayed();
        NodeBuilder builder = isTcp ? Node.tcp(seat.port()) : Node.udp(seat.port());
        if (Addresses.areGiven()) {
            builder.bind(Addresses.of(seat.rank())).insecure();
        }
        if (carrier == Carrier.ENCRYPTED || carrier == Carrier.RELAYED_ENCRYPTED) {
            builder.secret(SECRET);
        }
        if (carrier.isRelayed()) {
            builder.set(RendezvousSettings.SERVERS, List.of("tcp://127.0.0.1:" + Relay.port(seat.rank())))
                    .set(RendezvousSettings.RELAY, RendezvousSettings.Relay.ALWAYS);
        }
        if (carrier == Carrier.RELAYED) {
            builder.insecure();
        }
        if (carrier == Carrier.MULTICAST || carrier == Carrier.ENCRYPTED) {
            builder.set(
                    TransportSettings.MULTICAST_ADDRESS,
                    seat.multicastAddress(MULTICAST_NET) + ":" + seat.multicastPort());
        }
        if (!carrier.isRelayed()) {
            builder.seeds(seeds);
        }
        node = builder.name(seat.name()).start();
    }

    @Override
    public void join() {
        var builder = node().group(GROUP).onMessage(this::onMessage).onView(this::onView);
        order.forEach(builder::set);
        group = (isInline ? builder.inline() : builder).join();
    }

    private void onMessage(Message message) {
        ByteBuffer bytes = message.buffer();
        listener.onMessage(bytes, bytes.position(), bytes.remaining());
    }

    private void onView(View view) {
        listener.onView(
                view.members().stream().map(member -> Seat.rankOf(member.name())).toList(),
                Seat.rankOf(view.coordinator().name()),
                view.id().toString().replace(' ', '_'));
    }

    @Override
    public void multicast(byte[] message) {
        group().send(message);
    }

    @Override
    public void unicast(int rank, byte[] message) {
        String name = Seat.name(rank);
        for (Member member : group().view().members()) {
            if (member.name().equals(name)) {
                group().sendTo(member, message);
                return;
            }
        }
        throw new IllegalArgumentException(name + " is not in " + group().view());
    }

    @Override
    public long packetsSent() {
        return node().inspection().group(GROUP).map(group -> group.part("packing").value("sent-packets")).orElse(0L);
    }

    @Override
    public void openGroups(int count, long timeoutNanos) {
        List<CompletableFuture<Group>> joins = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            joins.add(node().group("further-" + index)
                    .onView(view -> {
                        if (view.size() == seat.members()) {
                            furtherViews.release();
                        }
                    })
                    .onMessage(message -> furtherMessages.release())
                    .joinAsync());
        }
        joins.forEach(join -> further.add(join.join()));
        if (!acquire(furtherViews, count, timeoutNanos)) {
            throw new BenchException("only " + furtherViews.availablePermits() + " of " + count + " groups have "
                    + seat.members() + " members");
        }
    }

    @Override
    public boolean exerciseGroups(long timeoutNanos) {
        for (Group one : further) {
            one.send("hello");
        }
        return acquire(furtherMessages, further.size() * seat.members(), timeoutNanos);
    }

    private static boolean acquire(Semaphore semaphore, int permits, long timeoutNanos) {
        try {
            return semaphore.tryAcquire(permits, timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public Requests requests(Requests.Values values) {
        return new TuttiRequests(node(), seat.members(), values);
    }

    @Override
    public List<String> watch(Watch watch, long intervalNanos) {
        endWatch();
        Watched begun = new Watched(node(), watch, seat.rank() == 0, Duration.ofNanos(intervalNanos));
        watched = begun;
        return begun.addresses();
    }

    private void endWatch() {
        if (watched != null) {
            watched.close();
            watched = null;
        }
    }

    @Override
    public void leave() {
        Group joined = group;
        if (joined != null) {
            joined.close();
            group = null;
        }
    }

    @Override
    public void writeStatus() {
        String directory = System.getProperty(STATUS);
        if (directory == null) {
            return;
        }
        Path file = Path.of(directory, carrier.name().toLowerCase(Locale.ROOT) + "-" + seat.name() + ".json");
        try {
            Files.writeString(file, node().inspection().json() + "\n", StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new BenchException("-D" + STATUS + ": can't write " + file + ": " + e, e);
        }
    }

    @Override
    public void close() {
        endWatch();
        leave();
        Node started = node;
        if (started != null) {
            started.close();
        }
    }

    private Node node() {
        return Objects.requireNonNull(node, "not started");
    }

    private Group group() {
        return Objects.requireNonNull(group, "not joined");
    }
}
