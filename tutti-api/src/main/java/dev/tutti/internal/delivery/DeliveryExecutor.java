package dev.tutti.internal.delivery;

import dev.tutti.Message;
import dev.tutti.NodeInspection;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.Receipt;
import dev.tutti.core.View;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.stack.Application;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.internal.Logs;
import dev.tutti.internal.state.Cut;
import dev.tutti.internal.state.StateTransfer;
import dev.tutti.protocols.packing.Assemblies;
import dev.tutti.protocols.packing.Records;
import dev.tutti.protocols.packing.SpareArrays;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Runs listeners in delivery order, on the loop's thread at the end of a turn, or on a virtual thread if they take
 * longer; that thread lives while there is something to deliver.
 *
 * <p>The queue needs no bound of its own: what is in it fills the senders' windows, and they stop.
 */
public final class DeliveryExecutor implements Application {

    /** Receives the executor's notifications; the group. */
    public interface Owner {

        /** Asks the loop to take back consumed packets. */
        void onConsumed();

        void onInstalled(View view);

        void onSuspended(String reason);

        /** Notes which members deliver a packet of this member. */
        void onKnown(long ticket, Delivery delivery);

        /** Notes that the listener took long for a packet. */
        void onSlow(Member sender, long nanos);

        void onJoined();

        /** @return the reason to report */
        String onLeft(String reason);

        /**
         * Notes that a listener has thrown.
         *
         * @param message message that it was called for; null if it was not called for one
         * @return whether delivery continues; otherwise the group is being left
         */
        boolean onFailed(String callback, @Nullable Message message, Throwable thrown);

        /** Notes that a packet can't be decoded, at any member: its messages are not delivered. */
        void onUnreadable(@Nullable Member sender);

        /** Notes that items were lost before delivery, so that the group has to be left. From any thread. */
        void onBroken(Throwable thrown);

        /** Notes that the last listener has returned, and none is called any more. */
        void onEnded();
    }

    private record Joined() {}
    private record Left(String reason) {}
    private record Transition() implements StateTransfer.OfView {}

    /** A request to look at the state or at the end. */
    private record Look() {}

    private static final Look LOOK = new Look();

    private record Suspended(String reason) implements StateTransfer.OfView {}

    /** Time for which listeners that blocked the loop's thread run on their own thread. */
    private static final long BAN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Time for one packet from which on a listener is reported as slow. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final Logger LOG = Logs.of(DeliveryExecutor.class);

    private final String group;
    private final boolean isInline;
    private final long reportBytes;
    private final Listeners listeners;
    private final Fence fence;

    /** Fence around delivery itself, which may fail for lack of memory, or by an internal error. */
    private final Fence guard;

    private final Consumer<Object> deliverItem = this::deliver;
    private final Calls calls = new Calls();
    private final Calls.Call delivery = calls.delivery();
    private final Host host;
    private final SpareArrays spares;
    private final Owner owner;
    private final OutOfBand outOfBand;

    private final Queue<Object> queue = new ConcurrentLinkedQueue<>();
    private final Queue<Packet> consumed = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isRunning = new AtomicBoolean();
    private final Driver.LoopTask task = this::runInLoop;

    /** A visit on the loop's thread is due; accessed on the loop only. */
    private boolean isAwaited;

    /** End of the ban after a visit that kept the loop's thread for too long. */
    private volatile long bannedUntilNanos = System.nanoTime();

    private final AtomicLong messages = new AtomicLong();
    private final LongAdder messagesAside = new LongAdder();
    private final AtomicLong listenerFailures = new AtomicLong();
    private final AtomicLong slowPackets = new AtomicLong();
    private final LongAdder messagesDiscarded = new LongAdder();
    /** Packets that have arrived and keep windows of their senders closed. */
    private final LongAdder packetsUnconsumed = new LongAdder();

    /** Those among them whose messages other threads deliver, in scopes and out of band. */
    private final AtomicLong packetsAside = new AtomicLong();

    private final LongAdder packetsDiscarded = new LongAdder();
    private final LongAdder unreadablePackets = new LongAdder();

    /** Listeners are not called any more, except for the end of the group. */
    private volatile boolean isSilent;
    private volatile boolean isAbandoned;

