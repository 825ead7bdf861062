package dev.tutti.discovery.multicast;

import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A multicast group in which nodes ask for each other. A question tells all who hear it of the asking node. Of those, about
 * {@value #ANSWERS_MAX} answer, however large the cluster is: each waits for a random time, and keeps silent if it has heard that
 * many answers meanwhile. That is enough, since nodes that have a session tell each other of all others.
 *
 * <p>Datagrams are not authenticated: anybody in the network can make nodes dial addresses, at a bounded rate, and can get no
 * further without the certificates of the cluster.
 */
public final class MulticastDiscovery implements DiscoverySource {

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

    private final InetSocketAddress group;
    private final int timeToLive;
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

    /**
     * @param group address and port of the group
     * @param timeToLive routers that a datagram may pass, and one
     * @throws IllegalArgumentException if {@code group} is none
     */
    public MulticastDiscovery(String group, int timeToLive) {
        int colon = group.lastIndexOf(':');
        String host = colon < 0 ? "" : group.substring(0, colon).replaceAll("^\\[|]$", "");
        try {
            InetAddress address = InetAddress.ofLiteral(host);
            int port = Integer.parseInt(group.substring(colon + 1));
            this.group = new InetSocketAddress(address, port);
            if (!address.isMulticastAddress() || port == 0) {
                throw new IllegalArgumentException("not a group");
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "'" + group + "' is no multicast group with a port; write 239.192.78.2:7810 or [ff12::7810]:7810", e);
        }
        this.timeToLive = timeToLive;
    }

    @Override
    public void start(NodeEntry self) throws IOException {
        boolean isFour = group.getAddress() instanceof Inet4Address;
        NetworkInterface via = interfaceOf(self.address());
        DatagramChannel opened =
                DatagramChannel.open(isFour ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        try {
            opened.setOption(StandardSocketOptions.SO_REUSEADDR, true)
                    .setOption(StandardSocketOptions.IP_MULTICAST_IF, via)
                    .setOption(StandardSocketOptions.IP_MULTICAST_TTL, timeToLive)
                    .setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true)
                    .bind(new InetSocketAddress(group.getPort()));
            opened.join(group.getAddress(), via);
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw new IOException("multicast group " + group + " can't be joined through " + via.getName() + ": " + e.getMessage(), e);
        }
        this.self = self;
        this.channel = opened;
        Thread.ofVirtual().name("tutti-discovery-multicast-receiver").start(() -> receive(opened, self));
    }

    private static NetworkInterface interfaceOf(String address) throws IOException {
        String host = address.substring(0, address.lastIndexOf(':')).replaceAll("^\\[|]$", "");
        NetworkInterface via = NetworkInterface.getByInetAddress(InetAddress.getByName(host));
        if (via == null) {
            throw new IOException("no network interface has the node's address " + host);
        }
        return via;
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
            throw new IOException("multicast group " + group + " can't be used: " + failed.getMessage(), failed);
        }
        lock.lock();
        try {
            ownQuestion = ThreadLocalRandom.current().nextLong();
            ownAnswers = 0;
            open.send(new Beacon(true, ownQuestion, entry.cluster(), entry.address()).encode(), group);
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
            if (beacon != null && beacon.cluster().equals(own.cluster()) && !beacon.address().equals(own.address())) {
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
            }
            if (beacon.isQuestion()) {
                mayAnswer = pending.size() < PENDING_MAX && pending.putIfAbsent(beacon.question(), 0) == null;
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
            Thread.ofVirtual().name("tutti-discovery-multicast-answer").start(() -> answer(beacon.question(), open, own));
        }
    }

    private void answer(long question, DatagramChannel open, NodeEntry own) {
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextInt(PAUSE_MILLIS_MAX));
            while (left > 0 && pending.getOrDefault(question, 0) < ANSWERS_MAX) {
                left = answered.awaitNanos(left);
            }
            if (pending.getOrDefault(question, 0) < ANSWERS_MAX) {
                open.send(new Beacon(false, question, own.cluster(), own.address()).encode(), group);
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
