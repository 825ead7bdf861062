package dev.tutti.campaign.application;

import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.StateException;
import dev.tutti.blocks.calls.CallContext;
import dev.tutti.blocks.calls.CallException;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.Outcome;
import dev.tutti.blocks.calls.Outcomes;
import dev.tutti.blocks.calls.Procedure;
import dev.tutti.blocks.calls.Refusal;
import dev.tutti.blocks.calls.Wait;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.blocks.coordination.Hold;
import dev.tutti.blocks.directory.Directory;
import dev.tutti.blocks.directory.DirectoryEvent;
import dev.tutti.blocks.directory.DirectoryException;
import dev.tutti.blocks.directory.DirectoryPath;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.map.EntryEvent;
import dev.tutti.blocks.map.MapBuilder;
import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.map.TotalOrderMap;
import dev.tutti.blocks.queue.QueueException;
import dev.tutti.blocks.queue.Task;
import dev.tutti.blocks.queue.WorkQueue;
import dev.tutti.core.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Uses of blocks by processes, with checks of the properties in docs/guarantees.md. */
final class Works {

    /** Use of one block by one process. */
    abstract static class Work {
        final Context context;
        final Node node;
        final int process;

        /** Number of writes of this process, so that no two writes are equal. */
        int writes;

        Work(Context context, Node node) {
            this.context = context;
            this.node = node;
            this.process = context.cluster.numberOf(node);
        }

        /** Performs one operation; may wait. */
        abstract void work();

        /** Returns the content that is equal at all members at rest. */
        abstract String content();

        /** Checks this member alone, at rest. */
        void checkRest() {}

        /** Uses the block once more, at rest, one process after the other; may wait. */
        void probe() {}

        abstract void close();

        void report(String property, String text) {
            context.findings.report(property, getClass().getSimpleName() + " of n" + process + " " + text);
        }

        String value() {
            writes++;
            return "n" + process + "/" + node.id().incarnation() + "/" + writes;
        }

        String key() {
            return "k" + context.random.nextInt(12);
        }

        /** Throws an exception, never an error: an error in a listener would make the member leave. */
        void misbehave(String callback) {
            Mischief.Kind kind = context.mischief.choose(callback, false);
            if (kind != null) {
                Mischief.throwIt(kind, callback);
            }
        }
    }

    private Works() {}

    static Work start(Block block, Context context, Node node) {
        return switch (block) {
            case LAST_WRITER_MAP -> new MapWork(context, node, false);
            case TOTAL_ORDER_MAP -> new MapWork(context, node, true);
            case DIRECTORY -> new DirectoryWork(context, node);
            case QUEUE -> new QueueWork(context, node);
            case COORDINATION -> new CoordinationWork(context, node);
            case CALLS -> new CallsWork(context, node);
        };
    }

    // ------------------------------------------------------------------ maps

    private static final class MapWork extends Work {
        private final ReplicatedMap<String, String> map;
        private final boolean isTotal;
        private final TreeMap<String, String> told = new TreeMap<>();

        MapWork(Context context, Node node, boolean isTotal) {
            super(context, node);
            this.isTotal = isTotal;
            MapBuilder<String, String> builder = ReplicatedMap.on(node.group("map"), Codec.TEXT, Codec.TEXT)
                    .timeout(Duration.ofSeconds(5))
                    .onEntry(this::onEntry);
            map = isTotal ? builder.totalOrder() : builder.lastWriter();
        }

        private void onEntry(EntryEvent<String, String> event) {
            String value = event.value();
            String before = value == null ? told.remove(event.key()) : told.put(event.key(), value);
            if (before == null ? event.previous() != null : !before.equals(event.previous())) {
                report("B2", "is told " + event + ", and was told " + before + " before");
            }
            misbehave("onEntry");
        }