    // Accessed by the executor only, one thread at a time.
    private final Assemblies assemblies;
    private final Delivered.Ring ring = new Delivered.Ring();
    private final Records.Visitor visitor = new Visitor();
    private @Nullable View view;
    private @Nullable Packet current;
    private boolean isCopy;

    /** A message was delivered since the last end of a batch. */
    private boolean isBatchOpen;

    private ScopeLanes.@Nullable Use use;
    private long unreportedBytes;

    /** Created with the first message in a scope. */
    private @Nullable ScopeLanes scopes;

    private final boolean isOrderAcrossSenders;

    /** Gate for listeners in groups whose state is transferred. Set before the executor is used. */
    private @Nullable StateTransfer state;

    private final AtomicBoolean isLookPending = new AtomicBoolean();

    /** Item that has no room while messages wait for the state; accessed by the executor only. */
    private @Nullable Object stalled;

    private volatile boolean isStalled;
    private volatile boolean isLeft;

    /** Reason why this member is outside of the primary partition; null if it is inside. Accessed on the loop only. */
    private @Nullable String suspended;

    /** View in which messages out of band are delivered. Accessed on the loop only. */
    private @Nullable View installed;

    /**
     * @param isOrderAcrossSenders whether the group has an order of messages of different senders
     * @param reportBytes consumed bytes after which the loop is told while more items wait
     */
    public DeliveryExecutor(
            String group,
            Listeners listeners,
            boolean isOrderAcrossSenders,
            long reportBytes,
            Host host,
            SpareArrays spares,
            Assemblies assemblies,
            Owner owner) {
        this.group = group;
        this.isInline = listeners.isInline();
        this.isOrderAcrossSenders = isOrderAcrossSenders;
        this.reportBytes = reportBytes;
        this.listeners = listeners;
        this.host = host;
        this.spares = spares;
        this.assemblies = assemblies;
        this.owner = owner;
        this.fence = new Fence(host, this::onFailed);
        this.guard = new Fence(host, (callback, item, thrown) -> {
            isSilent = true;
            owner.onBroken(thrown);
        });
        this.outOfBand = new OutOfBand("tutti-" + group, host, guard, calls, this::pass, this::onUnreadable, this::onDoneAside);
    }

    public void use(StateTransfer transfer) {
        if (isInline) {
            throw new IllegalStateException("group " + group
                    + " has a state and inline listeners, which would block the loop: choose one");
        }
        state = transfer;
    }

    // ------------------------------------------------------------------ on the loop

    @Override
    public void onPacket(Member sender, Packet packet) {
        packetsUnconsumed.increment();
        if (state != null && Records.isState(packet)) {
            state.onPacket(sender, packet);
            onDone(packet);
        } else if (isInline || !Records.isOutOfBand(packet) || !deliversAside(sender, packet)) {
            add(packet);
        }
    }

    /** @return false if all messages wait for the state */
    private boolean deliversAside(Member sender, Packet packet) {
        // Counted first: either the thread that installs a state sees the packet, or this one sees that messages wait.
        packetsAside.incrementAndGet();
        if (state != null && state.isHolding()) {
            packetsAside.decrementAndGet();
            return false;
        }
        outOfBand.start(sender, packet, installed);
        return true;
    }

    @Override
    public void onTransition() {
        add(new Transition());
    }

    @Override
    public void onSuspended(String reason) {
        if (!reason.equals(suspended)) {
            suspended = reason;
            owner.onSuspended(reason);
            add(new Suspended(reason));
        }
    }

    @Override
    public void onKnown(long ticket, Delivery delivery) {
        owner.onKnown(ticket, delivery);
    }

    @Override
    public void onView(View next) {
        suspended = null;
        owner.onInstalled(next);
        installed = next;
        StateTransfer transfer = state;
        add(transfer == null ? next : transfer.onView(next));
    }

    @Override
    public void onJoined() {
        StateTransfer transfer = state;
        if (transfer != null) {
            transfer.onJoined();
        }
        add(new Joined());
    }

