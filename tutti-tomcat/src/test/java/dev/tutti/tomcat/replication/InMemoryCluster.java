package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Groups in one process, without a network: FIFO, virtually synchronous; crashes, partitions and merges on command.
 *
 * <p>Either all moves on {@link #pump} only, always in one order, or each member has a thread.
 */
public final class InMemoryCluster {

    private final boolean isThreaded;
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

    /** Membership of one member in a group. */
    public final class Seat implements SessionChannel {
        private final String group;
        private final String node;
        private final Member member;
        private final Listener listener;
        private final ArrayDeque<Runnable> inbox = new ArrayDeque<>();
        private int side;
        private boolean isAlive = true;
        private boolean isHeld;
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
                    receiver.post(() -> receiver.listener.onMessage(member, message.clone()));
                }
                return CompletableFuture.completedFuture(null);
            }
        }

        @Override
        public boolean sendTo(Member receiver, byte[] message) {
            synchronized (InMemoryCluster.this) {
                for (Seat seat : isAlive ? reachable(this) : List.<Seat>of()) {
                    if (seat.member.equals(receiver)) {
                        seat.post(() -> seat.listener.onMessage(member, message.clone()));
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

        private void post(Runnable delivery) {
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
            Runnable next;
            synchronized (InMemoryCluster.this) {
                next = inbox.poll();
                isInBatch = true;
            }
            if (next != null) {
                next.run();
            }
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
                    seat.post(() -> isIn.complete(null));
                } else {
                    isIn.complete(null);
                    seat.inbox.poll().run();
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
                choices.add(seat::deliverNext);
            }
            if (seat.isInBatch) {
                choices.add(seat::endBatch);
            }
        }
        if (!tasks.isEmpty()) {
            choices.add(() -> tasks.poll().run());
        }
        if (choices.isEmpty()) {
            return false;
        }
        choices.get(random.nextInt(choices.size())).run();
        return true;
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
            seat.post(() -> seat.listener.onView(view, seat.member));
        }
    }
}
