package dev.tutti.protocols.order;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.stack.Outbox;

/**
 * Total order by the oldest member of the view, the sequencer. Each member multicasts its packets itself. The sequencer
 * multicasts their order, once for all packets that a turn has brought (variant BB of Kaashoek and others, <i>An
 * efficient reliable broadcast protocol</i>, 1989). For few senders and low latency.
 *
 * <p>The order is the sequencer's own stream: its own packets have their place in it, and between them it announces the
 * senders of the next packets. Packets of one sender are in order already, so a run of them is a rank and a count.
 *
 * <p>If the sequencer is gone, its announcements up to the cut count at all survivors alike. Packets that it has not
 * placed, or whose announcement has reached no survivor, are ordered by the rule for the rest.
 */
public final class Sequencer extends TotalOrder {

    /** Bytes of kind and places. */
    public static final int HEADER_BYTES = 1 + 8;

    /** Bytes of rank and count. */
    private static final int RUN_BYTES = 4 + 4;

    private static final int RUNS_MAX = (Packet.PAYLOAD_MAX - HEADER_BYTES) / RUN_BYTES;

    /** Senders of the next packets, as announced by the sequencer. */
    private final Runs runs = new Runs();

    /** Senders of packets that have arrived and have no place yet; used at the sequencer. */
    private final Runs arrived = new Runs();

    private final long placesMax;

    /**
     * @param packetsMax packets of one sender that can be in flight: no more can be placed before they arrive
     */
    public Sequencer(Member self, long packetsMax, boolean isSafe) {
        super(self, HEADER_BYTES, isSafe);
        this.placesMax = packetsMax;
    }

    private boolean isSequencer() {
        return own().rank() == 0;
    }

    @Override
    void stamp(Packet packet) {
        stampPlaces(packet);
    }

    @Override
    boolean onData(Sender sender, Packet packet) {
        if (!notePlaces(sender, packet)) {
            return false;
        }
        sender.add(packet);
        if (sender.rank() == 0) {
            runs.add(0, 1);
        } else if (isSequencer()) {
            arrived.add(sender.rank(), 1);
        }
        return true;
    }

    @Override
    boolean onControl(Sender sender, Packet packet, Outbox out) {
        if (!isOrder(sender, packet) || !notePlaces(sender, packet)) {
            return false;
        }
        for (int at = HEADER_BYTES; at < packet.length(); at += RUN_BYTES) {
            runs.add(packet.peekInt(at), packet.peekInt(at + 4));
        }
        out.consumed(packet);
        return true;
    }

    private boolean isOrder(Sender sender, Packet packet) {
        int length = packet.length() - HEADER_BYTES;
        if (length % RUN_BYTES != 0) {
            return false;
        }
        if (sender.rank() != 0 && length > 0) {
            return false;
        }
        long total = runs.total();
        for (int at = HEADER_BYTES; at < packet.length(); at += RUN_BYTES) {
            int rank = packet.peekInt(at);
            int count = packet.peekInt(at + 4);
            total += count;
            if (rank < 0 || rank >= senders.length || count <= 0 || total > placesMax * senders.length) {
                return false;
            }
        }
        return true;
    }

    @Override
    void advance(Outbox out) {
        super.advance(out);
        if (!arrived.isEmpty() && !isSilent()) {
            announce(out);
        }
    }

    private void announce(Outbox out) {
        while (!arrived.isEmpty()) {
            int count = Math.min(arrived.size(), RUNS_MAX);
            Packet packet = Packet.create(out.memory(), count * RUN_BYTES);
            for (int index = 0; index < count; index++) {
                packet.appendInt(arrived.rank()).appendInt(arrived.count());
                arrived.takeRun();
            }
            stamp(packet);
            sendControl(packet, out);
        }
    }

    @Override
    void placeAll() {
        while (!runs.isEmpty() && senders[runs.rank()].queued() > 0) {
            place(senders[runs.rank()]);
            runs.takeOne();
        }
    }

    @Override
    void placeRest() {
        while (!runs.isEmpty()) {
            Sender sender = senders[runs.rank()];
            if (sender.queued() > 0) {
                place(sender);
                runs.takeOne();
            } else {
                runs.takeRun();
            }
        }
    }

    @Override
    long stamp(Sender sender, Packet head) {
        return places(head);
    }

    @Override
    void speak(Outbox out) {
        Packet packet = Packet.create(out.memory(), 0);
        stamp(packet);
        sendControl(packet, out);
    }

    @Override
    void begin() {
        super.begin();
        runs.clear();
        arrived.clear();
    }
}
