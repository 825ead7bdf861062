package dev.tutti.sites.internal.relay;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.sites.internal.log.OriginMember;

/** Part of a stream from one site to another: a message, or the reason why there is none. */
public sealed interface RelayItem {

    OriginMember member();

    /** Returns the number of the message, or of the first one that is left out. */
    long first();

    /** Returns the number of the message, or of the last one that is left out. */
    long sequence();

    /** A message of {@code member}, for all members of the site or for one of them. */
    record Sent(OriginMember member, long sequence, boolean isForOne, byte[] content) implements RelayItem {
        @Override
        public long first() {
            return sequence;
        }
    }

    /** Messages from {@code first} to {@code sequence} are not for this site, or it had them before. */
    record Skip(OriginMember member, long first, long sequence) implements RelayItem {}

    /** Messages from {@code first} to {@code sequence} are lost: their site could not keep them any longer. */
    record Lost(OriginMember member, long first, long sequence) implements RelayItem {}

    /** Returns what other members are to know of it after a message for one of them was taken: nothing of it is for them. */
    default RelayItem takenByOne() {
        return this instanceof Sent sent && sent.isForOne ? new Skip(sent.member, sent.sequence, sent.sequence) : this;
    }

    /** Smallest size in bytes. */
    int BYTES_MIN = 1 + OriginMember.BYTES_MIN + Long.BYTES;

    default void put(ByteOutput out) {
        switch (this) {
            case Sent sent -> {
                sent.member.put(out.putByte(sent.isForOne ? SENT_TO_ONE : SENT));
                out.putLong(sent.sequence).putBytes(sent.content);
            }
            case Skip skip -> {
                skip.member.put(out.putByte(SKIP));
                out.putLong(skip.first).putLong(skip.sequence);
            }
            case Lost lost -> {
                lost.member.put(out.putByte(LOST));
                out.putLong(lost.first).putLong(lost.sequence);
            }
        }
    }

    /** @throws MalformedException if there is none */
    static RelayItem take(ByteInput in) {
        byte kind = in.takeByte();
        OriginMember member = OriginMember.take(in);
        long first = SiteFrame.takeSequence(in);
        return switch (kind) {
            case SENT -> new Sent(member, first, false, in.takeBytes());
            case SENT_TO_ONE -> new Sent(member, first, true, in.takeBytes());
            case SKIP -> new Skip(member, first, takeLast(in, first));
            case LOST -> new Lost(member, first, takeLast(in, first));
            default -> throw new MalformedException("an item of a stream between sites has kind " + kind);
        };
    }

    private static long takeLast(ByteInput in, long first) {
        long last = in.takeLong();
        if (last < first) {
            throw new MalformedException("messages from " + first + " to " + last);
        }
        return last;
    }

    /** Kinds on the wire. */
    byte SENT = 1;

    byte SENT_TO_ONE = 2;
    byte SKIP = 3;
    byte LOST = 4;
}
