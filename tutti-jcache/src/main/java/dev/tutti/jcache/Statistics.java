package dev.tutti.jcache;

import java.util.concurrent.atomic.LongAdder;
import javax.cache.management.CacheStatisticsMXBean;

/** Statistics of a cache at this member. */
final class Statistics implements CacheStatisticsMXBean {

    private static final float NANOS_PER_MICRO = 1_000;

    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder puts = new LongAdder();
    private final LongAdder removals = new LongAdder();
    private final LongAdder evictions = new LongAdder();
    private final LongAdder gets = new LongAdder();
    private final LongAdder getNanos = new LongAdder();
    private final LongAdder timedPuts = new LongAdder();
    private final LongAdder putNanos = new LongAdder();
    private final LongAdder timedRemovals = new LongAdder();
    private final LongAdder removeNanos = new LongAdder();
    private volatile boolean isEnabled;

    boolean isEnabled() {
        return isEnabled;
    }

    void enable(boolean enabled) {
        isEnabled = enabled;
    }

    /** Returns the time at which an operation begins; 0 if nothing is counted. */
    long begin() {
        return isEnabled ? System.nanoTime() : 0;
    }

    /** Counts a look for an entry. */
    void onGet(boolean isHit, long began) {
        if (isEnabled) {
            (isHit ? hits : misses).increment();
            gets.increment();
            getNanos.add(System.nanoTime() - began);
        }
    }

    void onPut(long count, long began) {
        if (isEnabled && count > 0) {
            puts.add(count);
            timedPuts.increment();
            putNanos.add(System.nanoTime() - began);
        }
    }

    void onRemove(long count, long began) {
        if (isEnabled && count > 0) {
            removals.add(count);
            timedRemovals.increment();
            removeNanos.add(System.nanoTime() - began);
        }
    }

    void onEvicted(long count) {
        if (isEnabled) {
            evictions.add(count);
        }
    }

    @Override
    public void clear() {
        for (LongAdder each : new LongAdder[] {
            hits, misses, puts, removals, evictions, gets, getNanos, timedPuts, putNanos, timedRemovals, removeNanos
        }) {
            each.reset();
        }
    }

    @Override
    public long getCacheHits() {
        return hits.sum();
    }

    @Override
    public float getCacheHitPercentage() {
        return percentage(hits.sum());
    }

    @Override
    public long getCacheMisses() {
        return misses.sum();
    }

    @Override
    public float getCacheMissPercentage() {
        return percentage(misses.sum());
    }

    private float percentage(long part) {
        long all = getCacheGets();
        return all == 0 ? 0 : 100f * part / all;
    }

    @Override
    public long getCacheGets() {
        return hits.sum() + misses.sum();
    }

    @Override
    public long getCachePuts() {
        return puts.sum();
    }

    @Override
    public long getCacheRemovals() {
        return removals.sum();
    }

    @Override
    public long getCacheEvictions() {
        return evictions.sum();
    }

    @Override
    public float getAverageGetTime() {
        return average(getNanos.sum(), gets.sum());
    }

    @Override
    public float getAveragePutTime() {
        return average(putNanos.sum(), timedPuts.sum());
    }

    @Override
    public float getAverageRemoveTime() {
        return average(removeNanos.sum(), timedRemovals.sum());
    }

    private static float average(long nanos, long count) {
        return count == 0 ? 0 : nanos / NANOS_PER_MICRO / count;
    }
}
