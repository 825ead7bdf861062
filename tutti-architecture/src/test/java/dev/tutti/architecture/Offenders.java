package dev.tutti.architecture;

import dev.tutti.architecture.Determinism.Offence;
import java.io.IOException;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** One class for each way of not being deterministic, and one that is. */
final class Offenders {

    private Offenders() {}

    @Offends(Offence.CLOCK)
    static final class NanoTime {
        long now() {
            return System.nanoTime();
        }
    }

    @Offends(Offence.CLOCK)
    static final class MilliTime {
        long now() {
            return System.currentTimeMillis();
        }
    }

    @Offends(Offence.CLOCK)
    static final class InstantNow {
        long now() {
            return Instant.now().getEpochSecond();
        }
    }

    @Offends(Offence.CLOCK)
    static final class ClockHeld {
        private final Clock clock;

        ClockHeld(Clock clock) {
            this.clock = clock;
        }

        @Override
        public String toString() {
            return clock.toString();
        }
    }

    @Offends(Offence.CLOCK)
    static final class NanoTimeByReference {
        long now() {
            java.util.function.LongSupplier clock = System::nanoTime;
            return clock.getAsLong();
        }
    }

    @Offends(Offence.THREAD)
    static final class ThreadStarted {
        void start() {
            Thread.ofVirtual().start(() -> {});
        }
    }

    @Offends(Offence.THREAD)
    static final class ConcurrentMap {
        Object map() {
            return new ConcurrentHashMap<String, String>();
        }
    }

    @Offends(Offence.THREAD)
    static final class ParallelStream {
        long count(List<String> list) {
            return list.parallelStream().count();
        }
    }

    @Offends(Offence.LOCK)
    static final class LockTaken {
        void run() {
            new ReentrantLock().lock();
        }
    }

    @Offends(Offence.LOCK)
    static final class SynchronizedMethod {
        synchronized int value() {
            return 1;
        }
    }

    @Offends(Offence.LOCK)
    static final class SynchronizedBlock {
        int value() {
            synchronized (this) {
                return 1;
            }
        }
    }

    @Offends(Offence.SHARED_STATE)
    static final class VolatileField {
        private volatile int value;

        int value() {
            return value++;
        }
    }

    @Offends(Offence.SHARED_STATE)
    static final class StaticVariable {
        private static int value;

        static int value() {
            return value++;
        }
    }

    @Offends(Offence.SHARED_STATE)
    static final class AtomicField {
        private final AtomicLong value = new AtomicLong();

        long value() {
            return value.get();
        }
    }

    @Offends(Offence.SOCKET)
    static final class SocketOpened {
        void open() throws IOException {
            new Socket("localhost", 1).close();
        }
    }

    @Offends(Offence.SOCKET)
    static final class ChannelHeld {
        private SocketChannel[] channels = {};

        int count() {
            return channels.length;
        }
    }

    @Offends(Offence.FILE)
    static final class FileRead {
        boolean isThere(Path path) {
            return Files.exists(path);
        }
    }

    @Offends(Offence.ENTROPY)
    static final class RandomNumber {
        int next() {
            return new Random().nextInt();
        }
    }

    @Offends(Offence.ENTROPY)
    static final class RandomUnseeded {
        int next() {
            return new SplittableRandom().nextInt();
        }
    }

    @Offends(Offence.ENTROPY)
    static final class RandomId {
        Object next() {
            return UUID.randomUUID();
        }
    }

    @Offends(Offence.ENTROPY)
    static final class MathRandom {
        double next() {
            return Math.random();
        }
    }

    @Offends(Offence.THREAD)
    static final class RandomOfThread {
        int next() {
            return ThreadLocalRandom.current().nextInt();
        }
    }

    @Offends(Offence.SURROUNDINGS)
    static final class Environment {
        String read() {
            return System.getenv("HOME");
        }
    }

    @Offends(Offence.SURROUNDINGS)
    static final class StandardOutput {
        void print() {
            System.out.flush();
        }
    }

    @Offends(Offence.HASH_ORDER)
    static final class IdentityHash {
        int hash() {
            return System.identityHashCode(this);
        }
    }

    @Offends(Offence.HASH_ORDER)
    static final class HashMapIterated {
        private final HashMap<String, String> map = new HashMap<>();

        String join() {
            return String.join(",", map.keySet());
        }
    }

    @Offends(Offence.HASH_ORDER)
    static final class HashSetIterated {
        private final HashSet<String> set = new HashSet<>();

        int length() {
            int length = 0;
            for (String element : set) {
                length += element.length();
            }
            return length;
        }
    }

    @Offends(Offence.HASH_ORDER)
    static final class HashMapBehindItsInterface {
        private final Map<String, String> map = new HashMap<>();

        int length() {
            int length = 0;
            for (var entry : map.entrySet()) {
                length += entry.getKey().length();
            }
            return length;
        }
    }

    @Offends(Offence.HASH_ORDER)
    static final class ImmutableSetIterated {
        int length() {
            int length = 0;
            for (String element : Set.of("a", "b")) {
                length += element.length();
            }
            return length;
        }
    }

    @Innocent
    static final class Harmless {
        private final HashMap<String, Long> index = new HashMap<>();
        private final TreeMap<String, Long> sorted = new TreeMap<>();
        private final LinkedHashMap<String, Long> linked = new LinkedHashMap<>();
        private final SplittableRandom random = new SplittableRandom(1);

        long sum(String key, byte[] from, byte[] to) {
            System.arraycopy(from, 0, to, 0, from.length);
            index.put(key, Duration.ofMillis(1).toNanos());
            long sum = index.getOrDefault(key, 0L) + random.nextLong();
            for (long value : sorted.values()) {
                sum += value;
            }
            for (long value : linked.values()) {
                sum += value;
            }
            return sum;
        }
    }
}
