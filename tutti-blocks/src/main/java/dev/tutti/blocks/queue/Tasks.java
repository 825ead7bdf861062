package dev.tutti.blocks.queue;

import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.queue.QueueCommand.Handed;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a queue, their holders, the waiting workers, and the tasks that are done. Deterministic except for
 * {@link Item#sinceNanos}, on which nothing here depends. Under the queue's lock.
 */
final class Tasks<T> {

    /** A waiting worker. */
    record Waiter(Member worker, long number) {}

    /** Number of done tasks that are remembered, for sides of a partition that still have them. */
    private static final int DONE_MAX = 10_000;

    private static final int WAITERS_MAX = 1 << 16;

    private final Map<TaskId, Item<T>> items = new HashMap<>();
    private final TreeMap<Long, Item<T>> waiting = new TreeMap<>();
    private final TreeMap<Long, Item<T>> held = new TreeMap<>();
    private final LinkedHashSet<Waiter> waiters = new LinkedHashSet<>();

    /** Workers that have got a task, and still have it. */
    private final Set<Waiter> served = new HashSet<>();

    private final LinkedHashSet<TaskId> done = new LinkedHashSet<>();
    private final List<Item<T>> handedOver = new ArrayList<>();
    private long lastPosition;
    private long bytes;
    private long redeliveries;

    int size() {
        return items.size();
    }

    int waitingSize() {
        return waiting.size();
    }

    int heldSize() {
        return held.size();
    }

    int waiterCount() {
        return waiters.size();
    }

    long bytes() {
        return bytes;
    }

    long redeliveries() {
        return redeliveries;
    }

    long lastPosition() {
        return lastPosition;
    }

    boolean has(TaskId id) {
        return items.containsKey(id);
    }

    boolean isDone(TaskId id) {
        return done.contains(id);
    }

    /** Returns all tasks in their order. */
    List<Item<T>> all() {
        TreeMap<Long, Item<T>> all = new TreeMap<>(waiting);
        all.putAll(held);
        return new ArrayList<>(all.values());
    }

    List<Item<T>> held() {
        return new ArrayList<>(held.values());
    }

    List<Waiter> waiters() {
        return new ArrayList<>(waiters);
    }

    List<TaskId> done() {
        return new ArrayList<>(done);
    }

    /** Returns and removes the tasks that were handed over since the last call. */
    List<Item<T>> takeHandedOver() {
        List<Item<T>> taken = List.copyOf(handedOver);
        handedOver.clear();
        return taken;
    }

    // ------------------------------------------------------------------ of a state

    void restore(Item<T> item) {
        if (items.containsKey(item.id()) || waiting.containsKey(item.position()) || held.containsKey(item.position())) {
            throw new MalformedException("a state has task " + item.id() + ", or its place " + item.position() + ", twice");
        }
        set(item);
        lastPosition = Math.max(lastPosition, item.position());
        bytes += item.bytes();
    }

    void restore(Waiter waiter) {
        waiters.add(waiter);
    }

    void restoreDone(TaskId id) {
        done.add(id);
    }

    void restoreLastPosition(long position) {
        lastPosition = Math.max(lastPosition, position);
    }

    // ------------------------------------------------------------------ commands

    void offer(TaskId id, T value, int valueBytes) {
        lastPosition++;
        add(new Item<>(id, value, valueBytes, lastPosition, 0, null, 0, 0));
    }

    private void add(Item<T> item) {
        items.put(item.id(), item);
        waiting.put(item.position(), item);
        bytes += item.bytes();
    }

    /** @return false if too many workers wait */
    boolean take(Waiter waiter) {
        if (served.contains(waiter) || waiters.contains(waiter)) {
            return true;
        }
        return waiters.size() < WAITERS_MAX && waiters.add(waiter);
    }

    void cancel(Waiter waiter) {
        waiters.remove(waiter);
    }

    /** @return whether {@code worker} held it */
    boolean acknowledge(Member worker, Handed task) {
        Item<T> item = find(task);
        if (item == null || !worker.equals(item.holder())) {
            return false;
        }
        finish(task.id());
        return true;
    }

    boolean release(Member worker, Handed task) {
        Item<T> item = find(task);
        if (item == null || !worker.equals(item.holder())) {
            return false;
        }
        giveBack(item);
        return true;
    }

    boolean extend(Member worker, Handed task, long nowNanos) {
        Item<T> item = find(task);
        if (item == null || !worker.equals(item.holder())) {
            return false;
        }
        set(item.since(nowNanos));
        return true;
    }

    void overdue(Handed task) {
        Item<T> item = find(task);
        if (item != null) {
            giveBack(item);
        }
    }

    private @Nullable Item<T> find(Handed task) {
        Item<T> item = items.get(task.id());
        return item != null && item.holder() != null && item.deliveries() == task.delivery() ? item : null;
    }

    /** Takes the tasks from members that are not in the view any more, and removes them as waiting workers. */
    void onView(View view) {
        for (Item<T> each : held()) {
            if (!view.contains(Objects.requireNonNull(each.holder()))) {
                giveBack(each);
            }
        }
        waiters.removeIf(each -> !view.contains(each.worker()));
    }

    void bringIn(Item<T> item) {
        if (!items.containsKey(item.id()) && !done.contains(item.id())) {
            lastPosition++;
            add(item.at(lastPosition));
        }
    }

    void finish(TaskId id) {
        Item<T> item = items.remove(id);
        if (item == null) {
            return;
        }
        waiting.remove(item.position());
        held.remove(item.position());
        unserve(item);
        bytes -= item.bytes();
        done.add(id);
        if (done.size() > DONE_MAX) {
            Iterator<TaskId> first = done.iterator();
            first.next();
            first.remove();
        }
    }

    /** Hands waiting tasks to waiting workers. Called after each command. */
    void handOver(long nowNanos) {
        while (!waiting.isEmpty() && !waiters.isEmpty()) {
            Item<T> item = waiting.pollFirstEntry().getValue();
            Waiter waiter = waiters.removeFirst();
            if (item.deliveries() > 0) {
                redeliveries++;
            }
            Item<T> given = item.heldBy(waiter.worker(), waiter.number(), nowNanos);
            set(given);
            handedOver.add(given);
        }
    }

    private void giveBack(Item<T> item) {
        held.remove(item.position());
        unserve(item);
        set(item.waiting());
    }

    private void unserve(Item<T> item) {
        Member holder = item.holder();
        if (holder != null) {
            served.remove(new Waiter(holder, item.take()));
        }
    }

    private void set(Item<T> item) {
        items.put(item.id(), item);
        Member holder = item.holder();
        if (holder == null) {
            waiting.put(item.position(), item);
        } else {
            held.put(item.position(), item);
            served.add(new Waiter(holder, item.take()));
        }
    }
}
