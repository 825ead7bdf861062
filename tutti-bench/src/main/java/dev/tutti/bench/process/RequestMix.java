package dev.tutti.bench.process;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.report.Latencies;
import dev.tutti.bench.systems.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The threads of one member that make requests, each waiting for its answer before the next. */
final class RequestMix {

    private static final int PERCENT = 100;

    private final Requests requests;
    private final int rank;
    private final int members;
    private final int bytes;
    private final int reads;
    private final int copies;
    private final byte[][] written = new byte[Requests.KEYS][];
    private final List<Worker> workers = new ArrayList<>();

    /**
     * @param rank this member's; requests go to others only
     * @param bytes of a value
     * @param reads percentage of reads among requests
     * @param copies members that a value is written to, or all others if they are fewer
     */
    RequestMix(Requests requests, int rank, int members, int bytes, int reads, int copies) {
        this.requests = requests;
        this.rank = rank;
        this.members = members;
        this.bytes = bytes;
        this.reads = reads;
        this.copies = Math.min(copies, members - 1);
        for (int key = 0; key < written.length; key++) {
            written[key] = Requests.Values.of(key, bytes);
        }
    }

    /** Runs this many virtual threads until the time is over and all have their last answer. */
    RequestMix run(int threads, long nanos, long timeoutNanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        CountDownLatch done = new CountDownLatch(threads);
        for (int number = 0; number < threads; number++) {
            Worker worker = new Worker(number, end, done);
            workers.add(worker);
            Thread.ofVirtual().name("requests-" + number).start(worker);
        }
        if (!done.await(nanos + timeoutNanos, TimeUnit.NANOSECONDS)) {
            throw new BenchException(done.getCount() + " of " + threads + " threads still wait for an answer");
        }
        return this;
    }

    long failures() {
        return workers.stream().mapToLong(worker -> worker.failures).sum();
    }

    String fault() {
        return workers.stream().map(worker -> worker.fault).filter(text -> !text.isEmpty()).findFirst().orElse("");
    }

    /** Returns the times of all requests but failed ones. */
    Histogram times() {
        return Latencies.sum(workers.stream().map(worker -> worker.times).toList());
    }

    private final class Worker implements Runnable {
        private final SplittableRandom random;
        private final long end;
        private final CountDownLatch done;
        private final Histogram times = Latencies.histogram();
        private long failures;
        private String fault = "";

        Worker(int number, long end, CountDownLatch done) {
            this.random = new SplittableRandom(rank * 1_000L + number);
            this.end = end;
            this.done = done;
        }

        @Override
        public void run() {
            try {
                for (long began = System.nanoTime(); began < end; began = System.nanoTime()) {
                    if (request()) {
                        times.recordValue(Math.min(System.nanoTime() - began, Latencies.NANOS_MAX));
                    } else {
                        failures++;
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                done.countDown();
            }
        }

        private boolean request() throws InterruptedException {
            int key = random.nextInt(Requests.KEYS);
            int first = random.nextInt(members - 1);
            try {
                if (random.nextInt(PERCENT) < reads) {
                    return Requests.Values.isWhole(requests.get(other(first), key), key, bytes) || fail("a wrong value");
                }
                List<Integer> ranks = new ArrayList<>(copies);
                for (int copy = 0; copy < copies; copy++) {
                    ranks.add(other((first + copy) % (members - 1)));
                }
                return requests.put(ranks, key, written[key]) || fail("not written by all");
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                return fail(e.toString());
            }
        }

        private boolean fail(String why) {
            fault = why;
            return false;
        }

        /** Returns the member of this number, not counting this one. */
        private int other(int number) {
            return number < rank ? number : number + 1;
        }
    }
}
