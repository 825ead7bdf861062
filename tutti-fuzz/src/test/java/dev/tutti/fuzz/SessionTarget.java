package dev.tutti.fuzz;

import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.protocols.membership.MembershipBytes;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Frames from a peer with which there is a session and a group, in quiet times and in the middle of a view change.
 *
 * <p>An input is a byte that chooses the scene, then frames, each after its length in two bytes.
 */
final class SessionTarget implements Target.Decoder {

    /** Scenes: the coordinator or the other reads, in a view that lasts or in one that a third node changes. */
    static final int SCENES = 4;

    private static final int REFUSE = 3;
    private static final int HEARTBEAT = 4;
    private static final int LINK_ACK = 5;
    private static final int GROUP_JOINED = 17;
    private static final int UNKNOWN = 21;
    private static final int WHO = 6;
    private static final int GROUP = 32;
    private static final String PIECE = "group control 8";
    private static final int FRAMES_MAX = 32;
    private static final int VIEW_CHANGE_MILLIS = 6;

    private final boolean isPrimary;

    /** @param isPrimary whether the group has a primary partition */
    SessionTarget(boolean isPrimary) {
        this.isPrimary = isPrimary;
    }

    @Override
    public Set<String> decode(byte[] input, Allocation allocation) {
        Set<String> outcomes = new TreeSet<>();
        if (input.length == 0) {
            return outcomes;
        }
        int scene = (input[0] & 0xff) % SCENES;
        Lab lab = lab(isPrimary);
        Scene prepared = prepare(lab, scene);
        Lab.Seat reader = prepared.reader();
        int connection = prepared.connection();
        long pieceBytes = 0;
        for (byte[] frame : frames(input)) {
            String description = describe(frame);
            outcomes.add(description);
            // The input of a last piece is all of the pieces.
            pieceBytes += description.equals(PIECE) ? frame.length : 0;
            inject(reader, connection, frame, frame.length + pieceBytes, allocation);
            lab.simulation().advance(java.time.Duration.ofNanos(20_000));
        }
        lab.advanceMillis(60);
        reader.counters().keySet().forEach(name -> outcomes.add(name.replaceAll("\\.n[0-9]\\.", ".*.")));
        return outcomes;
    }

    /** Node that reads, and its connection. */
    private record Scene(Lab.Seat reader, int connection) {}

    private static Scene prepare(Lab lab, int scene) {
        lab.start(1);
        lab.start(2);
        lab.until("a view of two", lab::isOneView);
        lab.seat(1).send(3, 100);
        lab.seat(2).send(3, 100);
        lab.advanceMillis(20);
        Lab.Seat reader = lab.seat(1 + scene % 2);
        int connection = reader.tap.connections().getLast();
        if (scene >= 2) {
            lab.start(3);
            lab.advanceMillis(VIEW_CHANGE_MILLIS);
        }
        return new Scene(reader, connection);
    }

    private static void inject(
            Lab.Seat reader, int connection, byte[] frame, long inputBytes, Allocation allocation) {
        reader.node.execute(now -> {
            reader.tap.drainEarly();
            long acquired = reader.memory.acquiredBytes();
            Packet packet = Tap.packet(frame);
            allocation.start();
            reader.tap.machine().onFrame(now, connection, packet);
            reader.tap.drainEarly();
            allocation.stop(inputBytes, reader.memory.acquiredBytes() - acquired);
        });
    }

    static List<byte[]> frames(byte[] input) {
        List<byte[]> frames = new ArrayList<>();
        int at = 1;
        while (at < input.length && frames.size() < FRAMES_MAX) {
            int length = at + 1 < input.length ? (input[at] & 0xff) << 8 | input[at + 1] & 0xff : 0;
            int from = Math.min(input.length, at + 2);
            at = Math.min(input.length, from + length);
            frames.add(Arrays.copyOfRange(input, from, at));
        }
        return frames;
    }

