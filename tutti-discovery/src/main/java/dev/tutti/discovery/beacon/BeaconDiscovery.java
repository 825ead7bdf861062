package dev.tutti.discovery.beacon;

import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.discovery.SourceDrops;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Datagrams by which nodes ask for each other, in a multicast group or by broadcast. A question tells all who hear it of the asking node.
 * Of those, about {@value #ANSWERS_MAX} answer, however large the cluster is: each waits for a random time, and keeps silent if it has
 * heard that many answers meanwhile. That is enough, since nodes that have a session tell each other of all others.
 *
 * <p>Datagrams are not authenticated: anybody in the network can make nodes dial addresses, at a bounded rate, and can get no
 * further without the certificates of the cluster.
 */
public final class BeaconDiscovery implements DiscoverySource {

    static final int ANSWERS_MAX = 8;

    /** Time for which answers to a question are awaited. */
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Longest pause of one who answers. */
    private static final int PAUSE_MILLIS_MAX = 80;

    /** Time for which an address counts as listed after it was last heard. */
    private static final long HEARD_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int HEARD_MAX = 1_000;

    /** Questions that wait for their answer; more in this time are not answered. */
    private static final int PENDING_MAX = 64;

    private final Medium medium;
    private final IntSupplier pauseMillis;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition answered = lock.newCondition();

    /** When each address was last heard, the longest ago first. */
    private final LinkedHashMap<String, Long> heard = new LinkedHashMap<>();

    /** Number of answers that were heard to each question that waits for this node's answer. */
    private final Map<Long, Integer> pending = new LinkedHashMap<>();

    private long ownQuestion;
    private int ownAnswers;
    private volatile @Nullable DatagramChannel channel;
    private @Nullable NodeEntry self;

    /** The last failure to receive or to answer, until a question tells it. */
    private volatile @Nullable IOException failure;

    private final AtomicLong malformed = new AtomicLong();
    private final AtomicLong overflow = new AtomicLong();

    private BeaconDiscovery(Medium medium) {
        this(medium, () -> ThreadLocalRandom.current().nextInt(PAUSE_MILLIS_MAX));
    }

    /** @param pauseMillis time for which this node waits for others' answers before it answers itself */
    BeaconDiscovery(Medium medium, IntSupplier pauseMillis) {
        this.medium = medium;
        this.pauseMillis = pauseMillis;
    }

    /**
     * Returns a source that asks in a multicast group.
     *
     * @param group address and port of the group
     * @param timeToLive routers that a datagram may pass, and one
     * @throws IllegalArgumentException if {@code group} is none
     */
    public static BeaconDiscovery multicast(String group, int timeToLive) {
        return new BeaconDiscovery(MulticastGroup.of(group, timeToLive));
    }

    /**
     * Returns a source that asks by broadcast.
     *
     * @param address IPv4 broadcast address of a network, and a port
     * @throws IllegalArgumentException if {@code address} is none
     */
    public static BeaconDiscovery broadcast(String address) {
        return new BeaconDiscovery(BroadcastAddress.of(address));
    }

    @Override
    public void start(NodeEntry self) throws IOException {
        DatagramChannel opened = medium.open(self);
        this.self = self;
        this.channel = opened;
        Thread.ofVirtual().name("tutti-discovery-beacon-receiver").start(() -> receive(opened, self));
    }

    @Override
    public SourceDrops drops() {
        return new SourceDrops(malformed.get(), overflow.get());
    }

    // ------------------------------------------------------------------ asking

    @Override
    public List<String> addresses() throws IOException {
        NodeEntry entry = self;
        DatagramChannel open = channel;
        if (entry == null || open == null) {
            return List.of();
        }
        IOException failed = failure;
        if (failed != null) {
            failure = null;
            throw new IOException(medium + " can't be used: " + failed.getMessage(), failed);
        }
        lock.lock();
        try {
            ownQuestion = ThreadLocalRandom.current().nextLong();
            ownAnswers = 0;
            open.send(new Beacon(true, ownQuestion, entry.cluster(), entry.address()).encode(), medium.address());
            long left = ANSWER_NANOS;
            while (ownAnswers < ANSWERS_MAX && left > 0) {
                left = answered.awaitNanos(left);
            }
            forgetOld();
            return new ArrayList<>(heard.keySet());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    private void forgetOld() {
        long now = System.nanoTime();
        heard.values().removeIf(heardNanos -> now - heardNanos > HEARD_NANOS);
    }

    // ------------------------------------------------------------------ hearing

    private void receive(DatagramChannel open, NodeEntry own) {
        ByteBuffer bytes = ByteBuffer.allocate(Beacon.BYTES_MAX + 1);
        while (open.isOpen()) {
            bytes.clear();
            try {
                open.receive(bytes);
                failure = null;
            } catch (IOException e) {
                if (!open.isOpen() || !pauseAfter(e)) {
                    return;
                }
                continue;
            }
            Beacon beacon = Beacon.decode(bytes.flip());
            if (beacon == null) {
                malformed.incrementAndGet();
            } else if (beacon.cluster().equals(own.cluster()) && !beacon.address().equals(own.address())) {
                onBeacon(beacon, open, own);
            }
        }
    }

    /** Lets the next question fail, and waits, so that a network that is down costs no core. Returns false if interrupted. */
    private boolean pauseAfter(IOException thrown) {
        failure = thrown;
        lock.lock();
        try {
            long left = TimeUnit.SECONDS.toNanos(1);
            while (left > 0) {
                left = answered.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void onBeacon(Beacon beacon, DatagramChannel open, NodeEntry own) {
        boolean mayAnswer = false;
        lock.lock();
        try {
            heard.remove(beacon.address());
            heard.put(beacon.address(), System.nanoTime());
            if (heard.size() > HEARD_MAX) {
                heard.pollFirstEntry();
                overflow.incrementAndGet();
            }
            if (beacon.isQuestion() && pending.size() >= PENDING_MAX) {
                overflow.incrementAndGet();
            } else if (beacon.isQuestion()) {
                mayAnswer = pending.putIfAbsent(beacon.question(), 0) == null;
            } else if (beacon.question() == ownQuestion) {
                ownAnswers++;
                answered.signalAll();
            } else {
                pending.computeIfPresent(beacon.question(), (question, answers) -> answers + 1);
            }
        } finally {
            lock.unlock();
        }
        if (mayAnswer) {
            Thread.ofVirtual().name("tutti-discovery-beacon-answer").start(() -> answer(beacon.question(), open, own));
        }
    }

    private void answer(long question, DatagramChannel open, NodeEntry own) {
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(pauseMillis.getAsInt());
            while (left > 0 && pending.getOrDefault(question, 0) < ANSWERS_MAX) {
                left = answered.awaitNanos(left);
            }
            if (pending.getOrDefault(question, 0) < ANSWERS_MAX) {
                open.send(new Beacon(false, question, own.cluster(), own.address()).encode(), medium.address());
            }
        } catch (IOException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            pending.remove(question);
            lock.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        DatagramChannel open = channel;
        if (open != null) {
            open.close();
        }
    }
}
