package dev.tutti.internal.delivery;

import dev.tutti.Message;
import dev.tutti.NodeInspection;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Application;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.packing.Assemblies;
import dev.tutti.protocols.packing.Records;
import dev.tutti.protocols.packing.SpareArrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Application of a group's stack: queues what the stack delivers, and tells the listeners of it in that order. Messages out
 * of band pass the queue on a lane of their own.
 */
public final class DeliveryExecutor implements Application {

    /** Receives the executor's notifications; the group. */
    public interface Owner {

        /** Returns this member; null before it has joined. */
        @Nullable Member self();

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

    /** Time for one packet from which on a listener is reported as slow. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String group;
    private final boolean isInline;
    private final Listeners listeners;
    private final Host host;
    private final Owner owner;

    /** Fence around delivery itself, which may fail for lack of memory, or by an internal error. */
    private final Fence guard;

    private final Callbacks callbacks;
    private final Consumption consumption;
    private final OutOfBandLane outOfBand;
    private final ScopeLanes scopes;
    private final Assemblies assemblies;
    private final PacketReader reader;
    private final DeliveryQueue queue = new DeliveryQueue();
    private final DeliveryThread thread;
    private final AtomicLong slowPackets = new AtomicLong();
    private final LongAdder unreadablePackets = new LongAdder();

    /** Gate for listeners in groups whose state is transferred. Set before the executor is used. */
    private @Nullable DeliveryGate gate;

    /** Item that has no room at the gate. Accessed by the delivery thread only. */
    private @Nullable Item stalled;

    private volatile boolean isLeft;
    private volatile boolean isAbandoned;

    /** Reason why this member is outside of the primary partition; null if it is inside. Accessed on the loop only. */
    private @Nullable String suspended;

    /**
     * Creates the executor of a group with these settings.
     *
     * @param reportBytes consumed bytes after which the loop is told while more items wait
     */
    public static DeliveryExecutor of(
            String group, Settings settings, Listeners listeners, long reportBytes, Host host, SpareArrays spares, Owner owner) {
        GroupSettings.StackKind stack = settings.get(GroupSettings.STACK);
        boolean isOrderAcrossSenders =
                stack == GroupSettings.StackKind.CAUSAL || stack == GroupSettings.StackKind.TOTAL;
        Assemblies assemblies = new Assemblies(
                spares, settings.get(GroupSettings.MESSAGE_BYTES_MAX).bytes(), stack != GroupSettings.StackKind.UNRELIABLE);
        return new DeliveryExecutor(group, listeners, isOrderAcrossSenders, reportBytes, host, spares, assemblies, owner);
    }

    /**
     * @param isOrderAcrossSenders whether the group has an order of messages of different senders
     * @param reportBytes consumed bytes after which the loop is told while more items wait
     */
    DeliveryExecutor(
            String group,
            Listeners listeners,
            boolean isOrderAcrossSenders,
            long reportBytes,
            Host host,
            SpareArrays spares,
            Assemblies assemblies,
            Owner owner) {
        String name = "tutti-" + group;
        this.group = group;
        this.isInline = listeners.isInline();
        this.listeners = listeners;
        this.host = host;
        this.owner = owner;
        this.assemblies = assemblies;
        this.callbacks = new Callbacks(listeners, host, owner);
        this.guard = new Fence(host, (callback, item, thrown) -> {
            callbacks.silence();
            owner.onBroken(thrown);
        });
        this.consumption = new Consumption(reportBytes, owner::onConsumed);
        this.outOfBand = new OutOfBandLane(name, host, guard, callbacks, consumption, this::isHolding, this::onUnreadable);
        this.scopes = new ScopeLanes(name, isOrderAcrossSenders, host, guard, callbacks, consumption);
        this.reader = new PacketReader(callbacks, consumption, scopes, isInline, spares, assemblies, this::onUnreadable);
        this.thread = new DeliveryThread(name, host, queue, guard, this::deliver, callbacks, consumption);
    }

    public void use(DeliveryGate used) {
        if (isInline) {
            throw new IllegalStateException("group " + group
                    + " has a state and inline listeners, which would block the loop: choose one");
        }
        gate = used;
    }

    // ------------------------------------------------------------------ on the loop

    @Override
    public void onPacket(Member sender, Packet packet) {
        consumption.onArrived();
        DeliveryGate closing = gate;
        if (closing != null && Records.isState(packet)) {
            closing.onPacket(sender, packet);
            consumption.consumeNow(packet);
        } else if (Records.isForOthers(packet) && sender.equals(owner.self())) {
            consumption.consumeNow(packet);
        } else if (isInline || !Records.isOutOfBand(packet) || !outOfBand.deliver(sender, packet)) {
            add(new Item.Arrival(packet));
        }
    }

    private boolean isHolding() {
        DeliveryGate closing = gate;
        return closing != null && closing.isHolding();
    }

