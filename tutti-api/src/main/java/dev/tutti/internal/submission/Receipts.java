package dev.tutti.internal.submission;

import dev.tutti.Stability;
import dev.tutti.UnstableException;
import dev.tutti.UnstableException.Reason;
import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.internal.Host;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Receipts that were requested and not given yet. All methods are called with the lock of the {@link SubmissionQueue};
 * futures are completed without it, on a virtual thread, in the order of the decisions.
 */
final class Receipts {

    /** A message whose sender waits for a receipt. */
    static final class Receipt {
        private final CompletableFuture<Delivery> stable = new CompletableFuture<>();
        private final CompletableFuture<Delivery> settled = new CompletableFuture<>();
        private final long ticket;
        private final Member sender;
        private final Stability stability;
        private long deadlineNanos;

        /** Known delivery; empty as long as the message may still be sent. */
        private Delivery known;

        private boolean isFailed;
        private boolean isDone;

        Receipt(long ticket, Member sender, Stability stability, Delivery known, long deadlineNanos) {
            this.ticket = ticket;
            this.sender = sender;
            this.stability = stability;
            this.known = known;
            this.deadlineNanos = deadlineNanos;
        }

        CompletableFuture<Delivery> stable() {
            return stable;
        }
    }

    /** Most pending receipts. A further message waits until there is room, as for the window. */
    private static final int WAITING_MAX = 10_000;

    /** Most receipts that have failed with members unknown; a further one settles the oldest as it is. */
    private static final int UNSETTLED_MAX = 10_000;

    private final Host host;
    private final SubmissionOwner owner;
    private final ReentrantLock lock;
    private final long timeoutNanos;
    private final Map<Long, List<Receipt>> byTicket = new LinkedHashMap<>();

    /** Pending receipts, by deadline; completed ones are removed at their deadline. */
    private final ArrayDeque<Receipt> waiting = new ArrayDeque<>();

    /** Receipts that have failed with members unknown, by deadline; removed likewise. */
    private final ArrayDeque<Receipt> unsettled = new ArrayDeque<>();

    private final ArrayDeque<Runnable> completions = new ArrayDeque<>();
    private int waitingCount;
    private boolean isSweepArmed;
    private boolean isCompleting;
    private long given;
    private long failed;

    Receipts(Host host, ReentrantLock lock, long timeoutNanos, SubmissionOwner owner) {
        this.host = host;
        this.owner = owner;
        this.lock = lock;
        this.timeoutNanos = timeoutNanos;
    }

    boolean isFull() {
        return waitingCount >= WAITING_MAX;
    }

    int waiting() {
        return waitingCount;
    }

    long given() {
        return given;
    }

    long failed() {
        return failed;
    }

    /**
     * Requests a receipt of a message that was accepted.
     *
     * @param ticket ticket of the packet that the message ends in
     * @param self the sender
     * @param receiver receiver of the message; null for all members
     * @param view the present view
     */
    public Receipt open(long ticket, Member self, @Nullable Member receiver, Stability stability, View view) {
        List<Member> receivers = receiver == null ? view.members() : List.of(receiver);
        Delivery nothing = new Delivery(view, view, List.of(), List.of(), receivers);
        Receipt receipt = new Receipt(ticket, self, stability, nothing, host.nanoTime() + timeoutNanos);
        byTicket.computeIfAbsent(ticket, key -> new ArrayList<>(1)).add(receipt);
        first(waiting, false);
        if (waiting.size() >= 2 * WAITING_MAX) {
            // Most are completed, behind one that is not.
            waiting.removeIf(each -> each.isDone || each.isFailed);
        }
        waiting.add(receipt);
        waitingCount++;
        armSweep();
        return receipt;
    }

    /** Removes the receipt of a message that was taken back; its sender has been told so. */
    public void forget(Receipt receipt) {
        if (!receipt.isDone) {
            end(receipt);
        }
    }

    /** Notes which members deliver the packet with {@code ticket}. */
    public void onKnown(long ticket, Delivery delivery) {
        List<Receipt> receipts = byTicket.get(ticket);
        if (receipts == null) {
            return;
        }
        for (Receipt receipt : List.copyOf(receipts)) {
            receipt.known = delivery;
            if (receipt.isFailed) {
                if (delivery.unknown().isEmpty()) {
                    settle(receipt);
                }
            } else if (isReached(receipt.stability, delivery)) {
                end(receipt);
                given++;
                complete(() -> receipt.stable.complete(delivery));
            } else if (!delivery.knownIn().equals(delivery.sentIn())) {
                fail(receipt, Reason.VIEW_CHANGE, "the view has changed to " + delivery.knownIn().id());
            } else if (delivery.unknown().isEmpty()) {
                fail(receipt, Reason.NOT_SENT, "the message was not sent");
            }
        }
    }