    @Override
    public void onLeft(String reason) {
        String told = owner.onLeft(reason);
        StateTransfer transfer = state;
        if (transfer != null) {
            isLeft = true;
            look();
        }
        if (isAbandoned) {
            host.start("tutti-" + group, () -> guard.call("delivery", () -> endAside(told)));
        } else {
            add(new Left(told));
        }
    }

    private void endAside(String reason) {
        Calls.Call call = calls.open();
        call.begin("onClosed", null, host.nanoTime());
        fence.call("onClosed", listeners.onClosed(), reason);
        call.end();
        calls.close(call);
        owner.onEnded();
        for (Object item = queue.poll(); item != null; item = queue.poll()) {
            if (item instanceof Packet packet) {
                packetsDiscarded.increment();
                onDone(packet);
            }
        }
    }

    /** Ends delivery because the loop, and with it the group, has ended. Once; from any thread. */
    public void onLost(String reason) {
        StateTransfer transfer = state;
        if (transfer != null) {
            isLeft = true;
            isLookPending.set(true);
        }
        queue.add(new Left(reason));
        if (isRunning.compareAndSet(false, true)) {
            start();
        }
    }

    /** Requests a look at the state, which has changed. From any thread. */
    public void look() {
        isLookPending.set(true);
        if (isRunning.compareAndSet(false, true)) {
            start();
        }
    }

    /** Takes a packet that the application has consumed; null if there is none. */
    public @Nullable Packet takeConsumed() {
        return consumed.poll();
    }

    private void add(Object item) {
        if (isInline) {
            delivery.enter();
            guard.call("delivery", deliverItem, item);
            endBatch();
            if (!consumed.isEmpty()) {
                owner.onConsumed();
            }
            return;
        }
        queue.add(item);
        if (isAwaited || isRunning.get() || isStalled) {
            return;
        }
        if (System.nanoTime() - bannedUntilNanos >= 0 && host.driver().runInLoop(task)) {
            isAwaited = true;
        } else if (isRunning.compareAndSet(false, true)) {
            start();
        }
    }

    private void start() {
        host.start("tutti-" + group, this::run);
    }

    // ------------------------------------------------------------------ on the loop's thread, as a task

    private void runInLoop(Driver.LoopBudget budget) {
        isAwaited = false;
        if (!hasWork() || !isRunning.compareAndSet(false, true)) {
            return;
        }
        delivery.enter();
        try {
            Object item = next();
            while (item != null) {
                guard.call("delivery", deliverItem, item);
                item = budget.mayGoOn() ? next() : null;
            }
        } finally {
            if (budget.hasLostLoop()) {
                bannedUntilNanos = System.nanoTime() + BAN_NANOS;
            }
            endBatch();
            report();
            end();
        }
    }

    // ------------------------------------------------------------------ on the executor

    private void run() {
        delivery.enter();
        try {
            Object item = next();
            while (item != null) {
                guard.call("delivery", deliverItem, item);
                // Items may never end, and threads that wait for the end of the batch wait for this batch only.
                endBatch();
                item = next();
            }
        } finally {
            endBatch();
            report();
            end();
        }
    }

    private void endBatch() {
        if (isBatchOpen) {
            isBatchOpen = false;
            call("onBatchEnd", null, Runnable::run, listeners.onBatchEnd());
        }
    }

    private void end() {
        isRunning.set(false);
        // Items left after a visit or an Error, and those added since the last look, have no thread yet.
        if (hasWork() && isRunning.compareAndSet(false, true)) {
            start();
        }
    }

    private boolean hasWork() {
        return isLookPending.get() || !isStalled && !queue.isEmpty();
    }

    private @Nullable Object next() {
        if (isLookPending.compareAndSet(true, false)) {
            return LOOK;
        }
        return isStalled ? null : queue.poll();
    }

    private void deliver(Object item) {
        StateTransfer transfer = state;
        if (isSilent && item instanceof Packet packet) {
            discard(packet);
        } else if (transfer == null || item instanceof Left) {
            deliverNow(item);
        } else if (isSilent && !(item instanceof Look)) {
            // No snapshot is taken of a state that lacks something.
            return;
        } else if (item instanceof Look) {
            look(transfer);
        } else {
            offer(transfer, item);
        }
    }

