package dev.tutti.netty.internal.tcp;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.netty.internal.loop.Io;
import dev.tutti.netty.internal.loop.Ios;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * A measurement, started by hand: frames of 64 KiB one way, and round trips of 64 B, between two drivers of one JVM.
 * Arguments: rounds, and {@code tls}, or {@code off} for no checksums.
 */
final class Throughput {

    private Throughput() {}

    public static void main(String[] arguments) throws InterruptedException {
        boolean isSecret = arguments.length > 1 && arguments[1].equals("tls");
        Io[] kinds = Ios.available().toArray(Io[]::new);
        for (int round = 0; round < Integer.parseInt(arguments[0]); round++) {
            for (Io io : kinds) {
                Settings settings = Probe.settings(io);
                if (isSecret) {
                    settings = settings.with(TransportSettings.SECRET, "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0GjKx6Pu4EaSc");
                }
                if (arguments.length > 1 && arguments[1].equals("off")) {
                    settings = settings.with(TransportSettings.CHECKSUM, TransportSettings.Checksum.OFF);
                }
                double[] stream = stream(settings, Packet.PAYLOAD_MAX, isSecret ? 5_000 : 40_000);
                double[] pingPong = pingPong(settings, 20_000);
                System.out.println(String.format(
                        Locale.ROOT,
                        "%-9s 64 KiB frames: %5.0f MB/s, CPU %5.1f us each; 64 B round trips: %5.1f us, CPU %5.1f us each",
                        io,
                        Packet.PAYLOAD_MAX / stream[0],
                        stream[1],
                        pingPong[0],
                        pingPong[1]));
            }
        }
    }

    private static double[] stream(Settings settings, int bytes, int count) throws InterruptedException {
        try (Probe one = Probe.open(settings); Probe two = Probe.open(settings)) {
            Semaphore window = new Semaphore(64);
            CountDownLatch done = new CountDownLatch(count);
            two.onFrames((connection, frame) -> {
                frame.release();
                window.release();
                done.countDown();
            });
            one.start();
            two.start();
            int there = one.connect(two);
            long[] before = now();
            for (int index = 0; index < count; index++) {
                window.acquire();
                Packet full = Packet.create(one.driver.memory(), bytes);
                for (int filled = 0; filled < bytes; filled += 8) {
                    full.appendLong(filled);
                }
                one.want(effects -> effects.write(there, full));
            }
            done.await();
            return since(before, count);
        }
    }

    private static double[] pingPong(Settings settings, int count) throws InterruptedException {
        try (Probe one = Probe.open(settings); Probe two = Probe.open(settings)) {
            CountDownLatch done = new CountDownLatch(count);
            two.onFrames((connection, frame) -> {
                Packet answer = frame.copy(two.driver.memory());
                frame.release();
                two.wanted.add(effects -> effects.write(connection, answer));
            });
            int[] there = new int[1];
            one.onFrames((connection, frame) -> {
                done.countDown();
                Packet next = frame.copy(one.driver.memory());
                frame.release();
                if (0 < done.getCount()) {
                    one.wanted.add(effects -> effects.write(connection, next));
                } else {
                    next.release();
                }
            });
            one.start();
            two.start();
            there[0] = one.connect(two);
            long[] before = now();
            one.send(there[0], new byte[64]);
            done.await();
            return since(before, count);
        }
    }

    private static long[] now() {
        long cpuNanos = ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
        return new long[] {System.nanoTime(), cpuNanos};
    }

    /** Microseconds each, by the clock and of CPU. */
    private static double[] since(long[] before, int count) {
        long[] now = now();
        return new double[] {(now[0] - before[0]) / 1e3 / count, (now[1] - before[1]) / 1e3 / count};
    }
}