        @Override
        void work() {
            String key = key();
            String value = value();
            try {
                int kind = context.random.nextInt(10);
                if (kind < 2) {
                    map.remove(key);
                } else if (kind == 2) {
                    Map<String, String> many = new LinkedHashMap<>();
                    for (int index = 0; index < 4; index++) {
                        many.put(key(), value + "." + index);
                    }
                    map.putAll(many);
                } else if (kind == 3) {
                    map.put(key, value, Duration.ofMillis(1 + context.random.nextInt(300)));
                } else if (kind == 4) {
                    map.put(key, value + "x".repeat(context.random.nextInt(100_000)));
                } else if (kind < 7 && map instanceof TotalOrderMap<String, String> total) {
                    workInOrder(total, key, value, kind);
                } else {
                    map.put(key, value);
                    checkOwnWrite(key, value);
                }
                context.reached.count("map." + (isTotal ? "total" : "last-writer"));
            } catch (MapException e) {
                context.reached.count("map.refused." + e.reason());
            }
        }

        private static void workInOrder(TotalOrderMap<String, String> total, String key, String value, int kind) {
            if (kind == 5) {
                total.putIfAbsent(key, value);
            } else {
                total.compute(key, (name, present) -> present == null ? value : null);
            }
        }

        /** Checks that no older write of this process is read; a merge or another write may have replaced the value. */
        private void checkOwnWrite(String key, String value) {
            String present = map.get(key);
            if (present != null && !present.equals(value) && present.startsWith("n" + process + "/" + node.id().incarnation() + "/")) {
                String own = present.substring(present.lastIndexOf('/') + 1).replaceAll("\\D.*", "");
                if (Integer.parseInt(own) < writes) {
                    report("B3", "reads " + present.substring(0, Math.min(60, present.length())) + " after " + value + " was written");
                }
            }
        }

        @Override
        String content() {
            Map<String, String> entries = map.snapshot().entries();
            return (isTotal ? map.snapshot().change() + " " + new LinkedHashMap<>(entries) : "" + new TreeMap<>(entries));
        }

        @Override
        void checkRest() {
            if (!told.equals(new TreeMap<>(map.snapshot().entries()))) {
                report("B2", "was told of keys " + told.keySet() + ", and there are " + map.snapshot().entries().keySet());
            }
            Map<String, Long> status = map.status();
            if (status.getOrDefault("to-bring-in", 0L) != 0 || status.getOrDefault("malformed", 0L) != 0) {
                report("B7", "has at rest " + status);
            }
        }

        @Override
        void close() {
            map.close();
        }
    }

    // ------------------------------------------------------------------ directory

    private static final class DirectoryWork extends Work {
        private final Directory<String> directory;
        private final TreeMap<DirectoryPath, String> told = new TreeMap<>();

        DirectoryWork(Context context, Node node) {
            super(context, node);
            directory = Directory.on(node.group("names"), Codec.TEXT).timeout(Duration.ofSeconds(5)).join();
            told.putAll(directory.values());
            var unused = directory.listen(DirectoryPath.ROOT, this::onEvent);
        }

        private void onEvent(DirectoryEvent<String> event) {
            String value = event.value();
            String before = value == null ? told.remove(event.path()) : told.put(event.path(), value);
            if (before == null ? event.previous() != null : !before.equals(event.previous())) {
                report("B2", "is told " + event + ", and was told " + before + " before");
            }
            misbehave("onDirectory");
        }

        @Override
        void work() {
            DirectoryPath parent = DirectoryPath.of("c" + context.random.nextInt(3));
            DirectoryPath name = parent.child("n" + context.random.nextInt(3));
            try {
                switch (context.random.nextInt(8)) {
                    case 0, 1 -> directory.createContext(parent);
                    case 2, 3 -> directory.bind(name, value());
                    case 4 -> directory.rebind(name, value());
                    case 5 -> directory.unbind(name);
                    case 6 -> directory.destroyContext(parent);
                    default -> directory.rename(parent, DirectoryPath.of("c" + context.random.nextInt(3)));
                }
                context.reached.count("directory");
            } catch (DirectoryException e) {
                context.reached.count("directory.refused." + e.reason());
            }
        }

        @Override
        String content() {
            return directory.size() + " " + directory.values();
        }

