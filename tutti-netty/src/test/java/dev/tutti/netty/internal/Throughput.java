package dev.tutti.netty.internal;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/** A measurement, started by hand: frames of 64 KiB one way, and 64 B ping-pong, between two drivers of one JVM. */
final class Throughput {

    private Throughput() {}

    public static void main(String[] arguments) throws InterruptedException {
        boolean isSecret = arguments.length > 1 && arguments[1].equals("tls");
        Io[] kinds = Ios.available().toArray(Io[]::new);
        for (int round = 0; round < Integer.parseInt(arguments[0]); round++) {
            for (Io io : kinds) {
                Settings settings = Probe.settings(io);
                if (isSecret) {
                    settings = settings.with(TransportSettings.SECRET, "correct horse battery staple");
                }
                String line = String.format(
                        Locale.ROOT,
                        "%-9s %6.0f MB/s (64 KiB)  %5.1f us (64 B round trip)",
                        io,
                        stream(settings, Packet.PAYLOAD_MAX, isSecret ? 10_000 : 60_000),
                        pingPong(settings, 30_000));
                System.out.println(line);
            }
        }
    }

    private static double stream(Settings settings, int bytes, int count) throws InterruptedException {
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
            long before = System.nanoTime();
            for (int index = 0; index < count; index++) {
                window.acquire();
                Packet packet = one.packet(new byte[0]);
                Packet full = Packet.create(one.driver.memory(), bytes);
                packet.release();
                for (int filled = 0; filled < bytes; filled += 8) {
                    full.appendLong(filled);
                }
                one.want(effects -> effects.write(there, full));
            }
            done.await();
            return (double) bytes * count / (System.nanoTime() - before) * 1e3;
        }
    }

    private static double pingPong(Settings settings, int count) throws InterruptedException {
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
            long before = System.nanoTime();
            one.send(there[0], new byte[64]);
            done.await();
            return (System.nanoTime() - before) / 1e3 / count;
        }
    }
}
