package dev.tutti.grid.member;

import dev.tutti.Threads;
import dev.tutti.grid.Body;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Topic;
import dev.tutti.grid.internal.memory.Share;
import dev.tutti.grid.internal.memory.Sizes;
import dev.tutti.grid.match.Patterns;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A producer at this member. */
final class LocalProducer implements Producer, Share.Holder {

    /** Most topics whose last measurement is kept for queries. */
    private static final int LATEST_MAX = 10_000;

    private static final long LOAD_NANOS = 1_000_000_000L;

    /** The member that a producer is at. */
    interface Home {

        /** Sends a measurement to all consumers that may choose it. Never waits. */
        void publish(Measurement measurement);

        /** Tells consumers that may have wanted measurements that are lost. Never waits. */
        void lose(Gap gap, Entry producer);

        boolean isWanted(Topic topic);

        /** Announces the entry again. */
        void onChanged(LocalProducer producer);

        void onClosed(LocalProducer producer);
    }

    private final Home home;
    private final Threads threads;
    private final ProducerOptions options;
    /** Memory for the measurements that are kept, which several producers have together; null if this one has its own. */
    private final @Nullable Share keeping;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final ArrayDeque<Measurement> history = new ArrayDeque<>();
    private final TreeMap<String, Measurement> latest = new TreeMap<>();
    private volatile long heldBytes;
    private Entry entry;
    private long sequence;
    private long announcedNanos;
    private boolean isAnnouncing;
    private boolean isClosed;

    LocalProducer(Home home, Threads threads, ProducerOptions options, Entry entry, @Nullable Share keeping) {
        this.keeping = keeping;
        if (keeping != null) {
            keeping.enter(this);
        }
        this.home = home;
        this.threads = threads;
        this.options = options;
        this.entry = entry;
        this.announcedNanos = threads.nanoTime();
    }

