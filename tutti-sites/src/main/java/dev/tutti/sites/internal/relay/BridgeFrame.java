package dev.tutti.sites.internal.relay;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/**
 * Messages among masters of different sites, on the bridge cluster.
 *
 * <p>A master that has messages of a group for another site opens a stream to one master of it. That one answers with
 * the messages that its site has; the stream goes on after them, and is acknowledged as its messages become stable
 * there. A stream may also begin without the answer, behind messages that the other site has acknowledged. Every message
 * names its stream, so that answers to a former one are recognised.
 */
public sealed interface BridgeFrame {

    /** Wants to send messages of a group. */
    record Open(String group, long stream) implements BridgeFrame {}

    /**
     * Wants to send messages of a group, and sends those behind {@code behind} without waiting for the answer. The receiver takes them
     * if it has delivered all that is before them; its answer shows whether it does.
     */
    record Begin(String group, long stream, SequenceVector behind) implements BridgeFrame {}

    /** The stream goes on after the messages that its receiver has delivered. */
    record Resume(String group, long stream, SequenceVector delivered) implements BridgeFrame {}

    /** The stream is over: its receiver can't go on, because of {@code reason}. */
    record Refuse(String group, long stream, String reason) implements BridgeFrame {}

    /** The next items of the stream. */
    record Batch(String group, long stream, List<RelayItem> items) implements BridgeFrame {}

    /** The receiver's site has these messages. */
    record Acknowledge(String group, long stream, SequenceVector has) implements BridgeFrame {}

    /**
     * Site of the sender, to all masters.
     *
     * @param site its site
     * @param isFirst whether it speaks for its site; {@code part} has the members of the site then
     * @param seen number of the last list of sites that its site was told
     * @param digest of that list
     * @param part members of its site
     * @param groups site groups that the sender has joined, and can pass on
     */
    record Announce(String site, boolean isFirst, long seen, int digest, SitePart part, List<String> groups)
            implements BridgeFrame {

        /** Returns whether another announcement says the same, except for the list that was seen. */
        public boolean isLike(Announce other) {
            return other.isFirst == isFirst && other.site.equals(site) && other.part.equals(part) && other.groups.equals(groups);
        }

        private void put(ByteOutput out) {
            out.putText(site).putBoolean(isFirst).putLong(seen).putInt(digest);
            part.put(out);
            SiteFrame.putList(out, groups, out::putText);
        }

        private static Announce take(ByteInput in) {
            return new Announce(
                    in.takeText(),
                    in.takeBoolean(),
                    in.takeLong(),
                    in.takeInt(),
                    SitePart.take(in),
                    SiteFrame.takeList(in, Integer.BYTES, ByteInput::takeText));
        }
    }

    /**
     * An announcement to one master, which the one to all masters follows: that has a place in their order, and has to wait while their
     * view changes.
     */
    record Early(Announce announced) implements BridgeFrame {}

    /** A site has had no master for too long since list {@code number}, to all masters. */
    record Away(String site, long number) implements BridgeFrame {}

    /**
     * A site wants the state of the receiver's site.
     *
     * @param transfer number of the attempt
     * @param begunMillis origin of the present state of the sender's site
     * @param isBehind whether messages are lost to the sender's site
     */
    record StateAsk(String group, long transfer, long begunMillis, boolean isBehind) implements BridgeFrame {}

    /** The receiver's site may have the state of the sender's. */
    record StateOffer(String group, long transfer) implements BridgeFrame {}

    /** The sender's site waits for the state, which has to contain these messages; by the messages' site. */
    record StateWait(String group, long transfer, Map<String, SequenceVector> has) implements BridgeFrame {}

    /** The next part of the state. */
    record StatePart(String group, long transfer, byte[] bytes, boolean isLast) implements BridgeFrame {}

    /**
     * The receiver's site does not get the state.
     *
     * @param isFinal whether it is in vain to ask again
     * @param isBehind whether messages are lost to the sender's site, too
     */
    record StateRefuse(String group, long transfer, String reason, boolean isFinal, boolean isBehind) implements BridgeFrame {}