    @Override
    public void onTransition() {
        add(new Item.Transition());
    }

    @Override
    public void onSuspended(String reason) {
        if (!reason.equals(suspended)) {
            suspended = reason;
            owner.onSuspended(reason);
            add(new Item.Suspended(reason));
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
        outOfBand.onView(next);
        DeliveryGate closing = gate;
        add(closing == null ? new Item.Installed(next) : closing.onView(next));
    }

    @Override
    public void onJoined() {
        DeliveryGate closing = gate;
        if (closing != null) {
            closing.onJoined();
        }
        add(new Item.Joined());
    }

    @Override
    public void onLeft(String reason) {
        String told = owner.onLeft(reason);
        if (gate != null) {
            isLeft = true;
            look();
        }
        if (isAbandoned) {
            host.start("tutti-" + group, () -> guard.call("delivery", () -> endAside(told)));
        } else {
            add(new Item.Left(told));
        }
    }

    private void endAside(String reason) {
        callbacks.onClosedAside(reason);
        owner.onEnded();
        for (Item item = queue.poll(); item != null; item = queue.poll()) {
            if (item instanceof Item.Arrival(Packet packet)) {
                consumption.discardNow(packet);
            }
        }
    }

    /** Ends delivery because the loop, and with it the group, has ended. Once; from any thread. */
    public void onLost(String reason) {
        if (gate != null) {
            isLeft = true;
            queue.addGateChange();
        }
        queue.add(new Item.Left(reason));
        thread.wake();
    }

    /** Requests a look at the gate, which has changed. From any thread. */
    public void look() {
        queue.addGateChange();
        thread.wake();
    }

    /** Takes a packet that the application has consumed; null if there is none. */
    public @Nullable Packet takeConsumed() {
        return consumption.take();
    }

    private void add(Item item) {
        if (isInline) {
            thread.deliverNow(item);
            return;
        }
        queue.add(item);
        if (!queue.isStalled()) {
            thread.wakeAfterTurn();
        }
    }

    // ------------------------------------------------------------------ on the delivery thread

    private void deliver(Item item) {
        DeliveryGate closing = gate;
        if (callbacks.isSilent() && item instanceof Item.Arrival(Packet packet)) {
            consumption.discard(packet);
        } else if (closing == null || item instanceof Item.Left) {
            deliverNow(item);
        } else if (item instanceof Item.GateChange) {
            look(closing);
        } else if (!callbacks.isSilent()) {
            offer(closing, item);
        }
        // Otherwise no snapshot is taken: the state lacks something.
        if (reader.isGathering() && (reader.isFull() || !queue.isReady())) {
            giveGathered();
        }
    }

    /** Gives the listener the messages that wait to be given together. */
    private void giveGathered() {
        if (!reader.isGathering()) {
            return;
        }
        Member sender = reader.waitingSender();
        long before = host.nanoTime();
        callbacks.begin(callbacks.messageCallback(), sender, before);
        try {
            reader.give();
        } finally {
            callbacks.end();
        }
        noteTime(sender, before);
    }

    /** Waits until listeners are done with all messages so far. */
    private void finishMessages() {
        giveGathered();
        scopes.awaitDone();
    }

    private void offer(DeliveryGate closing, Item item) {
        if (item instanceof Item.ViewChange) {
            // Messages that change the state have been handled when a snapshot of it is taken.
            finishMessages();
        }
        switch (take(closing, item)) {
            case NO -> deliverNow(item);
            case YES -> {
                if (item instanceof Item.Arrival(Packet packet)) {
                    consumption.consume(packet);
                }
            }
            case FULL -> {
                stalled = item;
                queue.stall();
                consumption.report();
            }
        }
    }

    /** Offers an item to the gate, which asks the application for a snapshot at a view. */
    private DeliveryGate.Taken take(DeliveryGate closing, Item item) {
        if (!(item instanceof Item.ViewChange)) {
            return closing.take(item);
        }
        callbacks.begin("snapshot", null, host.nanoTime());
        try {
            return closing.take(item);
        } finally {
            callbacks.end();
        }
    }

    private void look(DeliveryGate closing) {
        if (isLeft) {
            closing.abandon();
        }
        closing.look(this::deliverHeld, this::finishMessages);
        Item waiting = stalled;
        if (waiting != null) {
            stalled = null;
            queue.resume();
            offer(closing, waiting);
        }
    }

    private void deliverHeld(Item item) {
        if (item instanceof Item.Arrival(Packet held)) {
            giveGathered();
            callbacks.begin(callbacks.messageCallback(), held.peer(), host.nanoTime());
            try {
                reader.read(held, true);
            } finally {
                callbacks.end();
            }
        } else {
            deliverNow(item);
        }
    }

    private void deliverNow(Item item) {
        switch (item) {
            case Item.Arrival(Packet packet) when callbacks.isSilent() -> consumption.discard(packet);
            case Item.Arrival(Packet packet) -> deliverTimed(packet);
            case Item.ViewChange next -> deliverView(next.view());
            case Item.Transition() -> {
                finishMessages();
                callbacks.call("onTransition", Runnable::run, listeners.onTransition());
            }
            case Item.Suspended(String reason) -> {
                finishMessages();
                callbacks.call("onSuspended", listeners.onSuspended(), reason);
            }
            case Item.Joined() -> {
                if (!callbacks.isSilent()) {
                    owner.onJoined();
                }
            }
            case Item.Left(String reason) -> {
                finishMessages();
                callbacks.onClosed(reason);
                owner.onEnded();
            }
            case Item.GateChange() -> throw new IllegalStateException("a change of a gate in group " + group + ", which has none");
        }
    }

    private void deliverView(View next) {
        finishMessages();
        callbacks.call("onView", listeners.onView(), reader.startView(next));
    }

    /** Delivers a packet and measures the time: one more look at the clock per packet, none per message. */
    private void deliverTimed(Packet packet) {
        Member sender = packet.peer();
        long before = host.nanoTime();
        callbacks.begin(callbacks.messageCallback(), sender, before);
        try {
            reader.read(packet, false);
        } finally {
            callbacks.end();
        }
        noteTime(sender, before);
    }

    private void noteTime(@Nullable Member sender, long sinceNanos) {
        long nanos = host.nanoTime() - sinceNanos;
        if (nanos >= SLOW_NANOS && sender != null) {
            slowPackets.incrementAndGet();
            owner.onSlow(sender, nanos);
        }
    }

    // ------------------------------------------------------------------ from any thread

    private void onUnreadable(Packet packet) {
        owner.onUnreadable(packet.peer());
        unreadablePackets.increment();
    }

    /** Counts a failure after which the group is left in any case. */
    public void countFailure() {
        callbacks.countFailure();
    }

    /** Stops calling listeners, except for {@code onClosed}; a running callback is not interrupted. Idempotent. */
    public void silence() {
        callbacks.silence();
    }

    /** Lets {@code onClosed} run without waiting for the running callback. */
    public void abandon() {
        isAbandoned = true;
    }

    /** Returns the packets that have arrived and are not consumed, the one in delivery included. */
    public long unconsumedPackets() {
        return consumption.unconsumed();
    }

    public Fence fence() {
        return callbacks.fence();
    }

    /** Returns the callback that has been running for longest; null if none runs. */
    public Calls.@Nullable Running running() {
        return callbacks.calls().longest();
    }

    /** Returns whether {@code thread} is in a listener of this group. */
    public boolean isCalledBy(Thread thread) {
        return callbacks.calls().isIn(thread);
    }

    /** Returns whether {@code thread} is in a listener that runs in the middle of a turn of the loop. */
    public boolean isInline(Thread thread) {
        return isInline && isCalledBy(thread);
    }

    /** Returns whether {@code thread} is in a listener that holds up delivery; none in scopes or out of band does. */
    public boolean isDeliveredBy(Thread thread) {
        return callbacks.calls().isDelivering(thread);
    }

    /** Returns whether other threads than the one that delivers in order will consume packets. */
    public boolean isConsumingAside() {
        return consumption.isAside();
    }

    /** Returns the number of messages delivered in order, without those in scopes and out of band. */
    public long messagesInOrder() {
        return callbacks.messagesInOrder();
    }

    public long listenerFailures() {
        return callbacks.failures();
    }

    /** @param lastFailure the last failure of a callback, if it was not long ago; otherwise empty */
    public NodeInspection.Part part(String lastFailure) {
        Map<String, Long> values = new LinkedHashMap<>();
        values.put("messages", callbacks.messages());
        values.put("listener-failures", callbacks.failures());
        values.put("discarded-messages", callbacks.messagesDiscarded());
        values.put("discarded-packets", consumption.discarded());
        values.put("unreadable-packets", unreadablePackets.sum());
        values.put("queued-items", (long) queue.size());
        values.put("slow-packets", slowPackets.get());
        values.put("abandoned-messages", assemblies.abandoned());
        values.put("assembly-bytes", assemblies.bytes());
        values.put("assembly-bytes-most", assemblies.bytesMost());
        return new NodeInspection.Part("delivery", Map.of(), values, Map.of("last-failure", lastFailure));
    }

    /** Returns the state of delivery, for {@code tutti view} and tests. */
    public Map<String, Object> status() {
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("messages", callbacks.messages());
        status.put("listener-failures", callbacks.failures());
        status.put("queued-items", (long) queue.size());
        DeliveryGate closing = gate;
        if (closing != null) {
            status.put("state", closing.status());
        }
        return Collections.unmodifiableMap(status);
    }
}