    /** Fails the receipts of the packet with {@code ticket}, which will never be sent. */
    void onUnsent(long ticket) {
        for (Receipt receipt : List.copyOf(byTicket.getOrDefault(ticket, List.of()))) {
            View view = receipt.known.knownIn();
            receipt.known = new Delivery(view, view, List.of(), receipt.known.unknown(), List.of());
            if (receipt.isFailed) {
                settle(receipt);
            } else {
                fail(receipt, Reason.NOT_SENT, "the message was not sent");
            }
        }
    }

    /** Fails all receipts: the group has ended, and nothing more will be known. */
    public void close(String reason) {
        List<Receipt> open = new ArrayList<>();
        byTicket.values().forEach(open::addAll);
        for (Receipt receipt : open) {
            if (!receipt.isFailed) {
                fail(receipt, Reason.LEFT, reason);
            }
            if (!receipt.isDone) {
                settle(receipt);
            }
        }
    }

    private static boolean isReached(Stability stability, Delivery delivery) {
        return switch (stability) {
            case ALL -> delivery.isByAll();
            case MAJORITY -> delivery.isByMajority();
        };
    }

    private void fail(Receipt receipt, Reason reason, String because) {
        failed++;
        waitingCount--;
        receipt.isFailed = true;
        Delivery known = receipt.known;
        UnstableException failure = owner.unstable(
                reason, "not stable at " + receipt.stability + ": " + because + "; " + known, receipt.sender, known, receipt.settled);
        complete(() -> receipt.stable.completeExceptionally(failure));
        if (known.unknown().isEmpty()) {
            settle(receipt);
            return;
        }
        receipt.deadlineNanos = host.nanoTime() + timeoutNanos;
        unsettled.add(receipt);
        if (unsettled.size() > UNSETTLED_MAX) {
            settle(unsettled.remove());
        }
        armSweep();
    }

    private void settle(Receipt receipt) {
        if (!receipt.isDone) {
            Delivery known = receipt.known;
            end(receipt);
            complete(() -> receipt.settled.complete(known));
        }
    }

    private void end(Receipt receipt) {
        receipt.isDone = true;
        if (!receipt.isFailed) {
            waitingCount--;
        }
        List<Receipt> receipts = byTicket.get(receipt.ticket);
        if (receipts != null) {
            receipts.remove(receipt);
            if (receipts.isEmpty()) {
                byTicket.remove(receipt.ticket);
            }
        }
    }

    // ------------------------------------------------------------------ deadlines

    private void armSweep() {
        if (isSweepArmed) {
            return;
        }
        Receipt first = first(waiting, false);
        Receipt firstUnsettled = first(unsettled, true);
        if (first == null && firstUnsettled == null) {
            return;
        }
        long now = host.nanoTime();
        long delayNanos = Math.min(
                first == null ? timeoutNanos : first.deadlineNanos - now,
                firstUnsettled == null ? timeoutNanos : firstUnsettled.deadlineNanos - now);
        isSweepArmed = true;
        host.startAfter(Math.max(0, delayNanos), "tutti-receipts", this::sweep);
    }

    /** Returns the first receipt of {@code queue} that is still relevant, and removes those before it. */
    private static @Nullable Receipt first(ArrayDeque<Receipt> queue, boolean isFailed) {
        Receipt first = queue.peek();
        while (first != null && (first.isDone || first.isFailed != isFailed)) {
            queue.remove();
            first = queue.peek();
        }
        return first;
    }

    private void sweep() {
        lock.lock();
        try {
            isSweepArmed = false;
            long now = host.nanoTime();
            Receipt next = first(waiting, false);
            while (next != null && next.deadlineNanos - now <= 0) {
                fail(next, Reason.TIMEOUT, "too few members have acknowledged within receipt-timeout ("
                        + timeoutNanos / 1_000_000 + " ms)");
                next = first(waiting, false);
            }
            next = first(unsettled, true);
            while (next != null && next.deadlineNanos - now <= 0) {
                settle(next);
                next = first(unsettled, true);
            }
            armSweep();
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ completions

    /** Runs a completion of the application neither on the loop nor with the lock. */
    private void complete(Runnable completion) {
        completions.add(completion);
        if (!isCompleting) {
            isCompleting = true;
            host.start("tutti-receipts", this::runCompletions);
        }
    }

    private void runCompletions() {
        Runnable next = nextCompletion();
        while (next != null) {
            next.run();
            next = nextCompletion();
        }
    }

    private @Nullable Runnable nextCompletion() {
        lock.lock();
        try {
            Runnable next = completions.poll();
            isCompleting = next != null;
            return next;
        } finally {
            lock.unlock();
        }
    }
}