    /** Returns the bytes of the frame. */
    default byte[] encode() {
        ByteOutput out = new ByteOutput();
        switch (this) {
            case Open open -> begin(out, OPEN, open.group, open.stream);
            case Begin starting -> starting.behind.put(begin(out, BEGIN, starting.group, starting.stream));
            case Resume resume -> resume.delivered.put(begin(out, RESUME, resume.group, resume.stream));
            case Refuse refuse -> begin(out, REFUSE, refuse.group, refuse.stream).putText(refuse.reason);
            case Batch batch -> {
                begin(out, BATCH, batch.group, batch.stream);
                SiteFrame.putList(out, batch.items, item -> item.put(out));
            }
            case Acknowledge acknowledge -> acknowledge.has.put(begin(out, ACKNOWLEDGE, acknowledge.group, acknowledge.stream));
            case Announce announce -> announce.put(out.putByte(ANNOUNCE));
            case Early early -> early.announced.put(out.putByte(EARLY));
            case StateAsk ask -> begin(out, STATE_ASK, ask.group, ask.transfer).putLong(ask.begunMillis).putBoolean(ask.isBehind);
            case StateOffer offer -> begin(out, STATE_OFFER, offer.group, offer.transfer);
            case StateWait wait -> SequenceVector.putAll(begin(out, STATE_WAIT, wait.group, wait.transfer), wait.has);
            case StatePart part -> begin(out, STATE_PART, part.group, part.transfer).putBytes(part.bytes).putBoolean(part.isLast);
            case StateRefuse refuse -> begin(out, STATE_REFUSE, refuse.group, refuse.transfer)
                    .putText(refuse.reason)
                    .putBoolean(refuse.isFinal)
                    .putBoolean(refuse.isBehind);
            case Away away -> out.putByte(AWAY).putText(away.site).putLong(away.number);
        }
        return out.copy();
    }

    private static ByteOutput begin(ByteOutput out, byte kind, String group, long stream) {
        return out.putByte(kind).putText(group).putLong(stream);
    }

    /** @throws MalformedException if the bytes are no frame */
    static BridgeFrame decode(ByteBuffer bytes) {
        ByteInput in = new ByteInput(bytes);
        byte kind = in.takeByte();
        BridgeFrame frame =
                switch (kind) {
                    case OPEN -> new Open(in.takeText(), in.takeLong());
                    case BEGIN -> new Begin(in.takeText(), in.takeLong(), SequenceVector.take(in));
                    case RESUME -> new Resume(in.takeText(), in.takeLong(), SequenceVector.take(in));
                    case REFUSE -> new Refuse(in.takeText(), in.takeLong(), in.takeText());
                    case BATCH -> new Batch(
                            in.takeText(), in.takeLong(), SiteFrame.takeList(in, RelayItem.BYTES_MIN, RelayItem::take));
                    case ACKNOWLEDGE -> new Acknowledge(in.takeText(), in.takeLong(), SequenceVector.take(in));
                    case ANNOUNCE -> Announce.take(in);
                    case EARLY -> new Early(Announce.take(in));
                    case STATE_ASK -> new StateAsk(in.takeText(), in.takeLong(), in.takeLong(), in.takeBoolean());
                    case STATE_OFFER -> new StateOffer(in.takeText(), in.takeLong());
                    case STATE_WAIT -> new StateWait(in.takeText(), in.takeLong(), SequenceVector.takeAll(in));
                    case STATE_PART -> new StatePart(in.takeText(), in.takeLong(), in.takeBytes(), in.takeBoolean());
                    case STATE_REFUSE -> new StateRefuse(
                            in.takeText(), in.takeLong(), in.takeText(), in.takeBoolean(), in.takeBoolean());
                    case AWAY -> new Away(in.takeText(), in.takeLong());
                    default -> throw new MalformedException("a message among sites has kind " + kind);
                };
        in.end();
        return frame;
    }

    /** Kinds on the wire. */
    byte OPEN = 1;

    byte RESUME = 2;
    byte REFUSE = 3;
    byte BATCH = 4;
    byte ACKNOWLEDGE = 5;
    byte ANNOUNCE = 6;
    byte AWAY = 7;
    byte STATE_ASK = 8;
    byte STATE_OFFER = 9;
    byte STATE_WAIT = 10;
    byte STATE_PART = 11;
    byte STATE_REFUSE = 12;
    byte BEGIN = 13;
    byte EARLY = 14;
}