        @Override
        void checkRest() {
            if (!told.equals(directory.values())) {
                report("B2", "was told of " + told + ", and there is " + directory.values());
            }
        }

        @Override
        void close() {
            directory.close();
        }
    }

    // ------------------------------------------------------------------ queue

    private static final class QueueWork extends Work {
        private final WorkQueue<String> queue;

        QueueWork(Context context, Node node) {
            super(context, node);
            queue = WorkQueue.on(node.group("tasks"), Codec.TEXT)
                    .timeout(Duration.ofSeconds(5))
                    .acknowledgeWithin(Duration.ofSeconds(1))
                    .join();
        }

        @Override
        void work() {
            try {
                if (context.random.nextInt(5) < 3) {
                    if (queue.offer(value())) {
                        context.reached.count("queue.offered");
                    }
                    return;
                }
                Task<String> task = queue.take(Duration.ofMillis(20));
                if (task == null) {
                    return;
                }
                context.reached.count("queue.taken");
                Context.sleep(node.threads(), 1 + context.random.nextLong(5_000_000));
                switch (context.random.nextInt(5)) {
                    case 0 -> task.release();
                    case 1 -> context.reached.count("queue.forgotten");
                    default -> onAcknowledged(task.value(), task.acknowledge());
                }
            } catch (QueueException e) {
                context.reached.count("queue.refused." + e.reason());
            }
        }

        /** Checks that a task is done once, unless a partition has doubled it or a restart has lost its completion. */
        private void onAcknowledged(String value, boolean isTaken) {
            if (isTaken && !context.done.add(value) && context.plan.faults().isEmpty()) {
                report("B9", "has " + value + " acknowledged again");
            }
        }

        @Override
        String content() {
            StringBuilder text = new StringBuilder();
            for (String counter : List.of("tasks", "waiting", "held", "workers-waiting", "bytes")) {
                text.append(counter).append('=').append(queue.status().get(counter)).append(' ');
            }
            return text.toString();
        }

        @Override
        void checkRest() {
            Map<String, Long> status = queue.status();
            if (status.getOrDefault("to-bring-in", 0L) != 0 || status.getOrDefault("malformed", 0L) != 0) {
                report("B7", "has at rest " + status);
            }
        }

        @Override
        void close() {
            queue.close();
        }
    }

    // ------------------------------------------------------------------ coordination

    private static final class CoordinationWork extends Work {
        private final Coordination coordination;

        CoordinationWork(Context context, Node node) {
            super(context, node);
            String[] founders = new String[context.plan.size()];
            for (int index = 0; index < founders.length; index++) {
                founders[index] = "n" + (index + 1);
            }
            coordination = Coordination.on(node.group("coordination"))
                    .founders(founders)
                    .timeout(Duration.ofSeconds(3))
                    .join();
        }

        @Override
        void work() {
            try {
                if (context.random.nextBoolean()) {
                    long number = coordination.counter("c").add(1).number();
                    long era = coordination.counter("c").get().era();
                    context.reached.count("counted");
                    if (!context.counted.add(era + ":" + number) && context.plan.faults().isEmpty()) {
                        report("M3", "has counted to " + number + " again in era " + era);
                    }
                } else {
                    lock();
                }
            } catch (CommandException e) {
                context.reached.count("coordination.refused." + e.execution());
            }
        }

        private void lock() {
            Optional<Hold> granted = coordination.lock("l").tryAcquire(Duration.ofMillis(50));
            if (granted.isEmpty()) {
                return;
            }
            Hold hold = granted.get();
            context.reached.count("locked");
            if (hold.token() <= context.token) {
                report("M5", "holds the lock with token " + hold.token() + ", and " + context.token + " was given before");
            }
            context.token = Math.max(context.token, hold.token());
            Context.sleep(node.threads(), 1 + context.random.nextLong(3_000_000));
            hold.close();
        }