    /** Delivers an item, unless it has to wait for the state. */
    private void offer(StateTransfer transfer, Object item) {
        if (item instanceof Cut) {
            // Messages that change the state have been handled when a snapshot of it is taken.
            awaitScopes();
        }
        switch (take(transfer, item)) {
            case NO -> deliverNow(item);
            case YES -> {
                if (item instanceof Packet packet) {
                    consume(packet);
                }
            }
            case FULL -> {
                stalled = item;
                isStalled = true;
                report();
            }
        }
    }

    /** Gives an item to the state transfer, which asks the application for a snapshot at a cut. */
    private StateTransfer.Taken take(StateTransfer transfer, Object item) {
        if (!(item instanceof Cut)) {
            return transfer.take(item);
        }
        delivery.begin("snapshot", null, host.nanoTime());
        try {
            return transfer.take(item);
        } finally {
            delivery.end();
        }
    }

    private void look(StateTransfer transfer) {
        if (isLeft) {
            transfer.abandon();
        }
        transfer.look(item -> {
            if (item instanceof Packet held) {
                delivery.begin("onMessage", held.peer(), host.nanoTime());
                try {
                    deliverPacket(held, true);
                } finally {
                    delivery.end();
                }
            } else {
                deliverNow(item);
            }
        }, this::awaitScopes);
        Object waiting = stalled;
        if (waiting != null) {
            stalled = null;
            isStalled = false;
            offer(transfer, waiting);
        }
    }

    private void deliverNow(Object item) {
        switch (item) {
            case Packet packet when isSilent -> discard(packet);
            case Packet packet -> deliverTimed(packet);
            case View next -> deliverView(next);
            case Cut cut -> deliverView(cut.view());
            case Transition() -> {
                awaitScopes();
                call("onTransition", null, Runnable::run, listeners.onTransition());
            }
            case Suspended(String reason) -> {
                awaitScopes();
                call("onSuspended", null, listeners.onSuspended(), reason);
            }
            case Joined() -> {
                if (!isSilent) {
                    owner.onJoined();
                }
            }
            case Left(String reason) -> {
                awaitScopes();
                isSilent = true;
                delivery.begin("onClosed", null, host.nanoTime());
                fence.call("onClosed", listeners.onClosed(), reason);
                delivery.end();
                owner.onEnded();
            }
            default -> throw new IllegalStateException("unknown item " + item);
        }
    }

    private void deliverView(View next) {
        awaitScopes();
        View former = view;
        View told = former == null ? next : next.after(former);
        view = told;
        assemblies.startView(next);
        call("onView", null, listeners.onView(), told);
    }

    /** Delivers a packet and measures the time: one more look at the clock per packet, none per message. */
    private void deliverTimed(Packet packet) {
        Member sender = packet.peer();
        long before = host.nanoTime();
        delivery.begin("onMessage", sender, before);
        try {
            deliverPacket(packet, false);
        } finally {
            delivery.end();
        }
        long nanos = host.nanoTime() - before;
        if (nanos >= SLOW_NANOS && sender != null) {
            slowPackets.incrementAndGet();
            owner.onSlow(sender, nanos);
        }
    }

    /** @param isHeld whether it is a copy of a packet that was consumed on arrival */
    private void deliverPacket(Packet packet, boolean isHeld) {
        current = packet;
        isCopy = isHeld;
        try {
            if (!Records.read(packet, visitor)) {
                onUnreadable(packet);
            }
        } finally {
            current = null;
            ScopeLanes.Use scoped = use;
            ScopeLanes executors = scopes;
            if (scoped != null && executors != null) {
                use = null;
                packetsAside.addAndGet(isHeld ? 0 : 1);
                executors.release(scoped);
                count(packet);
            } else if (!isHeld) {
                consume(packet);
            }
        }
    }

    /** Consumes a packet without delivering it, because the group is being left. */
    private void discard(Packet packet) {
        packetsDiscarded.increment();
        consume(packet);
    }

    private void consume(Packet packet) {
        packetsUnconsumed.decrement();
        consumed.add(packet);
        count(packet);
    }

    private void count(Packet packet) {
        unreportedBytes += packet.length();
        if (unreportedBytes >= reportBytes) {
            report();
        }
    }