    @Override
    public Entry entry() {
        lock.lock();
        try {
            return entry;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void publish(Topic topic, Map<String, String> tags, Body body) {
        publish(topic, tags, Instant.ofEpochMilli(threads.epochMillis()), body);
    }

    @Override
    public void publish(Topic topic, Map<String, String> tags, Instant time, Body body) {
        checkTopic(topic);
        Instant precise = time.truncatedTo(ChronoUnit.MICROS);
        lock.lock();
        try {
            publishNext(new Measurement(entry.id(), sequence + 1, topic, tags, precise, options.clock(), body));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Publishes a measurement of a client, which has numbered it.
     *
     * @return false if its number is not larger than those before
     */
    boolean publish(Measurement measurement) {
        checkTopic(measurement.topic());
        lock.lock();
        try {
            if (!measurement.producer().equals(entry.id())) {
                throw new IllegalArgumentException("a measurement of " + measurement.producer() + " is published by " + entry.id());
            }
            if (measurement.sequence() <= sequence) {
                return false;
            }
            publishNext(measurement);
        } finally {
            lock.unlock();
        }
        if (keeping != null) {
            keeping.relieve();
        }
        return true;
    }

    /** Tells consumers of measurements that its client has dropped. */
    void lose(long count) {
        lock.lock();
        try {
            if (!isClosed) {
                home.lose(new Gap(entry.id(), count, "more measurements would have waited at the producer's client than it keeps"), entry);
            }
        } finally {
            lock.unlock();
        }
    }

    private void checkTopic(Topic topic) {
        if (!Patterns.anyMatches(options.topics(), topic)) {
            throw new IllegalArgumentException("topic " + topic + " is not among those of producer " + options.name() + ", " + options.topics());
        }
    }

    private void publishNext(Measurement measurement) {
        if (isClosed) {
            throw new IllegalStateException("producer " + options.name() + " is closed");
        }
        home.publish(measurement);
        sequence = measurement.sequence();
        keep(measurement);
    }

    ProducerOptions options() {
        return options;
    }

    /** Takes the entry of a newer registration. */
    void renew(Entry renewed) {
        lock.lock();
        try {
            entry = renewed;
        } finally {
            lock.unlock();
        }
    }

    private void keep(Measurement measurement) {
        String path = measurement.topic().path();
        if (latest.size() < LATEST_MAX || latest.containsKey(path)) {
            Measurement before = latest.put(path, measurement);
            count(before, measurement);
        }
        if (options.history() > 0) {
            Measurement oldest = history.size() == options.history() ? history.remove() : null;
            history.add(measurement);
            count(oldest, measurement);
        }
    }

    /** Counts a measurement that is kept instead of another one; either may be none. */
    private void count(@Nullable Measurement before, @Nullable Measurement after) {
        if (keeping == null) {
            return;
        }
        long bytes = (after == null ? 0 : Sizes.of(after)) - (before == null ? 0 : Sizes.of(before));
        heldBytes += bytes;
        keeping.add(bytes);
    }

    @Override
    public long heldBytes() {
        return heldBytes;
    }

    /** Forgets the oldest measurements of the history, and then last ones. */
    @Override
    public void giveBack(long bytes) {
        lock.lock();
        try {
            long enough = heldBytes - bytes;
            while (heldBytes > enough && !history.isEmpty()) {
                count(history.remove(), null);
            }
            while (heldBytes > enough && !latest.isEmpty()) {
                count(latest.pollFirstEntry().getValue(), null);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns up to {@code most} of the last measurements, one for each topic. */
    List<Measurement> latest(Predicate<Measurement> filter, int most) {
        lock.lock();
        try {
            return latest.values().stream().filter(filter).limit(most).toList();
        } finally {
            lock.unlock();
        }
    }

    /** Returns up to {@code most} of the measurements that are kept, the newest if there are more. */
    List<Measurement> history(Predicate<Measurement> filter, int most) {
        List<Measurement> found = new ArrayList<>();
        lock.lock();
        try {
            var newestFirst = history.descendingIterator();
            while (newestFirst.hasNext() && found.size() < most) {
                Measurement each = newestFirst.next();
                if (filter.test(each)) {
                    found.add(each);
                }
            }
        } finally {
            lock.unlock();
        }
        return found.reversed();
    }

    /** Returns whether queries with this pattern of topics may find something here. */
    boolean isAskedBy(Filter filter) {
        return options.topics().stream().anyMatch(pattern -> Patterns.overlap(pattern, filter.topic()));
    }

    @Override
    public boolean isWanted(Topic topic) {
        return home.isWanted(topic);
    }

    @Override
    public void load(double load) {
        if (!(load >= 0 && load <= 1)) {
            throw new IllegalArgumentException("the load of a host is from 0 to 1, not " + load);
        }
        lock.lock();
        try {
            if (isClosed || entry.load() == load) {
                return;
            }
            entry = withLoad(entry, load);
            if (isAnnouncing) {
                return;
            }
            isAnnouncing = true;
            long waitNanos = Math.max(0, announcedNanos + LOAD_NANOS - threads.nanoTime());
            threads.startAfter(waitNanos, "tutti-grid-load", this::announce);
        } finally {
            lock.unlock();
        }
    }

    private void announce() {
        lock.lock();
        try {
            isAnnouncing = false;
            announcedNanos = threads.nanoTime();
            if (isClosed) {
                return;
            }
        } finally {
            lock.unlock();
        }
        home.onChanged(this);
    }

    private static Entry withLoad(Entry entry, double load) {
        return new Entry(
                entry.id(),
                entry.kind(),
                entry.name(),
                entry.site(),
                entry.node(),
                entry.address(),
                entry.filters(),
                entry.type(),
                entry.schema(),
                load,
                entry.registration(),
                entry.attributes());
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
        } finally {
            lock.unlock();
        }
        if (keeping != null) {
            keeping.leave(this);
            giveBack(heldBytes);
        }
        home.onClosed(this);
    }

    @Override
    public String toString() {
        return "producer " + options.name();
    }
}