        /** Acquires the lock, which must be free: the remaining members have released it, and the others are gone. */
        @Override
        void probe() {
            if (!coordination.isPrimary()) {
                return;
            }
            try {
                Optional<Hold> granted = coordination.lock("l").tryAcquire(Duration.ofSeconds(2));
                if (granted.isEmpty()) {
                    report("M7", "is not given the lock, which nobody holds");
                    return;
                }
                granted.get().close();
                context.reached.count("locked-at-rest");
            } catch (CommandException e) {
                report("M2", "cannot lock at rest: " + e);
            }
        }

        @Override
        String content() {
            return "primary " + coordination.isPrimary();
        }

        @Override
        void close() {
            coordination.close();
        }
    }

    // ------------------------------------------------------------------ calls

    private static final class CallsWork extends Work {
        private static final Duration TIMEOUT = Duration.ofMillis(400);
        private static final Duration LATENESS_MAX = Duration.ofMillis(3);
        private static final Procedure<String, String> WAIT = Procedure.of("wait", Codec.TEXT, Codec.TEXT);
        private static final Procedure<String, String> INLINE = Procedure.of("inline", Codec.TEXT, Codec.TEXT);
        private static final Procedure<String, String> THROW = Procedure.of("throw", Codec.TEXT, Codec.TEXT);
        private static final Procedure<String, String> BACK = Procedure.of("back", Codec.TEXT, Codec.TEXT);

        private record Made(String request, @Nullable Member to, boolean isThrown, long beganNanos, CompletableFuture<?> call) {}

        private final Calls calls;

        /** The same calls, for handlers; null for a handler that runs before join has returned. */
        private @Nullable Calls joined;

        private final List<Made> made = new ArrayList<>();

        CallsWork(Context context, Node node) {
            super(context, node);
            calls = Calls.on(node.group("calls"))
                    .openCallsMax(64)
                    .handlersMax(8)
                    .handle(WAIT, this::onWait)
                    .handleInline(INLINE, this::onInline)
                    .handle(THROW, this::onThrow)
                    .handle(BACK, this::onBack)
                    .join();
            joined = calls;
        }

        private String handled(String request, CallContext call) {
            for (Member member : call.view().members()) {
                if (member.node().equals(node.id())) {
                    context.handled.computeIfAbsent(request, key -> new TreeMap<>()).merge(member, 1, Integer::sum);
                }
            }
            return request + " at " + node.id().incarnation();
        }

        private String onInline(String request, CallContext call) {
            return handled(request, call);
        }

        private String onWait(String request, CallContext call) {
            String answer = handled(request, call);
            Context.sleep(node.threads(), 1 + context.random.nextLong(30_000_000));
            return answer;
        }

        private String onThrow(String request, CallContext call) {
            handled(request, call);
            // The thread of a handler ends with an error that it throws; the caller is told.
            Mischief.Kind kind = context.random.nextBoolean() ? Mischief.Kind.RUNTIME : Mischief.Kind.CHECKED;
            context.reached.count("throw.handler." + kind);
            Mischief.throwIt(kind, "handler");
            return request;
        }

        /** Calls the caller back, before it answers. */
        private String onBack(String request, CallContext call) {
            String answer = handled(request, call);
            Calls present = joined;
            if (present == null) {
                return answer;
            }
            try {
                present.to(call.caller()).within(TIMEOUT).call(INLINE, request + " back");
                context.reached.count("called.back");
            } catch (CallException e) {
                context.reached.count("called.back-refused");
            }
            return answer;
        }

