package dev.tutti.stomp.internal.broker;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.GroupState;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.Logs;
import dev.tutti.stomp.internal.codec.Content;
import dev.tutti.stomp.internal.codec.Envelope;
import dev.tutti.stomp.internal.codec.FrameException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A group whose messages clients send and receive. Thread-safe.
 *
 * <p>This class establishes the promise of a RECEIPT: envelopes are numbered, and members confirm, several at once,
 * those that they have delivered and that ask for it. An envelope is <em>held</em> when all members of the view have
 * delivered it, or have left; from then on it survives as long as one of them does, because members that go on together
 * deliver the same messages.
 */
public final class ServedGroup {

    /** Receiver of the group's deliveries. */
    public interface Outlet {

        /** Called in the group's order; may wait, and the group waits with it. */
        void deliver(Member sender, Publication publication);

        /** Runs a task on one of the server's threads after a delay. */
        void schedule(Runnable task, long delayMillis);

        void onMalformed(Member sender, String reason);

        void onClosed(String group, String reason);
    }

    private record Waiter(long number, Runnable onHeld) {}

    private static final Logger LOG = Logs.of(ServedGroup.class);

    private final int index;
    private final String name;
    private final Outlet outlet;
    private final History history;

    /** Origins by member, as message-ids name them; only used on the group's lane. */
    private final Map<Member, String> origins = new TreeMap<>();

    // Guarded by this object's lock.
    private @Nullable Group group;
    private boolean isReliable = true;
    private long published;
    private long deliveredOwn;
    private final TreeMap<Member, Long> confirmed = new TreeMap<>();
    private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
    private final LinkedHashMap<Member, Long> owed = new LinkedHashMap<>();
    private boolean isFlushScheduled;

    public ServedGroup(int index, String name, long historyBytes, Outlet outlet) {
        this.index = index;
        this.name = name;
        this.history = new History(historyBytes);
        this.outlet = outlet;
    }

    public int index() {
        return index;
    }

    public String name() {
        return name;
    }

    public History history() {
        return history;
    }

    /**
     * Joins; returns when this member is in a view and has the state.
     *
     * @param state null if the group has none
     */
    public void join(Node node, @Nullable GroupState state) {
        synchronized (this) {
            isReliable = !stack(node.spec().group(name)).equals("unreliable");
        }
        GroupBuilder builder = node.group(name)
                .onMessage(this::onMessage)
                .onView(this::onView)
                .onClosed(reason -> outlet.onClosed(name, reason));
        Group joined = (state == null ? builder : builder.state(state)).join();
        synchronized (this) {
            group = joined;
        }
    }

    private static String stack(Settings settings) {
        for (Setting<?> setting : settings.definitions()) {
            if (setting.name().equals("stack")) {
                return settings.text(setting);
            }
        }
        return "";
    }

    public void close() {
        Group joined;
        synchronized (this) {
            joined = group;
            waiters.clear();
        }
        if (joined != null) {
            joined.close();
        }
    }

    /** Returns the number of envelopes whose senders wait for a receipt. */
    public synchronized int waiting() {
        return waiters.size();
    }

    // ------------------------------------------------------------------ sending

    /**
     * Publishes contents in one envelope.
     *
     * @param onHeld called on any thread when the envelope is held by all members; may be null
     * @return completes when the group has accepted it, or exceptionally with a {@link SendException}; if the queue was
     *     full, the caller may try again later
     */
    public CompletableFuture<Void> publish(List<Content> contents, @Nullable Runnable onHeld) {
        synchronized (this) {
            Group joined = group;
            if (joined == null) {
                return CompletableFuture.failedFuture(
                        new SendException(SendException.Reason.LEFT, "group " + name + " is not joined"));
            }
            long number = published + 1;
            boolean isConfirmed = onHeld != null && isReliable;
            CompletableFuture<Void> accepted =
                    joined.sendAsync(Envelope.encode(new Envelope.Publish(number, isConfirmed, contents)));
            if (accepted.isCompletedExceptionally()) {
                return accepted;
            }
            published = number;
            if (onHeld != null) {
                waiters.add(new Waiter(number, onHeld));
            }
            return accepted;
        }
    }

    // ------------------------------------------------------------------ the group's listeners

