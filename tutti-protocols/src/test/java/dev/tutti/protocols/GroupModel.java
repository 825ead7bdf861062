package dev.tutti.protocols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Runner;
import dev.tutti.core.stack.Signal;
import dev.tutti.core.stack.Stack;
import dev.tutti.protocols.membership.Membership;
import dev.tutti.protocols.packing.LargeMessage;
import dev.tutti.protocols.packing.Outgoing;
import dev.tutti.protocols.packing.Packing;
import dev.tutti.protocols.packing.Reassembly;
import dev.tutti.protocols.packing.Records;
import dev.tutti.protocols.reliability.Reliability;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The group layers of several members on sessions that are queues: the actions are those of the specification's model
 * (receive, send, close, notice, reconnect, crash, time), and every one is a step that a test chooses.
 */
public final class GroupModel {

    /** Messages that a member delivered in one view. */
    public static final class Chapter {
        public final View view;
        public final List<String> delivered = new ArrayList<>();

        Chapter(View view) {
            this.view = view;
        }
    }

    /** Packets received during one change beyond which the model counts as never getting quiet. */
    private static final int RECEIVED_MAX = 20_000;

    private int received;

    /** A member. */
    public final class Proc implements Stack.Network {
        public final int index;
        public final Member member;
        public final CountingMemory memory = new CountingMemory();
        public final Runner runner = new Runner(memory);
        public final Outgoing outgoing = new Outgoing(memory, 1 << 20);
        public final Stack stack;
        public final List<Chapter> history = new ArrayList<>();
        public final List<String> unicasts = new ArrayList<>();
        public final ArrayDeque<Packet> unconsumed = new ArrayDeque<>();
        public final TreeMap<Integer, Boolean> open = new TreeMap<>();
        public boolean isUp = true;
        public boolean isConsuming = true;
        public boolean hasLeft;
        public int sent;
        private View networkView;

        Proc(int index) {
            this.index = index;
            this.member = new Member(new NodeId(100 + index, "n" + index, "n" + index), 1);
            this.networkView = View.alone(member);
            this.stack = new Stack(
                    runner,
                    List.of(
                            new Membership(member, 2, new Membership.Timing(2_000_000_000L, 50_000_000L, 5_000_000_000L)),
                            new Reliability(
                                    member,
                                    new Reliability.Limits(windowBytes, 2_000_000, 50_000_000, 1_000_000_000, 5_000_000_000L),
                                    0,
                                    null),
                            new Packing(outgoing, 1_000_000_000, windowBytes)),
                    this,
                    new Top(),
                    new SplittableRandom(index));
        }

        public View view() {
            return history.getLast().view;
        }

        /** A number of one of its layers, by path; 0 if there is none. */
        public long number(String path) {
            return LayerTest.numbers(stack::report).getOrDefault(path, 0L);
        }

        public void turn(Runnable input) {
            runner.beginTurn(nowNanos);
            input.run();
            runner.runUntilQuiet();
            while (isConsuming && !unconsumed.isEmpty()) {
                stack.consume(unconsumed.poll());
                runner.runUntilQuiet();
            }
        }

        @Override
        public void send(Packet packet) {
            Member receiver = packet.peer();
            for (Member to : receiver == null ? networkView.members() : List.of(receiver)) {
                Proc other = proc(to);
                if (other != null && other != this && isOpen(this, other)) {
                    byte[] bytes = new byte[packet.length()];
                    packet.bytes().get(packet.offset(), bytes);
                    channel(this, other).add(bytes);
                }
            }
            packet.release();
        }

        @Override
        public void onSignal(Signal signal) {
            switch (signal) {
                case Signal.ViewChange.Installed installed -> networkView = installed.view();
                case Signal.Departure.Left(String reason) -> hasLeft = true;
                case Signal.Peer.Expel(Member other, String reason) -> expelled.add(index + ">" + other + ": " + reason);
                default -> {}
            }
        }

        /** The application. */
        private final class Top implements Stack.Top {

