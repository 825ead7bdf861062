package dev.tutti.bench.commands;

import com.sun.management.OperatingSystemMXBean;
import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.bench.BenchException;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.report.Table;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Members with TLS while strangers without a certificate connect to all of them. */
@Command(
        name = "strangers",
        mixinStandardHelpOptions = true,
        description = {
            "Joins and messages while strangers connect to every member.",
            "Three members with TLS in one process; strangers of the same host open connections, begin a handshake or say"
                    + " nothing, and hold on. Nodes come and go meanwhile.",
        },
        footer = {"", "Examples:", "  tutti perf strangers", "  tutti perf strangers --rate 500 --silent --held 10000"})
final class StrangersCommand implements Callable<Integer> {

    private static final int MEMBERS = 3;
    private static final long WAIT_SECONDS = 60;
    private static final Duration JOIN_MAX = Duration.ofSeconds(2);
    private static final Duration LATE_MAX = Duration.ofMillis(50);
    private static final long GROWTH_BYTES_MAX = 64L << 20;
    private static final long PROBE_NANOS = 10_000_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    @Mixin
    private final Output output = new Output();

    @Option(names = "--rate", paramLabel = "N", defaultValue = "2000",
            description = "Connections a second to each member. Default: ${DEFAULT-VALUE}.")
    private int rate;