    private void onMessage(Message message) {
        Member sender = message.sender();
        Envelope envelope;
        try {
            envelope = Envelope.decode(message.bytes());
        } catch (FrameException e) {
            outlet.onMalformed(sender, e.text());
            return;
        }
        switch (envelope) {
            case Envelope.Publish publish -> onPublish(sender, publish);
            case Envelope.Confirm(long number) -> onConfirm(sender, number);
            case Envelope.Endpoints _ -> outlet.onMalformed(sender, "endpoints in a group of messages");
        }
    }

    private void onPublish(Member sender, Envelope.Publish publish) {
        String origin = origins.computeIfAbsent(sender, ServedGroup::origin);
        for (int each = 0; each < publish.contents().size(); each++) {
            Publication publication =
                    new Publication(index, origin, publish.number(), each, publish.contents().get(each));
            history.add(publication);
            outlet.deliver(sender, publication);
        }
        List<Waiter> held = List.of();
        synchronized (this) {
            Group joined = group;
            if (joined != null && joined.self().equals(sender)) {
                deliveredOwn = publish.number();
                confirmed.computeIfPresent(sender, (_, _) -> publish.number());
                held = takeHeld();
            } else if (publish.isConfirmed()) {
                owed.put(sender, publish.number());
                scheduleFlush(0);
            }
        }
        tell(held);
    }

    /** Returns a short name for a member, without a hyphen, that no other member ever has. */
    private static String origin(Member member) {
        return Long.toUnsignedString(member.node().incarnation(), Character.MAX_RADIX) + "."
                + Integer.toUnsignedString(member.join(), Character.MAX_RADIX);
    }

    private void onConfirm(Member sender, long number) {
        List<Waiter> held;
        synchronized (this) {
            confirmed.computeIfPresent(sender, (_, before) -> Math.max(before, number));
            held = takeHeld();
        }
        tell(held);
    }

    private void onView(View view) {
        origins.keySet().retainAll(view.members());
        List<Waiter> held;
        synchronized (this) {
            confirmed.keySet().retainAll(view.members());
            for (Member member : view.members()) {
                // Envelopes delivered here before this view were sent in an earlier one, without the newcomer.
                confirmed.putIfAbsent(member, deliveredOwn);
            }
            held = takeHeld();
        }
        tell(held);
    }

    private List<Waiter> takeHeld() {
        long heldUpTo = deliveredOwn;
        if (isReliable) {
            for (long each : confirmed.values()) {
                heldUpTo = Math.min(heldUpTo, each);
            }
        }
        List<Waiter> held = new ArrayList<>();
        Waiter next = waiters.peek();
        while (next != null && next.number() <= heldUpTo) {
            held.add(next);
            waiters.remove();
            next = waiters.peek();
        }
        return held;
    }

    private static void tell(List<Waiter> held) {
        for (Waiter waiter : held) {
            waiter.onHeld().run();
        }
    }

    // ------------------------------------------------------------------ confirming

    private void scheduleFlush(long delayMillis) {
        if (!isFlushScheduled) {
            isFlushScheduled = true;
            outlet.schedule(this::confirm, delayMillis);
        }
    }

    /** Confirms to each member the envelopes of it that were delivered since the last time. */
    private void confirm() {
        Map<Member, Long> due;
        Group joined;
        synchronized (this) {
            isFlushScheduled = false;
            joined = group;
            if (joined == null) {
                // Deliveries may arrive before join has returned.
                scheduleFlush(FLUSH_RETRY_MILLIS);
                return;
            }
            due = new LinkedHashMap<>(owed);
            owed.clear();
        }
        for (var entry : due.entrySet()) {
            try {
                CompletableFuture<Void> accepted = joined.sendToAsync(
                        entry.getKey(), Envelope.encode(new Envelope.Confirm(entry.getValue())));
                accepted.whenComplete((_, error) -> {
                    if (error instanceof SendException e && e.reason() == SendException.Reason.QUEUE_FULL) {
                        retry(entry.getKey(), entry.getValue());
                    }
                });
            } catch (SendException e) {
                LOG.debug("group {}: {} has left before it was told what is held: {}", name, entry.getKey(), e.getMessage());
            }
        }
    }

    private synchronized void retry(Member member, long number) {
        owed.merge(member, number, Math::max);
        scheduleFlush(FLUSH_RETRY_MILLIS);
    }

    private static final long FLUSH_RETRY_MILLIS = TimeUnit.MILLISECONDS.toMillis(10);

    @Override
    public String toString() {
        return "served group " + name;
    }
}