            private final TreeMap<Member, Reassembly> reassemblies = new TreeMap<>();

            @Override
            public void deliver(Packet packet) {
                Member sender = packet.peer();
                boolean isUnicast = packet.receipt() != null && packet.receipt().isUnicast();
                assertThat(Records.read(packet, new Records.Visitor() {
                            @Override
                            public void onMessage(ByteBuffer bytes, int offset, int length) {
                                byte[] text = new byte[length];
                                bytes.get(offset, text);
                                String message = sender + ":" + new String(text, StandardCharsets.UTF_8);
                                (isUnicast ? unicasts : history.getLast().delivered).add(message);
                            }

                            @Override
                            public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
                                ByteBuffer whole = reassemblies
                                        .computeIfAbsent(sender, key -> new Reassembly())
                                        .add(bytes, offset, length, piece);
                                if (whole != null) {
                                    history.getLast().delivered.add(sender + ":" + nameOf(whole.array()));
                                }
                            }
                        }))
                        .isTrue();
                unconsumed.add(packet);
            }

            @Override
            public void onSignal(Signal signal) {
                if (signal instanceof Signal.ViewChange.Installed installed) {
                    history.add(new Chapter(installed.view()));
                }
            }
        }
    }

    public final List<Proc> procs = new ArrayList<>();
    public final List<String> expelled = new ArrayList<>();
    public final List<String> steps = new ArrayList<>();
    private final TreeMap<Integer, ArrayDeque<byte[]>> channels = new TreeMap<>();
    private final long windowBytes;
    public long nowNanos;

    public GroupModel(int count, long windowBytes) {
        this.windowBytes = windowBytes;
        for (int index = 0; index < count; index++) {
            add();
        }
    }

    /** One more member, with sessions to nobody. */
    public Proc add() {
        Proc proc = new Proc(procs.size());
        procs.add(proc);
        proc.turn(() -> proc.stack.signalFromApplication(new Signal.Flow.Submitted()));
        return proc;
    }

    @Nullable Proc proc(Member member) {
        for (Proc proc : procs) {
            if (proc.member.equals(member)) {
                return proc;
            }
        }
        return null;
    }

    private static boolean isOpen(Proc one, Proc other) {
        return one.isUp && other.isUp && !one.hasLeft && !other.hasLeft && one.open.getOrDefault(other.index, false) && other.open.getOrDefault(one.index, false);
    }

    public ArrayDeque<byte[]> channel(Proc from, Proc to) {
        return channels.computeIfAbsent(from.index * 1000 + to.index, key -> new ArrayDeque<>());
    }

    // ------------------------------------------------------------------ actions

    public void connect(Proc one, Proc other) {
        steps.add("connect " + one.index + " " + other.index);
        one.open.put(other.index, true);
        other.open.put(one.index, true);
        one.turn(() -> one.stack.signalFromNetwork(new Signal.Peer.Opened(other.member, 1)));
        other.turn(() -> other.stack.signalFromNetwork(new Signal.Peer.Opened(one.member, 1)));
    }

    public void connectAll() {
        for (Proc one : procs) {
            for (Proc other : procs) {
                if (one.index < other.index && canConnect(one, other)) {
                    connect(one, other);
                }
            }
        }
    }

    public boolean canConnect(Proc one, Proc other) {
        return one.isUp
                && other.isUp
                && !one.hasLeft
                && !other.hasLeft
                && !one.open.getOrDefault(other.index, false)
                && !other.open.getOrDefault(one.index, false);
    }

    /** {@code one} loses its session with {@code other}: suspicion, broken connection, one side of a partition. */
    public void close(Proc one, Proc other) {
        steps.add("close " + one.index + " " + other.index);
        one.open.put(other.index, false);
        channel(other, one).clear();
        one.turn(() -> one.stack.signalFromNetwork(new Signal.Peer.Closed(other.member, false, "test")));
    }

    /** Returns whether {@code one} can notice that {@code other} is gone or has closed; goodbyes arrive last. */
    public boolean canNotice(Proc one, Proc other) {
        boolean mayArrive = other.hasLeft && !channel(other, one).isEmpty();
        return one.isUp
                && !one.hasLeft
                && one.open.getOrDefault(other.index, false)
                && !isOpen(one, other)
                && !mayArrive;
    }

    public void crash(Proc proc) {
        steps.add("crash " + proc.index);
        proc.isUp = false;
        for (Proc other : procs) {
            channel(other, proc).clear();
        }
    }

    public boolean canReceive(Proc from, Proc to) {
        return to.isUp && !to.hasLeft && to.open.getOrDefault(from.index, false) && !channel(from, to).isEmpty();
    }

    public void receive(Proc from, Proc to) {
        steps.add("receive " + from.index + " " + to.index);
        byte[] bytes = channel(from, to).remove();
        received++;
        if (received > RECEIVED_MAX) {
            throw new IllegalStateException("no rest after " + RECEIVED_MAX + " messages");
        }
        to.turn(() -> {
            Packet packet = Packet.create(to.memory, bytes.length).append(bytes, 0, bytes.length);
            to.stack.receive(packet.withPeer(from.member));
        });
    }

    public void send(Proc proc) {
        steps.add("send " + proc.index);
        byte[] text = ("m" + proc.sent++).getBytes(StandardCharsets.UTF_8);
        assertThat(proc.outgoing.offer(null, text, 0, text.length)).isTrue();
        proc.turn(() -> proc.stack.signalFromApplication(new Signal.Flow.Submitted()));
    }

    /** A message of so many bytes, of which the first are its name. */
    public LargeMessage sendLarge(Proc proc, int length) {
        steps.add("send large " + proc.index);
        byte[] bytes = new byte[length];
        byte[] name = ("m" + proc.sent++ + " ").getBytes(StandardCharsets.UTF_8);
        for (int index = 0; index < length; index++) {
            bytes[index] = index < name.length ? name[index] : (byte) (index * 31);
        }
        LargeMessage large = proc.outgoing.offerLarge(null, bytes, 0, length);
        proc.turn(() -> proc.stack.signalFromApplication(new Signal.Flow.Submitted()));
        return large;
    }

    private static String nameOf(byte[] large) {
        int end = 0;
        while (large[end] != ' ') {
            end++;
        }
        for (int index = end + 1; index < large.length; index++) {
            if (large[index] != (byte) (index * 31)) {
                throw new AssertionError("byte " + index + " of " + large.length + " is wrong");
            }
        }
        return new String(large, 0, end, StandardCharsets.UTF_8);
    }

    public void sendTo(Proc proc, Proc receiver, String message) {
        byte[] text = message.getBytes(StandardCharsets.UTF_8);
        assertThat(proc.outgoing.offer(receiver.member, text, 0, text.length)).isTrue();
        proc.turn(() -> proc.stack.signalFromApplication(new Signal.Flow.Submitted()));
    }

    public void advance(long nanos) {
        nowNanos += nanos;
        for (Proc proc : procs) {
            if (proc.isUp) {
                proc.turn(proc.runner::expire);
            }
        }
    }

    /** Everything in flight arrives, and time passes, until nothing happens any more; 8 s at most. */
    public void settle() {
        received = 0;
        // So long those who kept others waiting may be left out: here time leaps while nobody notices a lost session.
        long end = nowNanos + 700_000_000_000L;
        deliverAll();
        long deadline = nextDeadline();
        while (deadline <= end) {
            advance(Math.max(0, deadline - nowNanos));
            deliverAll();
            deadline = nextDeadline();
        }
        nowNanos = deadline == Runner.NEVER ? nowNanos : end;
    }

    /** Time passes until a timer goes off; false if none is armed. */
    public boolean advanceToNextTimer() {
        long deadline = nextDeadline();
        if (deadline == Runner.NEVER) {
            return false;
        }
        advance(Math.max(0, deadline - nowNanos));
        return true;
    }

    private long nextDeadline() {
        long earliest = Runner.NEVER;
        for (Proc proc : procs) {
            earliest = proc.isUp ? Math.min(earliest, proc.runner.nextDeadline()) : earliest;
        }
        return earliest;
    }

    /** The action of a member's leaving. */
    public void leave(Proc proc) {
        steps.add("leave " + proc.index);
        proc.turn(() -> proc.stack.signalFromApplication(new Signal.Departure.Leave()));
    }

    public void deliverAll() {
        boolean isMoving = true;
        while (isMoving) {
            isMoving = false;
            for (Proc from : procs) {
                for (Proc to : procs) {
                    if (canReceive(from, to)) {
                        receive(from, to);
                        isMoving = true;
                    }
                }
            }
        }
    }

    /** Faults end: who can notice does, all connect, and everything settles. */
    public void heal() {
        boolean isNews = true;
        while (isNews) {
            // A goodbye arrives after what was sent before it.
            procs.stream().filter(proc -> proc.hasLeft).forEach(this::deliverFrom);
            noticeAll();
            connectAll();
            for (Proc proc : procs) {
                proc.turn(() -> {});
            }
            settle();
            isNews = procs.stream().anyMatch(one -> procs.stream().anyMatch(other -> canNotice(one, other)));
        }
    }

    private void deliverFrom(Proc from) {
        for (Proc to : procs) {
            while (canReceive(from, to)) {
                receive(from, to);
            }
        }
    }

    /** Lets all members that can notice the end of another do so, and returns whether any could. */
    public boolean noticeAll() {
        boolean isNews = false;
        for (Proc one : procs) {
            for (Proc other : procs) {
                if (canNotice(one, other)) {
                    close(one, other);
                    isNews = true;
                }
            }
        }
        return isNews;
    }

    // ------------------------------------------------------------------ checks

    public List<Proc> up() {
        return procs.stream().filter(proc -> proc.isUp && !proc.hasLeft).toList();
    }

    /** S3, S4, S6, S7 with S8, S9, S11, S12 of docs/guarantees.md, over the whole run. */
    public void checkSafety() {
        TreeMap<ViewId, Chapter> byId = new TreeMap<>();
        for (Proc proc : procs) {
            for (int at = 0; at < proc.history.size(); at++) {
                Chapter chapter = proc.history.get(at);
                assertThat(chapter.view.members()).as("S3 " + proc.index).contains(proc.member);
                if (at > 0) {
                    assertThat(chapter.view.id().number())
                            .as("S4 " + proc.index)
                            .isGreaterThan(proc.history.get(at - 1).view.id().number());
                }
                Chapter same = byId.putIfAbsent(chapter.view.id(), chapter);
                if (same != null) {
                    assertThat(chapter.view.members()).as("S6").isEqualTo(same.view.members());
                    assertThat(chapter.view.parts()).as("S6").isEqualTo(same.view.parts());
                }
                checkChapter(proc, chapter);
            }
        }
        for (Proc one : procs) {
            for (Proc other : procs) {
                if (one.index < other.index) {
                    checkVirtualSynchrony(one, other);
                    checkNoSpuriousSplit(one, other);
                }
            }
        }
    }

    private void checkChapter(Proc proc, Chapter chapter) {
        TreeMap<String, Integer> last = new TreeMap<>();
        for (String message : chapter.delivered) {
            int colon = message.indexOf(':');
            String sender = message.substring(0, colon);
            int number = Integer.parseInt(message.substring(colon + 2));
            Integer before = last.put(sender, number);
            if (before != null) {
                assertThat(number).as("S11 at %s in %s", proc.index, chapter.view).isEqualTo(before + 1);
            }
            Proc origin = procs.stream().filter(p -> p.member.name().equals(sender)).findFirst().orElseThrow();
            Chapter sentIn = origin.history.stream()
                    .filter(c -> c.view.id().equals(chapter.view.id()))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("S7: " + message + " delivered in " + chapter.view
                            + ", where its sender never was"));
            assertThat(sentIn.delivered).as("S7, S8: self-delivery in the same view").contains(message);
        }
        assertThat(new TreeSet<>(chapter.delivered)).as("S2").hasSameSizeAs(chapter.delivered);
    }

    private static void checkVirtualSynchrony(Proc one, Proc other) {
        for (int i = 1; i < one.history.size(); i++) {
            for (int j = 1; j < other.history.size(); j++) {
                if (one.history.get(i).view.id().equals(other.history.get(j).view.id())
                        && one.history.get(i - 1).view.id().equals(other.history.get(j - 1).view.id())) {
                    assertThat(new TreeSet<>(one.history.get(i - 1).delivered))
                            .as("S9 %s and %s in %s", one.index, other.index, one.history.get(i - 1).view)
                            .isEqualTo(new TreeSet<>(other.history.get(j - 1).delivered));
                }
            }
        }
    }

    private static void checkNoSpuriousSplit(Proc one, Proc other) {
        for (int i = 0; i < one.history.size(); i++) {
            int j = indexOf(other, one.history.get(i).view.id());
            if (j < 0) {
                continue;
            }
            for (int i2 = i + 1; i2 < one.history.size(); i2++) {
                int j2 = indexOf(other, one.history.get(i2).view.id());
                if (j2 > j && contains(one, i, i2, other.member) && contains(other, j, j2, one.member)) {
                    assertThat(i2 - i).as("S12 %s and %s", one.index, other.index).isEqualTo(j2 - j);
                    for (int step = 0; step < i2 - i; step++) {
                        assertThat(one.history.get(i + step).view.id())
                                .as("S12 %s and %s", one.index, other.index)
                                .isEqualTo(other.history.get(j + step).view.id());
                    }
                }
            }
        }
    }

    private static int indexOf(Proc proc, ViewId id) {
        for (int index = 0; index < proc.history.size(); index++) {
            if (proc.history.get(index).view.id().equals(id)) {
                return index;
            }
        }
        return -1;
    }

    private static boolean contains(Proc proc, int from, int to, Member member) {
        for (int index = from; index <= to; index++) {
            if (!proc.history.get(index).view.contains(member)) {
                return false;
            }
        }
        return true;
    }

    /** At rest: one view, everybody has delivered the same in it, nothing in flight, no memory held. */
    public void checkAtRest() {
        List<Proc> up = up();
        View view = up.getFirst().view();
        TreeSet<Member> members = new TreeSet<>();
        up.forEach(proc -> members.add(proc.member));
        assertThat(new TreeSet<>(view.members())).as("L1: one view of all").isEqualTo(members);
        for (Proc proc : up) {
            assertThat(proc.view().id()).as("L1: %s", proc.index).isEqualTo(view.id());
            assertThat(new TreeSet<>(proc.history.getLast().delivered))
                    .as("at rest all have delivered the same")
                    .isEqualTo(new TreeSet<>(up.getFirst().history.getLast().delivered));
            assertThat(proc.outgoing.isEmpty()).as("L2: %s has sent all, waits for %s", proc.index, proc.outgoing.waitsFor()).isTrue();
            assertThat(proc.memory.outstanding()).as("S23: blocks held at %s", proc.index).isZero();
            assertThat(proc.stack.dropped(DropReason.MALFORMED)).isZero();
        }
        for (Proc proc : up) {
            int delivered = 0;
            for (Chapter chapter : proc.history) {
                for (String message : chapter.delivered) {
                    delivered += message.startsWith(proc.member.name() + ":") ? 1 : 0;
                }
            }
            assertThat(delivered).as("L2: %s has delivered what it sent", proc.index).isEqualTo(proc.sent);
        }
    }

    public TreeSet<String> deliveredByAll(Proc proc) {
        TreeSet<String> all = new TreeSet<>();
        proc.history.forEach(chapter -> all.addAll(chapter.delivered));
        return all;
    }
}
