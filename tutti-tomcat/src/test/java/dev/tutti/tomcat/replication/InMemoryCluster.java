package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Groups in one process, without a network: FIFO, virtually synchronous; crashes, partitions and merges on command.
 *
 * <p>Either all moves on {@link #pump} only, always in one order, or each member has a thread.
 */
public final class InMemoryCluster {

    private final boolean isThreaded;
    private boolean isUnicastEarly;
    private boolean isOnGroupThread;
    private final List<Seat> seats = new ArrayList<>();
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private long incarnations;

    private InMemoryCluster(boolean isThreaded) {
        this.isThreaded = isThreaded;
    }

    public static InMemoryCluster manual() {
        return new InMemoryCluster(false);
    }

    public static InMemoryCluster threaded() {
        return new InMemoryCluster(true);
    }

    /**
     * Lets messages to one member arrive before the view in which they were sent, as they do in real groups: nothing but the
     * order of such messages is kept between two members that go from view to view together. For {@link #deliverOne}.
     */
    public InMemoryCluster withEarlyUnicasts() {
        isUnicastEarly = true;
        return this;
    }

    /**
     * A view or a message that waits at a member.
     *
     * @param sender null for views
     * @param isToAll whether it is a message to the group
     * @param view null for messages
     */
    private record Delivery(@Nullable Member sender, boolean isToAll, @Nullable View view, Runnable action) {}

    /** Membership of one member in a group. */
    public final class Seat implements SessionChannel {
        private final String group;
        private final String node;
        private final Member member;
        private final Listener listener;
        private final ArrayDeque<Delivery> inbox = new ArrayDeque<>();
        private int side;
        private boolean isAlive = true;
        private boolean isHeld;
        private boolean isViewHeld;
        private boolean isRunning;
        private boolean isInBatch;
        private ViewId viewId;

        private Seat(String group, String node, Member member, Listener listener) {
            this.group = group;
            this.node = node;
            this.member = member;
            this.listener = listener;
            this.viewId = View.alone(member).id();
        }

        public Member member() {
            return member;
        }

        @Override
        public CompletableFuture<Void> send(byte[] message) {
            synchronized (InMemoryCluster.this) {
                for (Seat receiver : isAlive ? reachable(this) : List.<Seat>of()) {
                    receiver.post(new Delivery(member, true, null, () -> receiver.listener.onMessage(member, message.clone())));
                }
                return CompletableFuture.completedFuture(null);
            }
        }

        @Override
        public boolean sendTo(Member receiver, byte[] message) {
            synchronized (InMemoryCluster.this) {
                for (Seat seat : isAlive ? reachable(this) : List.<Seat>of()) {
                    if (seat.member.equals(receiver)) {
                        seat.post(new Delivery(member, false, null, () -> seat.listener.onMessage(member, message.clone())));
                        return true;
                    }
                }
                return false;
            }
        }

        @Override
        public CompletableFuture<Void> post(Member receiver, byte[] message) {
            sendTo(receiver, message);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public boolean trySendTo(Member receiver, byte[] message) {
            return sendTo(receiver, message);
        }

        @Override
        public void close() {
            crash(this);
        }

        private void post(Delivery delivery) {
            inbox.add(delivery);
            if (isThreaded) {
                run();
            }
        }

        private void run() {
            if (!isRunning && !isHeld && !inbox.isEmpty()) {
                isRunning = true;
                Thread.ofVirtual().start(this::deliverAll);
            }
        }

        private void deliverAll() {
            while (true) {
                boolean isEnd;
                synchronized (InMemoryCluster.this) {
                    isEnd = isHeld || !isAlive || inbox.isEmpty();
                    if (isEnd && !isInBatch) {
                        isRunning = false;
                        return;
                    }
                }
                if (isEnd) {
                    endBatch();
                } else {
                    deliverNext();
                }
            }
        }

        private void deliverNext() {
            Delivery next;
            synchronized (InMemoryCluster.this) {
                next = inbox.poll();
                isInBatch = true;
            }
            if (next != null) {
                isOnGroupThread = !isThreaded;
                next.action.run();
            }
        }

        /** Returns messages that may overtake views: the first of each sender that has come along through all of those. */
        private List<Delivery> early() {
            List<Delivery> early = new ArrayList<>();
            Set<Member> seen = new HashSet<>();
            List<View> overtaken = new ArrayList<>();
            for (Delivery delivery : inbox) {
                Member sender = delivery.sender;
                if (delivery.view != null) {
                    overtaken.add(delivery.view);
                }
                // What a member has sent to all in a coming view waits for that.
                boolean isInOrder = sender != null && (!delivery.isToAll || overtaken.isEmpty());
                if (isInOrder && seen.add(sender) && !overtaken.isEmpty() && overtaken.stream().allMatch(view -> view.transitionalSet(member).contains(sender))) {
                    early.add(delivery);
                }
            }
            return early;
        }

        private void deliverEarly(Delivery delivery) {
            inbox.remove(delivery);
            isInBatch = true;
            isOnGroupThread = true;
            delivery.action.run();
        }

        private void endBatch() {
            synchronized (InMemoryCluster.this) {
                isInBatch = false;
            }
            listener.onBatchEnd();
        }
    }

    /** Returns a source that joins groups for the process called {@code node}. */
    public SessionChannel.Source source(String node) {
        return (group, listener) -> {
            CompletableFuture<Void> isIn = new CompletableFuture<>();
            Seat seat;
            synchronized (this) {
                NodeId id = new NodeId(++incarnations, node, "127.0.0.1:" + (7000 + incarnations));
                seat = new Seat(group, node, new Member(id, 1), listener);
                seats.add(seat);
                install(reachable(seat));
                if (isThreaded) {
                    seat.post(new Delivery(null, false, null, () -> isIn.complete(null)));
                } else {
                    isIn.complete(null);
                    seat.inbox.poll().action.run();
                }
            }
            isIn.join();
            return seat;
        };
    }

    public synchronized List<Seat> seats(String node) {
        return seats.stream().filter(seat -> seat.isAlive && seat.node.equals(node)).toList();
    }

    /** Stops a process: messages that it has sent arrive, messages that have arrived at it are lost. */
    public synchronized void crash(String node) {
        for (Seat seat : seats(node)) {
            crash(seat);
        }
    }

    private synchronized void crash(Seat seat) {
        if (seat.isAlive) {
            seat.isAlive = false;
            seat.inbox.clear();
            seats.remove(seat);
            install(reachable(seat));
        }
    }

    /** Separates these processes from the others. */
    public synchronized void partition(String... nodes) {
        int side = 1;
        for (Seat seat : seats) {
            side = Math.max(side, seat.side + 1);
        }
        for (Seat seat : seats) {
            if (List.of(nodes).contains(seat.node)) {
                seat.side = side;
            }
        }
        reinstall();
    }

    public synchronized void heal() {
        for (Seat seat : seats) {
            seat.side = 0;
        }
        reinstall();
    }

    /** Holds a process: it receives nothing until it is released. */
    public synchronized void hold(String node) {
        seats(node).forEach(seat -> seat.isHeld = true);
    }

    public synchronized void release(String node) {
        for (Seat seat : seats(node)) {
            seat.isHeld = false;
            if (isThreaded) {
                seat.run();
            }
        }
    }

    /** Holds the views of a process: until they are released, it receives only messages that may overtake them. */
    public synchronized void holdViews(String node, boolean isHeld) {
        seats(node).forEach(seat -> seat.isViewHeld = isHeld);
    }

    /** Returns an executor that runs tasks on threads of their own; in manual mode, together with the messages. */
    public Executor executor() {
        return isThreaded ? task -> Thread.ofVirtual().start(task) : task -> {
            synchronized (this) {
                tasks.add(task);
            }
        };
    }

    /** Delivers all messages to the members that are not held, and runs all tasks, until none is left. */
    public void pump() {
        boolean isMoving = true;
        while (isMoving) {
            isMoving = false;
            for (Seat seat : List.copyOf(seats)) {
                while (!seat.isHeld && !seat.inbox.isEmpty()) {
                    seat.deliverNext();
                    isMoving = true;
                }
                if (seat.isInBatch) {
                    seat.endBatch();
                    isMoving = true;
                }
            }
            while (!tasks.isEmpty()) {
                tasks.poll().run();
                isMoving = true;
            }
        }
    }

    /** Delivers one message or view, ends one batch, or runs one task, drawn from {@code random}; returns false if none is left. */
    public boolean deliverOne(Random random) {
        List<Runnable> choices = new ArrayList<>();
        for (Seat seat : seats) {
            if (!seat.isHeld && !seat.inbox.isEmpty()) {
                if (!seat.isViewHeld || seat.inbox.getFirst().view == null) {
                    choices.add(seat::deliverNext);
                }
                if (isUnicastEarly) {
                    seat.early().forEach(delivery -> choices.add(() -> seat.deliverEarly(delivery)));
                }
            }
            if (seat.isInBatch) {
                choices.add(seat::endBatch);
            }
        }
        if (!tasks.isEmpty()) {
            choices.add(this::runTask);
        }
        if (choices.isEmpty()) {
            return false;
        }
        boolean before = isOnGroupThread;
        try {
            choices.get(random.nextInt(choices.size())).run();
        } finally {
            isOnGroupThread = before;
        }
        return true;
    }

    /** Returns whether a view or a message is being handled, so that nothing may wait. For {@link #deliverOne}. */
    public boolean isOnGroupThread() {
        return isOnGroupThread;
    }

    private void runTask() {
        isOnGroupThread = false;
        tasks.poll().run();
    }

    /** Delivers all that can be delivered, in an order drawn from {@code random}. */
    public void deliverAll(Random random) {
        boolean isMoving = true;
        while (isMoving) {
            isMoving = deliverOne(random);
        }
    }

    private List<Seat> reachable(Seat from) {
        return seats.stream()
                .filter(seat -> seat.side == from.side && seat.group.equals(from.group))
                .toList();
    }

    private void reinstall() {
        Map<String, List<Seat>> sides = new LinkedHashMap<>();
        for (Seat seat : seats) {
            sides.computeIfAbsent(seat.group + " " + seat.side, absent -> new ArrayList<>()).add(seat);
        }
        sides.values().forEach(this::install);
    }

    private void install(Collection<Seat> members) {
        if (members.isEmpty()) {
            return;
        }
        Map<ViewId, List<Member>> byPrevious = new LinkedHashMap<>();
        List<Member> order = new ArrayList<>();
        long number = 0;
        for (Seat seat : members) {
            number = Math.max(number, seat.viewId.number());
            byPrevious.computeIfAbsent(seat.viewId, absent -> new ArrayList<>()).add(seat.member);
            order.add(seat.member);
        }
        List<View.Part> parts = new ArrayList<>();
        byPrevious.forEach((previous, together) -> parts.add(new View.Part(previous, together, new TreeMap<>())));
        View view = new View(new ViewId(number + 1, 1, order.getFirst()), order, parts);
        for (Seat seat : members) {
            seat.viewId = view.id();
            seat.post(new Delivery(null, false, view, () -> seat.listener.onView(view, seat.member)));
        }
    }
}
