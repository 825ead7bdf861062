package dev.tutti.announce;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.Threads;
import dev.tutti.announce.message.AnnounceCodec;
import dev.tutti.announce.message.AnnounceMessage.Announced;
import dev.tutti.announce.message.AnnounceMessage.Balancing;
import dev.tutti.announce.message.AnnounceMessage.Ordered;
import dev.tutti.announce.message.AnnounceMessage.Refused;
import dev.tutti.announce.message.AnnounceMessage.Settled;
import dev.tutti.announce.message.Announcement;
import dev.tutti.announce.message.ContextState;
import dev.tutti.announce.message.MalformedAnnouncementException;
import dev.tutti.announce.message.WebContext;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Announces a web node to the balancers of a group: its route, its address, its contexts, load and sessions. When the process ends,
 * the group has a view without it, and balancers send nothing more there.
 *
 * <p>Contexts that change are announced at once. Load and sessions are announced at most once a second, and only if they have
 * changed. One announcement is under way at a time; later changes become one more.
 *
 * <p>All methods may be called from any thread. Only {@link #drain} and {@link #close} wait.
 */
public final class Announcer implements AutoCloseable {

    private static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Change of the load that is announced. */
    private static final double LOAD_STEP = 0.02;

    private final Threads threads;
    private final Consumer<String> onRefused;
    private final @Nullable Supplier<Sample> sampler;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed;

    // Guarded by the lock.
    private Announcement own;
    private final Map<String, ContextState> orders = new TreeMap<>();
    private long sequence;
    private long sentSequence;
    private boolean isSending;
    private boolean isClosed;
    private @Nullable Group group;
    private List<Member> members = List.of();

    /** By balancer, the number of the last announcement by which it sends requests. */
    private final Map<Member, Long> settled = new HashMap<>();

    /** By balancer, the reason why the last announcement does not count there; empty if it counts. */
    private final Map<Member, String> refusals = new HashMap<>();

    private long malformed;

    private Announcer(AnnouncerBuilder options) {
        this.threads = options.node.threads();
        this.changed = threads.condition(lock);
        this.onRefused = options.onRefused;
        this.sampler = options.sampler;
        this.own = options.first();
    }

    /** Returns options for a node that joins the group of balancers with {@code node}. */
    public static AnnouncerBuilder on(Node node) {
        return new AnnouncerBuilder(node);
    }

    static Announcer open(AnnouncerBuilder options) {
        Announcer announcer = new Announcer(options);
        GroupBuilder builder = options.node.group(options.group);
        options.settings.forEach(builder::set);
        Group joined = builder.onMessage(announcer::onMessage).onView(announcer::onView).join();
        announcer.onJoined(joined);
        return announcer;
    }

    private void onJoined(Group joined) {
        lock.lock();
        try {
            group = joined;
            announce();
        } finally {
            lock.unlock();
        }
        if (sampler != null) {
            sample();
        }
    }

    // ------------------------------------------------------------------ changes

    /** Replaces the contexts. */
    public void contexts(Collection<WebContext> served) {
        lock.lock();
        try {
            own = own.with(List.copyOf(served));
            announce();
        } finally {
            lock.unlock();
        }
    }

    /** Replaces load and sessions, for nodes without a {@linkplain AnnouncerBuilder#sample source} of them. */
    public void sample(Sample now) {
        lock.lock();
        try {
            boolean isNews = now.sessions() != own.sessions() || Math.abs(now.load().value() - own.load().value()) >= LOAD_STEP;
            if (isNews) {
                own = own.with(now.load(), now.sessions());
                announce();
            }
        } finally {
            lock.unlock();
        }
    }

    private void sample() {
        threads.startAfter(SAMPLE_NANOS, "tutti-announce", () -> {
            Supplier<Sample> source = sampler;
            lock.lock();
            try {
                if (isClosed || source == null) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            try {
                sample(source.get());
            } finally {
                sample();
            }
        });
    }

    /**
     * Stops all contexts, and waits until no balancer sends a request here or waits for the answer of one.
     *
     * @return whether that was so within {@code within}; connections that were upgraded, such as WebSockets, do not count
     */
    public boolean drain(Duration within) throws InterruptedException {
        return restrict(ContextState.STOPPED, within);
    }

    /**
     * Lets all contexts take no more requests than {@code state} allows, as an operator's order would, and waits until all balancers
     * do so. Contexts that come later are restricted, too, until a call with {@link ContextState#ENABLED}.
     *
     * @return whether all balancers did within {@code within}
     */
    public boolean restrict(ContextState state, Duration within) throws InterruptedException {
        lock.lock();
        try {
            order(Ordered.ALL, state);
        } finally {
            lock.unlock();
        }
        return awaitSettled(within);
    }

    /**
     * Waits until all balancers send requests according to the present announcement, and have none in flight that it does not allow.
     *
     * @return whether that was so within {@code within}
     */
    public boolean awaitSettled(Duration within) throws InterruptedException {
        long leftNanos = within.toNanos();
        lock.lock();
        try {
            long wanted = sequence;
            while (!isSettled(wanted)) {
                if (leftNanos <= 0) {
                    return false;
                }
                leftNanos = changed.awaitNanos(leftNanos);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean isSettled(long wanted) {
        return isClosed || sentSequence >= wanted && settled.values().stream().allMatch(number -> number >= wanted);
    }

    private void order(String path, ContextState state) {
        if (path.equals(Ordered.ALL)) {
            orders.clear();
        }
        if (state == ContextState.ENABLED) {
            orders.remove(path);
        } else if (orders.size() < Announcement.CONTEXTS_MAX || orders.containsKey(path)) {
            orders.put(path, state);
        }
        announce();
    }

    // ------------------------------------------------------------------ state

    /** Returns the present announcement, with the orders of operators. */
    public Announcement announcement() {
        lock.lock();
        try {
            return effective();
        } finally {
            lock.unlock();
        }
    }

    private Announcement effective() {
        ContextState all = orders.getOrDefault(Ordered.ALL, ContextState.ENABLED);
        List<WebContext> contexts = new ArrayList<>();
        for (WebContext context : own.contexts()) {
            ContextState ordered = orders.getOrDefault(context.path(), ContextState.ENABLED);
            contexts.add(context.in(context.state().stricter(all).stricter(ordered)));
        }
        return own.with(contexts);
    }

    /** Returns the number of balancers that are in the group now. */
    public int balancers() {
        lock.lock();
        try {
            return settled.size();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the reason why a balancer refuses this node; null if none does. */
    public @Nullable String refusal() {
        lock.lock();
        try {
            return refusals.values().stream().filter(reason -> !reason.isEmpty()).findFirst().orElse(null);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of messages that were dropped because they were malformed. */
    public long malformed() {
        lock.lock();
        try {
            return malformed;
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ sending

    /** Announces the present state; if an announcement is under way, after it. The lock is held. */
    private void announce() {
        sequence++;
        send();
    }

    private void send() {
        Group joined = group;
        if (joined == null || isSending || isClosed || sentSequence == sequence) {
            return;
        }
        isSending = true;
        long number = sequence;
        byte[] bytes = AnnounceCodec.encode(new Announced(number, effective()));
        joined.sendAsync(bytes).whenComplete((_, failed) -> onSent(number, failed));
    }

    private void onSent(long number, @Nullable Throwable failed) {
        lock.lock();
        try {
            isSending = false;
            if (failed == null) {
                sentSequence = Math.max(sentSequence, number);
                changed.signalAll();
                send();
            } else if (!isClosed) {
                threads.startAfter(SAMPLE_NANOS, "tutti-announce", this::sendAgain);
            }
        } finally {
            lock.unlock();
        }
    }

    private void sendAgain() {
        lock.lock();
        try {
            send();
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ receiving

    private void onView(View view) {
        lock.lock();
        try {
            boolean hasNewcomers = !members.containsAll(view.members());
            members = view.members();
            settled.keySet().retainAll(members);
            refusals.keySet().retainAll(members);
            changed.signalAll();
            if (hasNewcomers) {
                announce();
            }
        } finally {
            lock.unlock();
        }
    }

    private void onMessage(Message message) {
        // Announcements of other nodes are for balancers.
        Member sender = message.sender();
        String refused = "";
        lock.lock();
        try {
            switch (AnnounceCodec.decode(message.bytes())) {
                case Announced _ -> {}
                case Balancing _ -> settled.putIfAbsent(sender, 0L);
                case Settled done -> {
                    settled.merge(sender, done.sequence(), Math::max);
                    refusals.remove(sender);
                    changed.signalAll();
                }
                case Refused refusal -> {
                    settled.merge(sender, refusal.sequence(), Math::max);
                    refused = refusal.reason().equals(refusals.put(sender, refusal.reason())) ? "" : refusal.reason();
                    changed.signalAll();
                }
                case Ordered ordered -> {
                    if (settled.containsKey(sender)) {
                        order(ordered.path(), ordered.state());
                    }
                }
            }
        } catch (MalformedAnnouncementException e) {
            malformed++;
        } finally {
            lock.unlock();
        }
        if (!refused.isEmpty()) {
            onRefused.accept(refused);
        }
    }

    /** Leaves the group. Requests that are under way are not waited for; {@link #drain} does that. Idempotent. */
    @Override
    public void close() {
        Group joined;
        lock.lock();
        try {
            isClosed = true;
            joined = group;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (joined != null) {
            joined.close();
        }
    }
}