    private void awaitScopes() {
        if (scopes != null) {
            scopes.awaitDone();
        }
    }

    /** Calls the listener with a message in a scope or out of band. From any thread, with a call of its own. */
    private void pass(Delivered one, Calls.Call call) {
        if (isSilent) {
            messagesDiscarded.increment();
            return;
        }
        messagesAside.increment();
        call.begin("onMessage", one.sender(), host.nanoTime());
        fence.callForMessage("onMessage", listeners.onMessage(), one);
        if (!isSilent) {
            fence.call("onBatchEnd", listeners.onBatchEnd());
        }
        call.end();
    }

    /** Consumes a packet that the executor itself did not deliver. From any thread. */
    private void onDone(Packet packet) {
        packetsUnconsumed.decrement();
        consumed.add(packet);
        owner.onConsumed();
    }

    private void onUnreadable(Packet packet) {
        owner.onUnreadable(packet.peer());
        unreadablePackets.increment();
    }

    private void onDoneAside(Packet packet) {
        onDone(packet);
        // Afterwards: a thread that sees the count at zero finds the packets consumed.
        packetsAside.decrementAndGet();
    }

    private void report() {
        unreportedBytes = 0;
        if (!consumed.isEmpty()) {
            owner.onConsumed();
        }
    }

    /** Calls a listener on the delivery thread. */
    private <T> void call(String callback, @Nullable Member sender, Consumer<T> listener, T argument) {
        if (isSilent) {
            return;
        }
        delivery.begin(callback, sender, host.nanoTime());
        fence.call(callback, listener, argument);
        delivery.end();
    }

    /** Counts and reports a callback's failure. From any thread. */
    private void onFailed(String callback, Object argument, Throwable thrown) {
        listenerFailures.incrementAndGet();
        if (!owner.onFailed(callback, argument instanceof Message failed ? failed : null, thrown)) {
            isSilent = true;
        }
    }

    /** Counts a failure after which the group is left in any case. */
    public void countFailure() {
        listenerFailures.incrementAndGet();
    }

    /**
     * Stops calling listeners, except for {@code onClosed}; a running callback is not interrupted. From any thread.
     * Idempotent.
     */
    public void silence() {
        isSilent = true;
    }

    /** Lets {@code onClosed} run without waiting for the running callback. From any thread. */
    public void abandon() {
        isAbandoned = true;
    }

    /** Returns the packets that have arrived and are not consumed, the one in delivery included. From any thread. */
    public long unconsumedPackets() {
        return packetsUnconsumed.sum();
    }

    public Fence fence() {
        return fence;
    }

    /** Returns the callback that has been running for longest; null if none runs. From any thread. */
    public Calls.@Nullable Running running() {
        return calls.longest();
    }

    /** Returns whether {@code thread} is in a listener of this group. */
    public boolean isCalledBy(Thread thread) {
        return calls.isIn(thread);
    }

    /** Returns whether {@code thread} is in a listener that runs in the middle of a turn of the loop. */
    public boolean isInline(Thread thread) {
        return isInline && calls.isIn(thread);
    }

    /** Returns whether {@code thread} is in a listener that holds up delivery; none in scopes or out of band does. */
    public boolean isDeliveredBy(Thread thread) {
        return calls.isDelivering(thread);
    }

    /** Returns whether other threads than the one that delivers in order will consume packets. From any thread. */
    public boolean isConsumingAside() {
        return packetsAside.get() > 0;
    }

    /** Returns the number of messages delivered in order, without those in scopes and out of band. */
    public long messagesInOrder() {
        return messages.get();
    }

    long messages() {
        return messages.get() + messagesAside.sum();
    }

    public long listenerFailures() {
        return listenerFailures.get();
    }

    int queued() {
        return queue.size();
    }

    /** Cuts packets into messages. */
    private final class Visitor implements Records.Visitor {

        @Override
        public void onMessage(ByteBuffer bytes, int offset, int length) {
            pass(bytes, offset, length);
        }

        @Override
        public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
            ByteBuffer whole = assemble(bytes, offset, length, piece);
            if (whole != null) {
                pass(whole, 0, whole.limit());
                spares.give(whole.array());
            }
        }

