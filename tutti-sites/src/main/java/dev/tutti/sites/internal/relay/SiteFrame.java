package dev.tutti.sites.internal.relay;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.sites.internal.log.Entry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Messages of a site group among the members of one site. */
public sealed interface SiteFrame {

    /** A message for the members of this site. */
    record Here(byte[] content) implements SiteFrame {}

    /**
     * A message for other sites.
     *
     * @param sequence the sender's number for it: 1, 2 and so on
     * @param reach the sites that get it; all sites if empty
     * @param isForOne whether one member of each other site gets it, and not all members
     */
    record Everywhere(long sequence, List<String> reach, boolean isForOne, byte[] content) implements SiteFrame {}

    /** Part of the stream from another site, passed on by a master; without items it asks for a receipt only. */
    record Relayed(String site, List<RelayItem> items) implements SiteFrame {}

    /** Another site has these messages of this site. */
    record Acknowledged(String site, SequenceVector has) implements SiteFrame {}

    /** Another site is there for the first time; messages up to {@code start} are not for it. */
    record Added(String site, SequenceVector start) implements SiteFrame {}

    /** A site is given up: nothing is kept for it any more. */
    record Forgotten(String site) implements SiteFrame {}

    /**
     * Messages of this site that one member has kept, and others may lack.
     *
     * @param sites other sites that it has kept them for
     * @param dropped messages that it has dropped although sites lack them
     * @param seen messages that it has kept or that all sites have, of those that it knows: with {@code entries}, and those that it has
     *     told before, there are no others
     */
    record Recovered(List<String> sites, SequenceVector dropped, SequenceVector seen, List<Entry> entries) implements SiteFrame {

        /** Nothing. */
        public static final Recovered NOTHING = new Recovered(List.of(), new SequenceVector(), new SequenceVector(), List.of());

        /** Returns messages alone. */
        public static Recovered of(List<Entry> entries) {
            return new Recovered(List.of(), new SequenceVector(), new SequenceVector(), entries);
        }

        /** Returns that no more messages come of those that were seen. */
        public static Recovered of(SequenceVector seen) {
            return new Recovered(List.of(), new SequenceVector(), seen, List.of());
        }
    }

    /**
     * Messages that one member brings back in a view. They follow from the state that the member has in that view; after it, the member
     * may have another state, so that nobody takes them.
     */
    record BroughtBack(ViewMark view, Recovered content) implements SiteFrame {}

    /**
     * Messages of another site that a part of this one has delivered, while the other part, whose state goes on, may lack them: they may
     * have been acknowledged, and do not come again.
     */
    record Arrived(String site, List<RelayItem> items) implements SiteFrame {}

    /** This site begins to take over the state of another one. */
    record StateBegin(long transfer, String source) implements SiteFrame {}

    /** The next part of the other site's state. */
    record StatePart(long transfer, byte[] bytes) implements SiteFrame {}

    /** The other site's state is there, or does not come. */
    record StateEnd(long transfer, boolean isWhole) implements SiteFrame {}

    /** Place of the cut at which this site gives its state to another one. */
    record StateCut(long transfer, String receiver) implements SiteFrame {}

    /** Returns the bytes of the frame. */
    default byte[] encode() {
        ByteOutput out = new ByteOutput();
        switch (this) {
            case Here here -> out.putByte(HERE).putBytes(here.content);
            case Everywhere message -> {
                out.putByte(EVERYWHERE).putLong(message.sequence);
                putList(out, message.reach, out::putText);
                out.putBoolean(message.isForOne).putBytes(message.content);
            }
            case Relayed relayed -> {
                out.putByte(RELAYED).putText(relayed.site);
                putList(out, relayed.items, item -> item.put(out));
            }
            case Acknowledged acknowledged -> acknowledged.has.put(out.putByte(ACKNOWLEDGED).putText(acknowledged.site));
            case Added added -> added.start.put(out.putByte(ADDED).putText(added.site));
            case Forgotten forgotten -> out.putByte(FORGOTTEN).putText(forgotten.site);
            case Recovered recovered -> put(recovered, out.putByte(RECOVERED));
            case BroughtBack back -> {
                back.view.put(out.putByte(BROUGHT_BACK));
                put(back.content, out);
            }
            case Arrived arrived -> {
                out.putByte(ARRIVED).putText(arrived.site);
                putList(out, arrived.items, item -> item.put(out));
            }
            case StateBegin begin -> out.putByte(STATE_BEGIN).putLong(begin.transfer).putText(begin.source);
            case StatePart part -> out.putByte(STATE_PART).putLong(part.transfer).putBytes(part.bytes);
            case StateEnd end -> out.putByte(STATE_END).putLong(end.transfer).putBoolean(end.isWhole);
            case StateCut cut -> out.putByte(STATE_CUT).putLong(cut.transfer).putText(cut.receiver);
        }
        return out.copy();
    }