    @Option(names = "--held", paramLabel = "N", defaultValue = "1000",
            description = "Connections that strangers hold open to each member. Default: ${DEFAULT-VALUE}.")
    private int held;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "10", description = "Default: ${DEFAULT-VALUE}.")
    private int seconds;

    @Option(names = "--silent", description = "Strangers say nothing, instead of beginning a handshake.")
    private boolean isSilent;

    @Option(names = "--from", paramLabel = "ADDRESS", defaultValue = "127.0.0.1",
            description = "Address of the strangers; members have 127.0.0.1. Default: ${DEFAULT-VALUE}.")
    private String from = "127.0.0.1";

    private final AtomicLong opened = new AtomicLong();
    private final AtomicLong floodNanos = new AtomicLong();
    private volatile boolean isOver;

    @Override
    public Integer call() throws IOException, GeneralSecurityException, InterruptedException {
        output.title(String.format(Locale.ROOT, "%,d connections a second of strangers to each of %d members",
                rate, MEMBERS));
        String secret = secret();
        byte[] words = isSilent ? new byte[0] : clientHello();
        List<Node> nodes = new ArrayList<>();
        List<Thread> strangers = new ArrayList<>();
        try {
            Group group = members(secret, nodes);
            long quietNanos = latency(group, Duration.ofSeconds(1));
            double quietJoin = join(secret, nodes);
            long before = memory(nodes);
            for (Node node : nodes) {
                strangers.add(Thread.ofPlatform().start(() -> attack(node.address(), words)));
            }
            long startNanos = System.nanoTime();
            long startProcessNanos = processNanos();
            List<Double> joins = new ArrayList<>();
            long lateNanos = 0;
            while (System.nanoTime() - startNanos < TimeUnit.SECONDS.toNanos(seconds)) {
                joins.add(join(secret, nodes));
                lateNanos = Math.max(lateNanos, latency(group, Duration.ofMillis(500)));
            }
            long growth = memory(nodes) - before;
            double elapsed = (System.nanoTime() - startNanos) / 1e9;
            double processorAll = (processNanos() - startProcessNanos) / 1e9 / elapsed;
            report(joins, quietJoin, quietNanos, lateNanos, growth, opened.get() / elapsed, nodes);
            double processorFlood = floodNanos.get() / 1e9 / elapsed;
            output.put("processors-flood", processorFlood);
            output.put("processors-all", processorAll);
            output.print(String.format(Locale.ROOT, "processors: %.2f in all, %.2f of them the strangers themselves",
                    processorAll, processorFlood));
        } finally {
            isOver = true;
            for (Thread stranger : strangers) {
                stranger.join();
            }
            nodes.forEach(Node::close);
        }
        return output.finish();
    }

    private static String secret() {
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static Group members(String secret, List<Node> nodes) throws InterruptedException {
        CountDownLatch complete = new CountDownLatch(1);
        Group first = null;
        for (int index = 0; index < MEMBERS; index++) {
            var builder = Node.tcp(0).name("m" + index).secret(secret);
            if (index > 0) {
                builder.seeds(nodes.getFirst().address());
            }
            Node node = builder.start();
            nodes.add(node);
            Group group = node.group("g").onView(view -> {
                if (view.size() == MEMBERS) {
                    complete.countDown();
                }
            }).join();
            first = first == null ? group : first;
        }
        if (first == null || !complete.await(WAIT_SECONDS, TimeUnit.SECONDS)) {
            throw new BenchException("the members have not met");
        }
        return first;
    }

    /** Returns the seconds from the start of a node to its view with all members. */
    private static double join(String secret, List<Node> nodes) throws InterruptedException {
        String[] seeds = nodes.stream().map(Node::address).toArray(String[]::new);
        CountDownLatch complete = new CountDownLatch(1);
        long startNanos = System.nanoTime();
        try (Node newcomer = Node.tcp(0).name("newcomer").secret(secret).seeds(seeds).start()) {
            newcomer.group("g").onView(view -> {
                if (view.size() > MEMBERS) {
                    complete.countDown();
                }
            }).join();
            if (!complete.await(WAIT_SECONDS, TimeUnit.SECONDS)) {
                return WAIT_SECONDS;
            }
            return (System.nanoTime() - startNanos) / 1e9;
        }
    }

    /** Returns the longest time from sending to delivery at the sender itself: no loop was later than that. */
    private static long latency(Group group, Duration time) throws InterruptedException {
        long worstNanos = 0;
        long endNanos = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < endNanos) {
            CountDownLatch delivered = new CountDownLatch(1);
            long sentNanos = System.nanoTime();
            group.sendStableTo(group.self(), new byte[16]).whenComplete((_, _) -> delivered.countDown());
            if (!delivered.await(WAIT_SECONDS, TimeUnit.SECONDS)) {
                throw new BenchException("a message to the member itself was not delivered");
            }
            worstNanos = Math.max(worstNanos, System.nanoTime() - sentNanos);
            LockSupport.parkNanos(PROBE_NANOS);
        }
        return worstNanos;
    }

    /** Returns the heap after a collection, plus the memory of TLS and of the driver outside of it. */
    private static long memory(List<Node> nodes) {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        long bytes = runtime.totalMemory() - runtime.freeMemory();
        for (Node node : nodes) {
            bytes += counter(node, "memory.tls-bytes") + counter(node, "memory.allocated-bytes") / nodes.size();
        }
        return bytes;
    }

    private static long counter(Node node, String name) {
        return node.inspection().samples().stream()
                .filter(sample -> sample.metric().name().equals(name))
                .mapToLong(sample -> sample.value())
                .sum();
    }

    /** Opens connections at the given rate, and keeps the newest open. */
    private void attack(String address, byte[] words) {
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        ArrayDeque<SocketChannel> open = new ArrayDeque<>();
        long startNanos = System.nanoTime();
        long countedNanos = THREADS.getCurrentThreadCpuTime();
        for (long number = 0; !isOver; number++) {
            long waitNanos = startNanos + number * 1_000_000_000L / rate - System.nanoTime();
            if (waitNanos > 0) {
                LockSupport.parkNanos(waitNanos);
            }
            try {
                SocketChannel channel = SocketChannel.open();
                open.add(channel);
                channel.bind(new InetSocketAddress(from, 0));
                channel.configureBlocking(false);
                if (channel.connect(new InetSocketAddress("127.0.0.1", port)) || channel.finishConnect()) {
                    channel.write(ByteBuffer.wrap(words));
                    opened.incrementAndGet();
                }
                if (open.size() > held) {
                    open.remove().close();
                }
            } catch (IOException e) {
                output.tick("a stranger: " + e.getMessage());
            }
            long usedNanos = THREADS.getCurrentThreadCpuTime();
            floodNanos.addAndGet(usedNanos - countedNanos);
            countedNanos = usedNanos;
        }
        for (SocketChannel channel : open) {
            try {
                channel.close();
            } catch (IOException e) {
                output.note("a stranger: " + e.getMessage());
            }
        }
    }

    private static long processNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    private static byte[] clientHello() throws IOException, GeneralSecurityException {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(true);
        engine.setEnabledProtocols(new String[] {"TLSv1.3"});
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        return Arrays.copyOf(hello.array(), hello.position());
    }

    private void report(
            List<Double> joins, double quietJoin, long quietNanos, long lateNanos, long growth, double reached, List<Node> nodes) {
        double worst = joins.stream().mapToDouble(Double::doubleValue).max().orElse(WAIT_SECONDS);
        output.put("strangers-per-second", reached);
        output.put("join-seconds", joins);
        output.put("quiet-join-seconds", quietJoin);
        output.put("late-millis", lateNanos / 1e6);
        output.put("growth-bytes", growth);
        Table table = new Table("", "alone", "with strangers");
        table.row("connections/s reached", "", String.format(Locale.ROOT, "%,.0f", reached));
        table.row("longest join, s (of " + joins.size() + ")", String.format(Locale.ROOT, "%.2f", quietJoin),
                String.format(Locale.ROOT, "%.2f", worst));
        table.row("longest message to itself, ms", String.format(Locale.ROOT, "%.1f", quietNanos / 1e6),
                String.format(Locale.ROOT, "%.1f", lateNanos / 1e6));
        table.row("memory, MiB more", "", String.format(Locale.ROOT, "%.1f", growth / 1048576.0));
        for (String name : List.of("connections.evicted", "connections.expired", "tls.handshakes-failed")) {
            table.row(name, "", nodes.stream().mapToLong(node -> counter(node, name)).sum());
        }
        output.print(table);
        output.bound(String.format(Locale.ROOT, "longest join %.2f s, at most %d", worst, JOIN_MAX.toSeconds()),
                worst <= JOIN_MAX.toSeconds());
        output.bound(String.format(Locale.ROOT, "longest message to itself %.1f ms, at most %d", lateNanos / 1e6,
                LATE_MAX.toMillis()), lateNanos <= LATE_MAX.toNanos());
        output.bound(String.format(Locale.ROOT, "memory %.1f MiB more, at most 64", growth / 1048576.0),
                growth <= GROWTH_BYTES_MAX);
    }
}
