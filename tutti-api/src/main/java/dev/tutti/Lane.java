package dev.tutti;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.driver.Driver;
import dev.tutti.core.stack.Application;
import dev.tutti.core.stack.Receipt;
import dev.tutti.internal.Host;
import dev.tutti.protocols.packing.Reassembly;
import dev.tutti.protocols.packing.Records;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings what a group delivers to its listeners: one at a time, in order, as a guest on the loop's thread at the end of a
 * turn, or, what takes longer, on a virtual thread that lives while there is something to deliver.
 *
 * <p>The queue needs no bound of its own: what is in it fills the senders' windows, and they stop.
 */
final class Lane implements Application {

    /** What the lane tells its group. */
    interface Owner {

        /** The loop should take back what is consumed. */
        void onConsumed();

        void onInstalled(View view);

        void onJoined();

        void onLeft(String reason);
    }

    private record Joined() {}

    private record Left(String reason) {}

    /** How long listeners that have blocked the loop's thread have one of their own. */
    private static final long BAN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    private final String group;
    private final boolean isInline;
    private final long reportBytes;
    private final Consumer<Message> onMessage;
    private final Consumer<View> onView;
    private final Consumer<String> onClosed;
    private final Host host;
    private final Owner owner;

    private final Queue<Object> queue = new ConcurrentLinkedQueue<>();
    private final Queue<Packet> consumed = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isRunning = new AtomicBoolean();
    private final Driver.Guest guest = this::visit;

    /** Whether the loop's thread is going to come by; the loop's own. */
    private boolean isAwaited;

    /** From a visit that has kept the loop's thread for too long. */
    private volatile long bannedUntilNanos = System.nanoTime();

    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong listenerFailures = new AtomicLong();

    // The lane's own, one thread at a time.
    private final Map<Receipt, Reassembly> reassemblies = new IdentityHashMap<>();
    private final Delivered message = new Delivered();
    private final Records.Visitor visitor = new Visitor();
    private @Nullable View view;
    private @Nullable Packet current;
    private long unreportedBytes;

    /**
     * @param reportBytes after how many consumed bytes the loop is told, when more waits
     */
    Lane(
            String group,
            boolean isInline,
            long reportBytes,
            Consumer<Message> onMessage,
            Consumer<View> onView,
            Consumer<String> onClosed,
            Host host,
            Owner owner) {
        this.group = group;
        this.isInline = isInline;
        this.reportBytes = reportBytes;
        this.onMessage = onMessage;
        this.onView = onView;
        this.onClosed = onClosed;
        this.host = host;
        this.owner = owner;
    }

    // ------------------------------------------------------------------ on the loop

    @Override
    public void onPacket(Member sender, Packet packet) {
        add(packet);
    }

    @Override
    public void onView(View installed) {
        owner.onInstalled(installed);
        add(installed);
    }

    @Override
    public void onJoined() {
        add(new Joined());
    }

    @Override
    public void onLeft(String reason) {
        owner.onLeft(reason);
        add(new Left(reason));
    }

    /** Takes a packet that the application has consumed; null if there is none. */
    @Nullable Packet takeConsumed() {
        return consumed.poll();
    }

    private void add(Object item) {
        if (isInline) {
            deliver(item);
            if (!consumed.isEmpty()) {
                owner.onConsumed();
            }
            return;
        }
        queue.add(item);
        if (isAwaited || isRunning.get()) {
            return;
        }
        if (System.nanoTime() - bannedUntilNanos >= 0 && host.driver().invite(guest)) {
            isAwaited = true;
        } else if (isRunning.compareAndSet(false, true)) {
            start();
        }
    }

    private void start() {
        host.start("tutti-" + group, this::run);
    }

    // ------------------------------------------------------------------ on the loop's thread, as a guest

    private void visit(Driver.Stay stay) {
        isAwaited = false;
        if (queue.isEmpty() || !isRunning.compareAndSet(false, true)) {
            return;
        }
        try {
            Object item = queue.poll();
            while (item != null) {
                deliver(item);
                item = stay.mayGoOn() ? queue.poll() : null;
            }
        } finally {
            if (stay.hasLostLoop()) {
                bannedUntilNanos = System.nanoTime() + BAN_NANOS;
            }
            report();
            end();
        }
    }

    // ------------------------------------------------------------------ on the lane

    private void run() {
        try {
            Object item = queue.poll();
            while (item != null) {
                deliver(item);
                item = queue.poll();
            }
        } finally {
            report();
            end();
        }
    }

    private void end() {
        isRunning.set(false);
        // What was left, after a visit or an Error, and what was added since the last look have no thread yet.
        if (!queue.isEmpty() && isRunning.compareAndSet(false, true)) {
            start();
        }
    }

    private void deliver(Object item) {
        switch (item) {
            case Packet packet -> deliverPacket(packet);
            case View installed -> deliverView(installed);
            case Joined() -> owner.onJoined();
            case Left(String reason) -> call("onClosed", () -> onClosed.accept(reason));
            default -> throw new IllegalStateException("unknown item " + item);
        }
    }

    private void deliverView(View installed) {
        view = installed;
        // A large multicast that the old view did not complete is sent again from its start, or never.
        reassemblies.keySet().removeIf(receipt -> !receipt.isUnicast());
        call("onView", () -> onView.accept(installed));
    }

    private void deliverPacket(Packet packet) {
        current = packet;
        try {
            if (!Records.read(packet, visitor)) {
                LOG.warn("group {}: a packet from {} can't be decoded and is ignored", group, packet.peer());
            }
        } finally {
            current = null;
            consumed.add(packet);
            unreportedBytes += packet.length();
            if (unreportedBytes >= reportBytes) {
                report();
            }
        }
    }

    private void report() {
        unreportedBytes = 0;
        if (!consumed.isEmpty()) {
            owner.onConsumed();
        }
    }

    private void call(String what, Runnable listener) {
        try {
            listener.run();
        } catch (RuntimeException e) {
            listenerFailures.incrementAndGet();
            LOG.error("group {}: listener {} has failed; delivery goes on", group, what, e);
        }
    }

    long messages() {
        return messages.get();
    }

    long listenerFailures() {
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
        public void onPiece(ByteBuffer bytes, int offset, int length, long total, long at) {
            Packet packet = current;
            Receipt receipt = packet == null ? null : packet.receipt();
            if (receipt == null) {
                return;
            }
            Reassembly reassembly = reassemblies.computeIfAbsent(receipt, key -> new Reassembly());
            byte[] whole = reassembly.add(bytes, offset, length, total, at);
            if (whole != null) {
                reassemblies.remove(receipt);
                pass(ByteBuffer.wrap(whole), 0, whole.length);
            }
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
            messages.lazySet(messages.get() + 1);
            message.begin(sender, in, receipt != null && receipt.isUnicast(), bytes, offset, length);
            try {
                onMessage.accept(message);
            } catch (RuntimeException e) {
                listenerFailures.incrementAndGet();
                LOG.error("group {}: listener onMessage has failed for {} bytes from {}; delivery goes on", group, length,
                        sender, e);
            } finally {
                message.end();
            }
        }
    }

    /** For {@code tutti view} and tests. */
    Map<String, Object> status() {
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("messages", messages());
        status.put("listener-failures", listenerFailures());
        status.put("queued-items", (long) queued());
        return Collections.unmodifiableMap(status);
    }
}
