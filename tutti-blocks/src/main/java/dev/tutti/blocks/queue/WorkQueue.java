package dev.tutti.blocks.queue;

import dev.tutti.Components;
import dev.tutti.DataView;
import dev.tutti.GroupBuilder;
import dev.tutti.Snapshot;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.internal.LostSide;
import dev.tutti.blocks.internal.LostSides;
import dev.tutti.blocks.internal.Retry;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.internal.block.ReplicatedBlock;
import dev.tutti.blocks.internal.block.Upkeep;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.blocks.merge.Side;
import dev.tutti.blocks.queue.QueueCommand.Handed;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A queue of tasks that all members of a group share, to offer and to take from any member. It has a group to itself.
 *
 * <p><b>At least once.</b> A task that was accepted is in the queue until a worker acknowledges it. It is handed to one
 * worker at a time; to another one when the first gives it back, its member leaves the view or dies, or it does not
 * acknowledge in time ({@link QueueBuilder#acknowledgeWithin}, measured by the oldest member, from when it has seen it
 * handed over). The slow worker may still be busy then: {@link Task#deliveries} tells that it was handed over before,
 * and {@link Task#acknowledge} that it is another's now.
 *
 * <p><b>Order.</b> Tasks are handed over in the order in which they were accepted, to the longest waiting workers; a
 * task that comes back has its old place. Tasks offered meanwhile overtake it if it comes back.
 *
 * <p><b>Crashes.</b> Tasks are in the members' memory: they last as long as one member has them. A task offered by a
 * member that crashes at that moment, or is isolated, may be lost, even if the offer has returned; with {@code
 * total.delivery: safe} it is at all members before that.
 *
 * <p><b>Partition.</b> Each side continues with all tasks, those of workers on the other side included: they are done
 * on both. <b>Merge.</b> The tasks of the largest side go on; a moment later those that others have accepted are added,
 * and those that they have done are done ({@link QueueBuilder#merge} for other rules): nothing is lost. The last 10,000
 * done tasks are remembered for that; others may come back.
 *
 * <p>Methods may be called from any thread, those that wait not by group listeners; all throw {@link QueueException}.
 *
 * @param <T> tasks' values, by their codec; not to be changed
 */
public final class WorkQueue<T> implements AutoCloseable {

    /** Tasks that a lost side brings in. */
    private record Rest<T>(List<Item<T>> items, List<TaskId> done) {}

    private static final List<String> TASK_COLUMNS = List.of("Task", "State", "Held for", "Deliveries", "Size");
    private static final List<String> WORKER_COLUMNS = List.of("Waits for a task", "Call");

    private final QueueBuilder<T> settings;
    private final String name;
    private final Threads threads;
    private final ReplicatedBlock<QueueCommand<T>, Boolean, Item<T>> block;
    private final Upkeep upkeep;

    // Guarded by the lock of the upkeep.
    private Tasks<T> tasks = new Tasks<>();
    private final LostSides<Rest<T>> lostSides = new LostSides<>();

    /** Waiting calls of this member, by number. */
    private final TreeMap<Long, CompletableFuture<Task<T>>> takes = new TreeMap<>();

    /** Tasks that were handed to this member, and not yet to a waiting call. */
    private final List<Item<T>> untold = new ArrayList<>();

    private long numbers;
    private long checkNanos = Long.MAX_VALUE;
    private boolean isReplaced;

    private WorkQueue(QueueBuilder<T> settings) {
        this.settings = settings;
        this.name = settings.group().name();
        this.threads = settings.group().node().threads();
        this.block = new ReplicatedBlock<>(
                settings.group(), "queue", "this member can't tell what is overdue or to be merged", new Contents());
        this.upkeep = block.upkeep();
    }

    /** Returns a builder on a group that is still to be joined: its listeners, its state and its order are set here. */
    public static <T> QueueBuilder<T> on(GroupBuilder group, Codec<T> values) {
        return new QueueBuilder<>(group, values);
    }

    static <T> WorkQueue<T> join(QueueBuilder<T> settings) {
        WorkQueue<T> queue = new WorkQueue<>(settings);
        queue.block.join(settings.merge(), QueueCommand.codec(settings.values()), settings::prepared);
        Components components = settings.group().node().components();
        components.addView(queue.name, "tasks", DataView.Content.NONE, queue::taskPage);
        components.addView(queue.name, "workers", DataView.Content.NONE, queue::workerPage);
        return queue;
    }

    // ------------------------------------------------------------------ offering

    /**
     * Offers a task.
     *
     * @return false if the queue is full
     */
    public boolean offer(T value) {
        Arguments.required(value, "offer: the task");
        long number;
        upkeep.lock().lock();
        try {
            number = ++numbers;
        } finally {
            upkeep.lock().unlock();
        }
        return call(new QueueCommand.Offer<>(number, value, 0));
    }

    boolean call(QueueCommand<T> command) {
        return block.call(command);
    }

    // ------------------------------------------------------------------ taking

    /**
     * Waits for a task.
     *
     * @param wait 0 to 10 days
     * @return null if none came in time
     */
    public @Nullable Task<T> take(Duration wait) {
        Arguments.within(wait, Duration.ZERO, WAIT_MAX, "take: the time to wait");
        CompletableFuture<Task<T>> taken = takeAsync();
        try {
            try {
                return threads.get(taken, wait.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                // A task may have arrived at this moment.
                return taken.cancel(false) ? null : threads.get(taken);
            }
        } catch (InterruptedException e) {
            taken.cancel(false);
            Thread.currentThread().interrupt();
            throw new QueueException(QueueException.Reason.UNKNOWN, "queue " + name + ": the thread was interrupted", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof QueueException known
                    ? new QueueException(known.reason(), String.valueOf(known.getMessage()), known)
                    : new IllegalStateException("queue " + name + ": no task was taken", e.getCause());
        }
    }

    /**
     * Waits for a task without a thread. Its stages run on the group's thread and must not wait. When it is cancelled,
     * another worker gets the task.
     */
    public CompletableFuture<Task<T>> takeAsync() {
        CompletableFuture<Task<T>> taken = new CompletableFuture<>();
        long number;
        upkeep.lock().lock();
        try {
            number = ++numbers;
            takes.put(number, taken);
        } finally {
            upkeep.lock().unlock();
        }
        taken.whenComplete((task, failure) -> {
            if (failure != null) {
                withdraw(number);
            }
        });
        register(number);
        return taken;
    }

    /** Announces to all members that a call of this one waits. */
    private void register(long number) {
        block.submit(new QueueCommand.Take<>(number)).whenComplete((isTaken, failure) -> {
            boolean isRetried = failure instanceof CommandException known
                    && known.reason() == CommandException.Reason.REPLACED;
            // In another side's state the call waits again when the view comes.
            if (!isRetried && (isTaken == null || !isTaken)) {
                // A thread that closes the queue does not wait for a codec that runs under the lock.
                upkeep.deadlines().start(() -> refuse(number, failure));
            }
        });
    }

    private void refuse(long number, @Nullable Throwable failure) {
        CompletableFuture<Task<T>> taken;
        upkeep.lock().lock();
        try {
            taken = takes.remove(number);
        } finally {
            upkeep.lock().unlock();
        }
        if (taken != null) {
            CommandException cause = failure instanceof CommandException known ? known : null;
            taken.completeExceptionally(
                    cause != null
                            ? block.exception(cause)
                            : new QueueException(
                                    QueueException.Reason.REFUSED,
                                    "queue " + name + ": too many workers wait",
                                    failure == null ? new IllegalStateException("full") : failure));
        }
    }

    private void withdraw(long number) {
        upkeep.lock().lock();
        try {
            takes.remove(number);
        } finally {
            upkeep.lock().unlock();
        }
        block.submit(new QueueCommand.Cancel<>(number));
    }

    // ------------------------------------------------------------------ state

    /** Returns the number of tasks that are not done, at this member. */
    public int size() {
        upkeep.lock().lock();
        try {
            return tasks.size();
        } finally {
            upkeep.lock().unlock();
        }
    }

    /** Returns a page of the tasks in their order, without their values. */
    private DataView.Page taskPage(String after, int rowsMax) {
        List<List<String>> rows = new ArrayList<>();
        upkeep.lock().lock();
        try {
            long nowNanos = threads.nanoTime();
            for (Item<T> item : tasks.all()) {
                Member holder = item.holder();
                rows.add(List.of(
                        item.id().toString(),
                        holder == null ? "waits" : "held by " + holder.name(),
                        holder == null ? "" : TimeUnit.NANOSECONDS.toSeconds(nowNanos - item.sinceNanos()) + " s",
                        Integer.toString(item.deliveries()),
                        item.bytes() + " B"));
            }
        } finally {
            upkeep.lock().unlock();
        }
        return DataView.Page.of(TASK_COLUMNS, rows, after, rowsMax);
    }

    /** Returns a page of the workers that wait for a task, the longest first. */
    private DataView.Page workerPage(String after, int rowsMax) {
        upkeep.lock().lock();
        try {
            List<List<String>> rows = tasks.waiters().stream()
                    .map(waiter -> List.of(waiter.worker().name(), Long.toString(waiter.number())))
                    .toList();
            return DataView.Page.of(WORKER_COLUMNS, rows, after, rowsMax);
        } finally {
            upkeep.lock().unlock();
        }
    }

    /** Returns this member. */
    public Member self() {
        return upkeep.self();
    }

    /** Returns the view that the queue has reached. */
    public View view() {
        return upkeep.view();
    }

    /** Returns counters by name; for people. */
    public Map<String, Long> status() {
        return block.status();
    }

    /** Fails waiting calls as {@link QueueException.Reason#CLOSED}, and leaves the group; others get its tasks. */
    @Override
    public void close() {
        block.close();
    }

    // ------------------------------------------------------------------ the machine

    private final class Contents implements ReplicatedBlock.Contents<QueueCommand<T>, Boolean, Item<T>> {

        @Override
        public Boolean apply(Member member, QueueCommand<T> command) {
            boolean isDone = execute(member, command);
            handOver();
            return isDone;
        }

        @Override
        public void onView(View view, Member self) {
            lostSides.onView(view, self);
            tasks.onView(view);
            handOver();
            checkNanos = 0;
        }

        @Override
        public void clear() {
            tasks = new Tasks<>();
            isReplaced = true;
        }

        @Override
        public Snapshot snapshot(Blocks.Origin origin) {
            QueueImage<T> image = QueueImage.of(origin, tasks);
            return out -> image.write(settings.values(), out);
        }

        @Override
        public Runnable read(InputStream in, @Nullable View from) throws IOException {
            return replacement(QueueImage.read(settings.values(), in, upkeep.deadlines().nowNanos()), from);
        }

        @Override
        public List<Item<T>> takeEvents() {
            List<Item<T>> events = List.copyOf(untold);
            untold.clear();
            return events;
        }

        /** Gives a task to the call that waits for it here, or to another worker if that does not wait any more. */
        @Override
        public void tell(Item<T> item) {
            CompletableFuture<Task<T>> taken;
            upkeep.lock().lock();
            try {
                taken = takes.remove(item.take());
            } finally {
                upkeep.lock().unlock();
            }
            if (taken == null || !taken.complete(new Task<>(WorkQueue.this, item))) {
                block.submit(new QueueCommand.Release<>(new Handed(item.id(), item.deliveries())));
            }
        }

        @Override
        public void attend(View view, Member self) {
            WorkQueue.this.attend(view, self);
        }

        @Override
        public void putStatus(Map<String, Long> status) {
            status.put("tasks", (long) tasks.size());
            status.put("waiting", (long) tasks.waitingSize());
            status.put("held", (long) tasks.heldSize());
            status.put("workers-waiting", (long) tasks.waiterCount());
            status.put("bytes", tasks.bytes());
            status.put("redeliveries", tasks.redeliveries());
            status.put("to-bring-in", lostSides.count(rest -> 1));
        }

        @Override
        public RuntimeException exception(CommandException failure, String message) {
            QueueException.Reason reason =
                    switch (failure.reason()) {
                        case CLOSED -> QueueException.Reason.CLOSED;
                        case MALFORMED -> throw failure;
                        default ->
                            failure.execution() == CommandException.Execution.NEVER
                                    ? QueueException.Reason.REFUSED
                                    : QueueException.Reason.UNKNOWN;
                    };
            return new QueueException(reason, message, failure);
        }

        @Override
        public void onClosed(String reason) {
            List<CompletableFuture<Task<T>>> open;
            upkeep.lock().lock();
            try {
                open = new ArrayList<>(takes.values());
                takes.clear();
            } finally {
                upkeep.lock().unlock();
            }
            QueueException closed = new QueueException(
                    QueueException.Reason.CLOSED,
                    block.block() + ": " + reason,
                    new IllegalStateException(reason));
            open.forEach(each -> each.completeExceptionally(closed));
            settings.closedListener().accept(reason);
        }
    }

    private boolean execute(Member member, QueueCommand<T> command) {
        return switch (command) {
            case QueueCommand.Offer<T> offer -> {
                boolean hasRoom = tasks.size() < settings.tasksMax()
                        && tasks.bytes() + offer.bytes() <= settings.bytesMax();
                if (hasRoom) {
                    tasks.offer(new TaskId(member, offer.number()), offer.value(), offer.bytes());
                }
                yield hasRoom;
            }
            case QueueCommand.Take<T>(long number) -> tasks.take(new Tasks.Waiter(member, number));
            case QueueCommand.Cancel<T>(long number) -> {
                tasks.cancel(new Tasks.Waiter(member, number));
                yield true;
            }
            case QueueCommand.Acknowledge<T>(Handed task) -> tasks.acknowledge(member, task);
            case QueueCommand.Release<T>(Handed task) -> tasks.release(member, task);
            case QueueCommand.Extend<T>(Handed task) -> tasks.extend(member, task, upkeep.deadlines().nowNanos());
            case QueueCommand.Overdue<T>(List<Handed> overdue) -> {
                overdue.forEach(tasks::overdue);
                yield true;
            }
            case QueueCommand.Again<T> again -> {
                boolean isOfThisView = again.view() == view().id().number();
                if (isOfThisView) {
                    again.done().forEach(tasks::finish);
                    again.items().forEach(tasks::bringIn);
                    if (again.isLast()) {
                        lostSides.onBroughtIn(again.side());
                    }
                }
                yield isOfThisView;
            }
        };
    }

    private void handOver() {
        long nowNanos = upkeep.deadlines().nowNanos();
        tasks.handOver(nowNanos);
        for (Item<T> each : tasks.takeHandedOver()) {
            checkNanos = Math.min(checkNanos, nowNanos + settings.acknowledgeNanos());
            if (upkeep.isSelf(each.holder())) {
                untold.add(each);
            }
        }
    }

    // ------------------------------------------------------------------ the state

    private Runnable replacement(QueueImage<T> image, @Nullable View from) {
        Tasks<T> next = image.tasks();
        Rest<T> rest = from == null ? null : rest(image.origin(), next, from);
        return () -> {
            tasks = next;
            isReplaced = true;
            if (from != null && rest != null) {
                lostSides.add(new LostSide<>(from, rest));
            }
        };
    }

    /** Returns the part of this side, which is given up, that is to be brought in again; null if there is none. */
    private @Nullable Rest<T> rest(Blocks.Origin origin, Tasks<T> kept, View from) {
        Merge<Map<TaskId, T>> rule = settings.merge();
        if (rule.kind() == Merge.Kind.KEEP) {
            return null;
        }
        List<Item<T>> items = new ArrayList<>();
        List<TaskId> done = new ArrayList<>();
        if (rule.kind() == Merge.Kind.UNION) {
            for (Item<T> each : tasks.all()) {
                if (!kept.has(each.id()) && !kept.isDone(each.id())) {
                    items.add(each);
                }
            }
            tasks.done().stream().filter(kept::has).forEach(done::add);
        } else {
            Map<TaskId, T> result = rule.merge(List.of(
                    new Side<>(origin.view(), origin.members(), values(kept)),
                    new Side<>(from.id(), from.members(), values(tasks))));
            for (Item<T> each : tasks.all()) {
                if (result.containsKey(each.id()) && !kept.has(each.id())) {
                    items.add(each);
                }
            }
            kept.all().stream().map(Item::id).filter(id -> !result.containsKey(id)).forEach(done::add);
        }
        return items.isEmpty() && done.isEmpty() ? null : new Rest<>(items, done);
    }

    private static <T> Map<TaskId, T> values(Tasks<T> tasks) {
        Map<TaskId, T> values = new LinkedHashMap<>();
        tasks.all().forEach(each -> values.put(each.id(), each.value()));
        return values;
    }

    // ------------------------------------------------------------------ housekeeping

    private void attend(View present, Member own) {
        if (isReplaced) {
            isReplaced = false;
            // The other side's state may not know the workers that wait here, or know them from before the partition.
            for (Item<T> each : tasks.held()) {
                if (own.equals(each.holder()) && takes.containsKey(each.take())) {
                    untold.add(each);
                }
            }
            List.copyOf(takes.keySet()).forEach(this::register);
        }
        lostSides.takeDue(present, own).forEach(side -> bringIn(side, present));
        long nowNanos = upkeep.deadlines().nowNanos();
        if (own.equals(present.coordinator()) && nowNanos >= checkNanos) {
            checkNanos = check(nowNanos);
        }
        if (own.equals(present.coordinator())) {
            upkeep.deadlines().watch(checkNanos);
        }
    }

    /** @return when to check again */
    private long check(long nowNanos) {
        long next = Long.MAX_VALUE;
        List<Handed> overdue = new ArrayList<>();
        for (Item<T> each : tasks.held()) {
            long dueNanos = each.sinceNanos() + settings.acknowledgeNanos();
            if (dueNanos > nowNanos) {
                next = Math.min(next, dueNanos);
            } else if (overdue.size() < QueueCommand.COUNT_MAX) {
                overdue.add(new Handed(each.id(), each.deliveries()));
            }
        }
        if (!overdue.isEmpty()) {
            // Until the command is delivered they are still here, and submitted again, which has no effect.
            block.announce(new QueueCommand.Overdue<>(overdue), () -> {});
            next = Math.min(next, nowNanos + Retry.PAUSE_NANOS);
        }
        return next;
    }

    private void bringIn(LostSide<Rest<T>> side, View present) {
        List<Item<T>> items = side.wanted().items();
        List<TaskId> done = side.wanted().done();
        int most = Math.max(items.size(), done.size());
        for (int from = 0; from < most; from += BATCH) {
            QueueCommand<T> again = new QueueCommand.Again<>(
                    side.id(),
                    present.id().number(),
                    from + BATCH >= most,
                    part(items, from),
                    part(done, from));
            block.announce(again, side::onUnsent);
        }
    }

    private static <E> List<E> part(List<E> all, int from) {
        return from >= all.size() ? List.of() : all.subList(from, Math.min(from + BATCH, all.size()));
    }

    private static final int BATCH = 64;
    private static final Duration WAIT_MAX = Duration.ofDays(10);

    @Override
    public String toString() {
        return block.block() + " of " + size() + " tasks, " + upkeep.reached();
    }
}
