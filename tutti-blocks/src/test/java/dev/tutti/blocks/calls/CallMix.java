package dev.tutti.blocks.calls;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The mix of requests that is measured: of ten requests eight read 1 kB from one member, two write 1 kB to two; all by
 * threads that wait. {@code main} runs all nodes in one JVM, for profiling; {@code ./tutti bench} compares it with
 * other systems.
 */
public final class CallMix implements AutoCloseable {

    private static final Procedure<Long, byte[]> GET = Procedure.of("get", Codec.LONG, Codec.BYTES);
    private static final Procedure<Put, Boolean> PUT = Procedure.of("put", Put.CODEC, Codec.BOOLEAN);
    private static final int KEYS = 1_024;

    private record Put(long key, byte[] value) {
        private static final Codec<Put> CODEC = Codec.of(
                in -> new Put(in.takeLong(), in.takeBytes()), (put, out) -> out.putLong(put.key()).putBytes(put.value()));
    }

    /** Requests of the threads of one node. */
    public record Result(long requests, long failures, long[] latenciesNanos) {}

    private final byte[][] values = new byte[KEYS][];
    private final byte[] value;
    private final CountDownLatch complete = new CountDownLatch(1);
    private final Calls calls;

    /** @param members number of members when the group is complete */
    public CallMix(Node node, String group, int members, int valueBytes) {
        value = new byte[valueBytes];
        Arrays.fill(values, value);
        calls = Calls.on(node.group(group))
                .onView(view -> {
                    if (view.size() == members) {
                        complete.countDown();
                    }
                })
                .handleInline(GET, (key, context) -> values[(int) (key & KEYS - 1)])
                .handleInline(PUT, (put, context) -> {
                    values[(int) (put.key() & KEYS - 1)] = put.value();
                    return true;
                })
                .join();
    }

    public Calls calls() {
        return calls;
    }

    /** Waits until all members are there. */
    public boolean awaitMembers(Duration limit) throws InterruptedException {
        return complete.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Makes {@code threads} virtual threads call for this time. */
    public Result run(int threads, Duration duration) throws InterruptedException {
        long endNanos = System.nanoTime() + duration.toNanos();
        List<List<Long>> latencies = new ArrayList<>();
        long[] failures = new long[threads];
        CountDownLatch done = new CountDownLatch(threads);
        for (int thread = 0; thread < threads; thread++) {
            List<Long> own = new ArrayList<>();
            latencies.add(own);
            int number = thread;
            Thread.ofVirtual().start(() -> {
                try {
                    failures[number] = work(new SplittableRandom(number), endNanos, own);
                } finally {
                    done.countDown();
                }
            });
        }
        done.await();
        long[] all = latencies.stream().flatMap(List::stream).mapToLong(Long::longValue).sorted().toArray();
        return new Result(all.length, Arrays.stream(failures).sum(), all);
    }

    private long work(SplittableRandom random, long endNanos, List<Long> latencies) {
        List<Member> others =
                calls.view().members().stream().filter(member -> !member.equals(calls.self())).toList();
        long failures = 0;
        long now = System.nanoTime();
        while (now < endNanos) {
            int first = random.nextInt(others.size());
            long key = random.nextLong();
            try {
                if (random.nextInt(10) < 8) {
                    failures += calls.to(others.get(first)).call(GET, key).length == value.length ? 0 : 1;
                } else {
                    List<Member> two = List.of(others.get(first), others.get((first + 1) % others.size()));
                    failures += calls.to(two).call(PUT, new Put(key, value)).isSatisfied() ? 0 : 1;
                }
            } catch (CallException e) {
                failures++;
            }
            long after = System.nanoTime();
            latencies.add(after - now);
            now = after;
        }
        return failures;
    }

    @Override
    public void close() {
        calls.close();
    }

    /** Arguments: nodes, threads per node, seconds. */
    public static void main(String[] arguments) throws InterruptedException {
        int size = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 4;
        int threads = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 25;
        Duration duration = Duration.ofSeconds(arguments.length > 2 ? Long.parseLong(arguments[2]) : 5);
        List<Node> nodes = new ArrayList<>();
        List<CallMix> mixes = new ArrayList<>();
        for (int number = 0; number < size; number++) {
            String[] seeds = nodes.stream().limit(1).map(Node::address).toArray(String[]::new);
            nodes.add(Node.tcp(0).name("n" + number).seeds(seeds).start());
            mixes.add(new CallMix(nodes.getLast(), "mix", size, 1_000));
        }
        for (CallMix mix : mixes) {
            if (!mix.awaitMembers(Duration.ofSeconds(30))) {
                throw new IllegalStateException("not all members are there: " + mix.calls());
            }
        }
        for (String phase : List.of("warm-up", "measured")) {
            print(phase, duration, runAll(mixes, threads, duration));
        }
        mixes.forEach(CallMix::close);
        nodes.forEach(Node::close);
    }

    private static List<Result> runAll(List<CallMix> mixes, int threads, Duration duration) throws InterruptedException {
        List<Result> results = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(mixes.size());
        for (CallMix mix : mixes) {
            Thread.ofPlatform().start(() -> {
                try {
                    Result result = mix.run(threads, duration);
                    synchronized (results) {
                        results.add(result);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    done.countDown();
                }
            });
        }
        done.await();
        return results;
    }

    private static void print(String phase, Duration duration, List<Result> results) {
        long requests = results.stream().mapToLong(Result::requests).sum();
        long failures = results.stream().mapToLong(Result::failures).sum();
        long[] all = results.stream().flatMapToLong(result -> Arrays.stream(result.latenciesNanos())).sorted().toArray();
        System.out.printf(Locale.ROOT, "%-9s %,d requests/s per node, %d failed, median %d us, p99 %d us%n", phase,
                requests * 1_000 / duration.toMillis() / results.size(), failures, micros(all, 0.5), micros(all, 0.99));
    }

    private static long micros(long[] sortedNanos, double part) {
        return sortedNanos.length == 0
                ? 0
                : TimeUnit.NANOSECONDS.toMicros(sortedNanos[(int) (part * (sortedNanos.length - 1))]);
    }
}