    static byte[] input(int scene, byte[]... frames) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(scene);
        for (byte[] frame : frames) {
            out.writeBytes(ByteBuffer.allocate(2).putShort((short) frame.length).array());
            out.writeBytes(frame);
        }
        return out.toByteArray();
    }

    /** Describes the type of a frame and, in a group, of its content. */
    static String describe(byte[] frame) {
        if (frame.length == 0) {
            return "frame without a type";
        }
        int type = frame[0] & 0xff;
        if (type != GROUP || frame.length < 7) {
            return "frame " + (type > GROUP ? "above 32" : type);
        }
        return frame[5] == 0 ? "group data " + known(frame[6], DATA_MAX) : "group control " + known(frame[5], CONTROL_MAX);
    }

    private static final int DATA_MAX = 5;
    private static final int CONTROL_MAX = 14;

    private static String known(byte kind, int highest) {
        return kind < 0 || kind > highest ? "of no kind" : Integer.toString(kind);
    }

    /**
     * Returns for each scene one input of each kind of frame, all of them in a row, and frames of the largest size.
     * Frames of the scene itself carry numbers, views and members that are valid in it, so that they get far before
     * they are refused.
     */
    List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (int scene = 0; scene < SCENES; scene++) {
            Map<String, byte[]> kinds = new LinkedHashMap<>();
            Lab lab = lab(isPrimary);
            prepare(lab, scene);
            View view = lab.seat(1).view();
            ViewId current = view.id();
            for (Recording recording : List.of(Recording.of(lab, 1 + scene % 2), Recording.ofSession())) {
                for (Recording.Heard heard : recording.heard()) {
                    if (heard.reader() == 1 + scene % 2 && heard.frame().length < 2_000) {
                        kinds.putIfAbsent(describe(heard.frame()), heard.frame());
                    }
                }
            }
            addMade(kinds);
            byte[] head = Arrays.copyOf(kinds.get("group data 0"), 5);
            ViewId next = new ViewId(current.number() + 1, 1, current.proposer());
            byte[] ballot = join(head, MembershipBytes.prepare(next, view));
            if (isPrimary) {
                addOfPrimary(seeds, kinds, scene, head, ballot, next, view);
            }
            for (byte[] frame : kinds.values()) {
                seeds.add(input(scene, frame));
            }
            byte[] stranger = kinds.get("frame " + GROUP_JOINED);
            if (stranger != null) {
                seeds.add(input(scene, withOtherStack(stranger)));
            }
            // A ballot, and messages of the view that it freezes.
            seeds.add(input(scene, ballot, kinds.get("group data 0")));
            byte[][] all = kinds.values().toArray(byte[][]::new);
            seeds.add(input(scene, all));
            for (byte[] crowd : Crowds.frames(head, current)) {
                seeds.add(input(scene, crowd));
            }
        }
        return seeds;
    }

    /** Adds messages of a ballot, each alone after its start, and all in a row; and messages that name many. */
    private static void addOfPrimary(
            List<byte[]> seeds, Map<String, byte[]> kinds, int scene, byte[] head, byte[] ballot, ViewId next, View view) {
        List<byte[]> row = new ArrayList<>(List.of(ballot));
        for (byte[] message : MembershipBytes.messages(next, view)) {
            byte[] frame = join(head, message);
            kinds.putIfAbsent(describe(frame), frame);
            seeds.add(input(scene, ballot, frame));
            row.add(frame);
        }
        seeds.add(input(scene, row.toArray(byte[][]::new)));
        seeds.add(input(scene, join(head, MembershipBytes.ack(next, view))));
        for (byte[] crowd : Crowds.ofPrimary(head, view, next)) {
            seeds.add(input(scene, ballot, crowd));
        }
    }

    private static byte[] join(byte[] head, byte[] message) {
        byte[] frame = Arrays.copyOf(head, head.length + message.length);
        System.arraycopy(message, 0, frame, head.length, message.length);
        return frame;
    }

    /** Adds rare frames, made from the names and numbers in others. */
    private static void addMade(Map<String, byte[]> kinds) {
        // The coordinator gets the ballot only in answers.
        byte[] ballot = kinds.getOrDefault("group control 2", kinds.get("group control 3"));
        byte[] multicast = kinds.get("group data 0");
        if (ballot == null || multicast == null) {
            throw new IllegalStateException("there are only " + kinds.keySet());
        }
        byte[] head = Arrays.copyOf(ballot, 5);
        byte[] id = Arrays.copyOfRange(ballot, 6, viewIdEnd(ballot, 6));
        byte[] member = Arrays.copyOfRange(id, 12, id.length);
        byte[] number = {0, 0, 0, 0, 0, 0, 0, 3};
        byte[] one = {0, 0, 0, 1};
        byte[] nothing = new byte[8];
        add(kinds, head, new byte[] {4}, id, id, number, member);
        add(kinds, head, new byte[] {0, 4}, id, one, member, nothing, number);
        byte[] tag = Arrays.copyOfRange(multicast, 7, 31);
        byte[] sender = Arrays.copyOfRange(tag, 12, 24);
        add(kinds, head, new byte[] {0, 5}, tag, sender, number, nothing);
        add(kinds, new byte[] {REFUSE, 0}, one, new byte[4], Arrays.copyOf(member, member.length - 4));
        add(kinds, new byte[] {LINK_ACK}, nothing);
        // One byte too many, to tell it from a frame that ends early.
        add(kinds, head, new byte[] {WHO, 0});
        add(kinds, new byte[] {UNKNOWN}, number);
    }

    /** Returns the announcement of another member of the group, whose settings end differently. */
    private static byte[] withOtherStack(byte[] joined) {
        byte[] other = joined.clone();
        other[1] = 99;
        other[other.length - 1] ^= 1;
        return other;
    }

    /** Returns the offset after number, attempt, incarnation, name, address and join. */
    private static int viewIdEnd(byte[] frame, int start) {
        ByteBuffer bytes = ByteBuffer.wrap(frame);
        int address = start + 20 + 4 + bytes.getInt(start + 20);
        return address + 4 + bytes.getInt(address) + 4;
    }

    private static void add(Map<String, byte[]> kinds, byte[]... parts) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            frame.writeBytes(part);
        }
        byte[] made = frame.toByteArray();
        kinds.put(describe(made), made);
    }

    private static Lab lab(boolean isPrimary) {
        return isPrimary ? Lab.primary(3, 1) : new Lab(3, 1);
    }
}