    /** @throws MalformedException if the bytes are no frame */
    static SiteFrame decode(ByteBuffer bytes) {
        ByteInput in = new ByteInput(bytes);
        byte kind = in.takeByte();
        SiteFrame frame =
                switch (kind) {
                    case HERE -> new Here(in.takeBytes());
                    case EVERYWHERE -> new Everywhere(
                            takeSequence(in), takeList(in, Integer.BYTES, ByteInput::takeText), in.takeBoolean(), in.takeBytes());
                    case RELAYED -> new Relayed(in.takeText(), takeList(in, RelayItem.BYTES_MIN, RelayItem::take));
                    case ACKNOWLEDGED -> new Acknowledged(in.takeText(), SequenceVector.take(in));
                    case ADDED -> new Added(in.takeText(), SequenceVector.take(in));
                    case FORGOTTEN -> new Forgotten(in.takeText());
                    case RECOVERED -> takeRecovered(in);
                    case BROUGHT_BACK -> new BroughtBack(ViewMark.take(in), takeRecovered(in));
                    case ARRIVED -> new Arrived(in.takeText(), takeList(in, RelayItem.BYTES_MIN, RelayItem::take));
                    case STATE_BEGIN -> new StateBegin(in.takeLong(), in.takeText());
                    case STATE_PART -> new StatePart(in.takeLong(), in.takeBytes());
                    case STATE_END -> new StateEnd(in.takeLong(), in.takeBoolean());
                    case STATE_CUT -> new StateCut(in.takeLong(), in.takeText());
                    default -> throw new MalformedException("a message of a site group has kind " + kind);
                };
        in.end();
        return frame;
    }

    private static void put(Recovered recovered, ByteOutput out) {
        putList(out, recovered.sites, out::putText);
        recovered.dropped.put(out);
        recovered.seen.put(out);
        putList(out, recovered.entries, entry -> entry.put(out));
    }

    private static Recovered takeRecovered(ByteInput in) {
        return new Recovered(
                takeList(in, Integer.BYTES, ByteInput::takeText),
                SequenceVector.take(in),
                SequenceVector.take(in),
                takeList(in, Entry.BYTES_MIN, Entry::take));
    }

    /** Takes the number of a message. */
    static long takeSequence(ByteInput in) {
        long sequence = in.takeLong();
        if (sequence < 1) {
            throw new MalformedException("a message has number " + sequence + ", and numbers begin with 1");
        }
        return sequence;
    }

    /** Puts a count and the elements. */
    static <T> void putList(ByteOutput out, List<T> elements, Consumer<? super T> put) {
        out.putInt(elements.size());
        elements.forEach(put);
    }

    /** Takes a count and the elements. */
    static <T> List<T> takeList(ByteInput in, int bytesEach, Function<ByteInput, T> take) {
        int count = in.takeCount(bytesEach);
        List<T> taken = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            taken.add(take.apply(in));
        }
        return taken;
    }

    /** Kinds on the wire. */
    byte HERE = 1;

    byte EVERYWHERE = 2;
    byte RELAYED = 3;
    byte ACKNOWLEDGED = 4;
    byte ADDED = 5;
    byte FORGOTTEN = 6;
    byte RECOVERED = 7;
    byte STATE_BEGIN = 8;
    byte STATE_PART = 9;
    byte STATE_END = 10;
    byte STATE_CUT = 11;
    byte ARRIVED = 12;
    byte BROUGHT_BACK = 13;
}
