package dev.tutti.bench.commands;

import com.sun.management.OperatingSystemMXBean;
import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.bench.BenchException;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.report.Table;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Cost of nodes that are refused by an admission rule. */
@Command(
        name = "admission",
        mixinStandardHelpOptions = true,
        description = {
            "CPU time and memory that refused nodes cost a member.",
            "Two members with a rule and a token in one process, on loopback without TLS. An attacker connects to one of"
                    + " them, takes part in the exchange of admission as a node does, and proves a wrong token, again and"
                    + " again.",
        },
        footer = {"", "Examples:", "  tutti perf admission", "  tutti perf admission --attempts 60000 --seconds 60"})
final class AdmissionCommand implements Callable<Integer> {

    private static final int MAGIC = 0x74757469;
    private static final int HELLO = 1;
    private static final int REFUSE = 3;
    private static final int CHALLENGE = 6;
    private static final int PROOF = 7;
    private static final int BYTES = 32;
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final double PROCESSORS_MAX = 0.05;
    private static final long GROWTH_BYTES_MAX = 16L << 20;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    @Mixin
    private final Output output = new Output();

    @Option(names = "--attempts", paramLabel = "N", defaultValue = "10000",
            description = "Attempts a minute. Default: ${DEFAULT-VALUE}.")
    private int attempts;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "30", description = "Default: ${DEFAULT-VALUE}.")
    private int seconds;

    private final SecureRandom random = new SecureRandom();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong attackNanos = new AtomicLong();
    private volatile boolean isOver;
    private volatile @Nullable IOException failure;

    @Override
    public Integer call() throws IOException, InterruptedException {
        output.title(String.format(Locale.ROOT, "%,d refused nodes a minute", attempts));
        Path token = Files.createTempFile(
                "token", "", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            Files.writeString(token, Base64.getUrlEncoder().withoutPadding().encodeToString(bytes()));
            CountDownLatch complete = new CountDownLatch(1);
            try (Node one = Node.tcp(0).name("shop-1").tokenFile(token).admit("token and name ~ shop-[0-9]+").start();
                    Node two = Node.tcp(0).name("shop-2").tokenFile(token).seeds(one.address()).start();
                    Group here = one.group("g").onView(view -> {
                        if (view.size() == 2) {
                            complete.countDown();
                        }
                    }).join();
                    Group there = two.group("g").join()) {
                if (!complete.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
                    throw new BenchException("the members have not met");
                }
                measure(one);
                output.bound("the members " + here.view().members() + " have stayed together", here.view().size() == there.view().size()
                        && here.view().size() == 2);
            }
        } finally {
            Files.delete(token);
        }
        return output.finish();
    }

    private void measure(Node member) throws InterruptedException, IOException {
        // Ten times the rate, so that the code is compiled before it is measured.
        attackFor(member, Math.max(2, seconds / 3), 10 * attempts);
        double quiet = processors(seconds / 3.0);
        long before = memory();
        refused.set(0);
        attackNanos.set(0);
        long startNanos = System.nanoTime();
        long startProcessNanos = processNanos();
        attackFor(member, seconds, attempts);
        double elapsed = (System.nanoTime() - startNanos) / 1e9;
        double all = (processNanos() - startProcessNanos) / 1e9 / elapsed;
        double attacker = attackNanos.get() / 1e9 / elapsed;
        double cost = Math.max(0, all - attacker - quiet);
        long growth = memory() - before;
        double perMinute = refused.get() * 60 / elapsed;
        output.put("refused-per-minute", perMinute);
        output.put("processors", cost);
        output.put("growth-bytes", growth);
        Table table = new Table("", "");
        table.row("refused a minute", String.format(Locale.ROOT, "%,.0f", perMinute));
        table.row("CPU of the members without attempts, % of a core", String.format(Locale.ROOT, "%.1f", quiet * 100));
        table.row("CPU of the attacker, % of a core", String.format(Locale.ROOT, "%.1f", attacker * 100));
        table.row("CPU of the refusals, % of a core", String.format(Locale.ROOT, "%.1f", cost * 100));
        table.row("CPU of one refusal, µs", String.format(Locale.ROOT, "%.0f", cost * 60e6 / perMinute));
        table.row("memory, MiB more", String.format(Locale.ROOT, "%.1f", growth / 1048576.0));
        output.print(table);
        output.bound(String.format(Locale.ROOT, "%,.0f refused a minute, at least 95 %% of %,d", perMinute, attempts),
                perMinute >= 0.95 * attempts);
        output.bound(String.format(Locale.ROOT, "%.1f %% of a core, at most 5", cost * 100), cost <= PROCESSORS_MAX);
        output.bound(String.format(Locale.ROOT, "memory %.1f MiB more, at most 16", growth / 1048576.0),
                growth <= GROWTH_BYTES_MAX);
    }

    private static double processors(double duration) {
        long startNanos = System.nanoTime();
        long startProcessNanos = processNanos();
        long endNanos = startNanos + (long) (duration * 1e9);
        while (System.nanoTime() < endNanos) {
            LockSupport.parkNanos(endNanos - System.nanoTime());
        }
        return (double) (processNanos() - startProcessNanos) / (System.nanoTime() - startNanos);
    }

    private void attackFor(Node member, int duration, int perMinute) throws InterruptedException, IOException {
        isOver = false;
        Thread attacker = Thread.ofPlatform().start(() -> attack(member.address(), perMinute));
        attacker.join(TimeUnit.SECONDS.toMillis(duration));
        isOver = true;
        attacker.join();
        IOException failed = failure;
        if (failed != null) {
            throw failed;
        }
    }

    /** Makes attempts at the given rate, one after the other. */
    private void attack(String address, int perMinute) {
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        long startNanos = System.nanoTime();
        try {
            for (long number = 0; !isOver; number++) {
                long waitNanos = startNanos + number * 60_000_000_000L / perMinute - System.nanoTime();
                if (waitNanos > 0) {
                    LockSupport.parkNanos(waitNanos);
                }
                attempt(port, number);
                refused.incrementAndGet();
            }
        } catch (IOException e) {
            failure = e;
        }
        attackNanos.addAndGet(THREADS.getCurrentThreadCpuTime());
    }

    private void attempt(int port, long number) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.setTcpNoDelay(true);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            write(out, hello(number));
            expect(in, CHALLENGE);
            ByteArrayOutputStream proof = new ByteArrayOutputStream();
            proof.write(PROOF);
            proof.writeBytes(bytes());
            proof.write(BYTES);
            proof.writeBytes(bytes());
            write(out, proof.toByteArray());
            expect(in, REFUSE);
        }
    }

    private static void expect(DataInputStream in, int type) throws IOException {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        if (frame[0] != type) {
            throw new IOException("a frame of type " + frame[0] + " instead of " + type);
        }
    }

    private static void write(DataOutputStream out, byte[] frame) throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        new DataOutputStream(whole).writeInt(frame.length);
        whole.writeBytes(frame);
        out.write(whole.toByteArray());
    }

    /** Returns the HELLO of version 1, as docs/wire.md has it. */
    private static byte[] hello(long number) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(HELLO);
        out.writeInt(MAGIC);
        out.writeByte(1);
        out.writeByte(255);
        text(out, "tutti");
        out.writeLong(1_000 + number);
        text(out, "shop-" + number);
        text(out, "127.0.0.1:1");
        out.writeInt(1);
        out.writeLong(0);
        out.writeLong(0);
        out.writeByte(0);
        out.writeLong(0);
        out.writeInt(0);
        out.writeByte(1);
        return bytes.toByteArray();
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private byte[] bytes() {
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Returns the heap after a collection. */
    private static long memory() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static long processNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