        private @Nullable ByteBuffer assemble(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
            Packet packet = current;
            Receipt receipt = packet == null ? null : packet.receipt();
            if (packet == null || receipt == null) {
                return null;
            }
            Member sender = packet.peer();
            if (sender == null) {
                throw new IllegalStateException("a piece without a sender");
            }
            if (assemblies.isTooLarge(piece)) {
                throw new IllegalStateException("a message of " + piece.total() + " bytes from " + sender
                        + " is longer than message-bytes-max, which is " + assemblies.messageBytesMax()
                        + " bytes here; it can't be delivered");
            }
            return assemblies.add(sender, receipt, bytes, offset, length, piece);
        }

        @Override
        public void onScoped(ByteBuffer bytes, int offset, int length, int scope) {
            if (isInline) {
                pass(bytes, offset, length);
            } else {
                passScoped(bytes, offset, length, scope, false);
            }
        }

        @Override
        public void onScopedPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece, int scope) {
            ByteBuffer whole = assemble(bytes, offset, length, piece);
            if (whole == null) {
                return;
            }
            if (isInline) {
                pass(whole, 0, whole.limit());
            } else {
                passScoped(whole, 0, whole.limit(), scope, true);
            }
            spares.give(whole.array());
        }

        private void passScoped(ByteBuffer bytes, int offset, int length, int scope, boolean isAlone) {
            Packet packet = current;
            View in = view;
            Member sender = packet == null ? null : packet.peer();
            if (packet == null || in == null || sender == null) {
                throw new IllegalStateException("a message without a sender or before the first view");
            }
            ScopeLanes executors = scopes;
            if (executors == null) {
                executors = new ScopeLanes("tutti-" + group, isOrderAcrossSenders, host, guard, calls, DeliveryExecutor.this::pass, DeliveryExecutor.this::onDoneAside);
                scopes = executors;
            }
            ScopeLanes.Use scoped = use;
            if (scoped == null) {
                scoped = new ScopeLanes.Use(isCopy ? null : packet);
                use = scoped;
            }
            Receipt receipt = packet.receipt();
            boolean isUnicast = receipt != null && receipt.isUnicast();
            executors.add(sender, in, isUnicast, scope, bytes, offset, length, scoped, isAlone);
        }

        private void pass(ByteBuffer bytes, int offset, int length) {
            Packet packet = current;
            View in = view;
            if (packet == null || in == null) {
                throw new IllegalStateException("a message before the first view");
            }
            Member sender = packet.peer();
            Receipt receipt = packet.receipt();
            if (sender == null) {
                throw new IllegalStateException("a message without a sender");
            }
            if (isSilent) {
                messagesDiscarded.increment();
                return;
            }
            messages.lazySet(messages.get() + 1);
            isBatchOpen = true;
            Delivered message = ring.next();
            message.begin(sender, in, receipt != null && receipt.isUnicast(), bytes, offset, length);
            fence.callForMessage("onMessage", listeners.onMessage(), message);
            message.end();
        }
    }

    /** @param lastFailure the last failure of a callback, if it was not long ago; otherwise empty */
    public NodeInspection.Part part(String lastFailure) {
        Map<String, Long> values = new LinkedHashMap<>();
        values.put("messages", messages());
        values.put("listener-failures", listenerFailures());
        values.put("discarded-messages", messagesDiscarded.sum());
        values.put("discarded-packets", packetsDiscarded.sum());
        values.put("unreadable-packets", unreadablePackets.sum());
        values.put("queued-items", (long) queued());
        values.put("slow-packets", slowPackets.get());
        values.put("abandoned-messages", assemblies.abandoned());
        values.put("assembly-bytes", assemblies.bytes());
        values.put("assembly-bytes-most", assemblies.bytesMost());
        return new NodeInspection.Part("delivery", Map.of(), values, Map.of("last-failure", lastFailure));
    }

    /** Returns the state of delivery, for {@code tutti view} and tests. */
    public Map<String, Object> status() {
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("messages", messages());
        status.put("listener-failures", listenerFailures());
        status.put("queued-items", (long) queued());
        StateTransfer transfer = state;
        if (transfer != null) {
            status.put("state", transfer.status());
        }
        return Collections.unmodifiableMap(status);
    }
}