        @Override
        void work() {
            String request = value();
            List<Member> members = calls.view().members();
            Member to = members.get(context.random.nextInt(members.size()));
            List<Procedure<String, String>> procedures = List.of(WAIT, INLINE, INLINE, BACK, THROW);
            Procedure<String, String> procedure = procedures.get(context.random.nextInt(procedures.size()));
            long beganNanos = context.nowNanos();
            int kind = context.random.nextInt(6);
            CompletableFuture<?> call =
                    switch (kind) {
                        case 0 -> calls.toAll().within(TIMEOUT).start(procedure, request);
                        case 1 -> calls.toOthers().within(TIMEOUT).waitFor(Wait.MAJORITY).start(procedure, request);
                        case 2 -> calls.toAll().within(TIMEOUT).atOnce(1).waitFor(Wait.FIRST).start(procedure, request);
                        default -> calls.to(to).within(TIMEOUT).start(procedure, request);
                    };
            context.reached.count("called");
            made.add(new Made(request, kind < 3 ? null : to, procedure.equals(THROW), beganNanos, call));
            var unused = call.whenComplete((value, failure) -> onOver(request, beganNanos));
            if (context.random.nextInt(20) == 0) {
                call.cancel(true);
            }
        }

        private void onOver(String request, long beganNanos) {
            long nanos = context.nowNanos() - beganNanos;
            boolean isPunctual = context.plan.faults().isEmpty();
            if (isPunctual && nanos > TIMEOUT.plus(LATENESS_MAX).toNanos()) {
                report("C1", "has waited " + nanos / 1_000_000 + " ms for " + request);
            }
        }

        @Override
        String content() {
            return "";
        }

        @Override
        void checkRest() {
            for (Made each : made) {
                Map<Member, Integer> by = context.handled.getOrDefault(each.request(), new TreeMap<>());
                if (by.values().stream().anyMatch(times -> times > 1)) {
                    report("C2", "has asked " + each.request() + ", which was handled by " + by);
                }
                if (!each.call().isDone()) {
                    report("C1", "waits for " + each.request() + " still");
                } else if (!each.call().isCancelled()) {
                    checkOutcome(each, by);
                }
            }
            for (String counter : List.of("open-calls", "handlers", "malformed")) {
                if (calls.status().getOrDefault(counter, 0L) != 0) {
                    report("C1", "has " + counter + " " + calls.status().get(counter) + " at rest");
                }
            }
        }

        private void checkOutcome(Made each, Map<Member, Integer> by) {
            var unused = each.call().handle((result, failure) -> {
                Member to = each.to();
                if (result instanceof Outcomes<?> outcomes) {
                    outcomes.byMember().forEach((member, outcome) -> check(each, by, member, outcome));
                } else if (failure instanceof CallException exception && exception.outcome() != null && to != null) {
                    check(each, by, to, exception.outcome());
                } else if (failure == null && to != null) {
                    check(each, by, to, new Outcome.Value<>(result));
                }
                return true;
            });
        }

        private void check(Made each, Map<Member, Integer> by, Member member, Outcome<?> outcome) {
            switch (outcome) {
                case Outcome.Value<?>(Object value) -> {
                    if (!(each.request() + " at " + member.node().incarnation()).equals(value) || !by.containsKey(member)) {
                        report("C3", "has asked " + each.request() + " of " + member + " and got " + value);
                    }
                }
                case Outcome.Unreachable<?>() -> {
                    if (by.containsKey(member)) {
                        report("C2", "is told that " + member + " was not reached by " + each.request() + ", which it has handled");
                    }
                }
                case Outcome.Refused<?>(Refusal refusal, String detail) -> {
                    if (refusal != Refusal.OVERLOADED || by.containsKey(member)) {
                        report("C2", "is refused " + each.request() + " by " + member + ": " + refusal + " " + detail);
                    }
                }
                case Outcome.Failure<?>(String type, String message) -> {
                    if (!each.isThrown() && !type.equals("java.lang.Error") && !type.contains("ProcessEnded")) {
                        report("C3", "gets a failure of " + each.request() + ": " + type + " " + message);
                    }
                }
                case Outcome.Suspected<?>() -> {}
                case Outcome.TimedOut<?>() -> {}
                case Outcome.Unanswered<?>() -> {}
            }
        }

        @Override
        void close() {
            calls.close();
        }
    }

    /** Reports whether a join, or an operation while a process ends, may fail with this exception. */
    static boolean isExpected(RuntimeException failure) {
        return failure instanceof StateException
                || failure instanceof SendException
                || failure instanceof CallException
                || failure instanceof IllegalStateException;
    }
}
