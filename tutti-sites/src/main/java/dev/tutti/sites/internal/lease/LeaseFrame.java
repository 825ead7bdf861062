package dev.tutti.sites.internal.lease;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;

/** Messages about the active site, in the order of each site's group. */
public sealed interface LeaseFrame {

    /** A member of this site was there when it sent this; for its site alone. */
    record Ping(long number) implements LeaseFrame {}

    /**
     * A site asks all sites for their votes, for a term, or for more time in it.
     *
     * @param asker incarnation of the node that asks
     * @param number of the request, never used twice by {@code asker}
     * @param sites hash of the sites that vote, which all have to agree on
     */
    record Request(String site, long term, long asker, long number, int sites) implements LeaseFrame {}

    /**
     * A member of this site has seen that the last promise is over, and proposes the next one; for its site alone. It counts if no
     * other promise was made before it.
     *
     * @param promise number of the promise
     * @param request that it answers
     */
    record Accept(long promise, Request request) implements LeaseFrame {}

    /** The sender's site has voted for a request. */
    record Vote(Request request) implements LeaseFrame {}

    /** The active site shall be this one: another site that is active hands over. */
    record Promote(String site) implements LeaseFrame {}

    /** The sender is no longer active in any term up to this one; for its site alone. */
    record Passive(long term) implements LeaseFrame {}

    /** No member of the sender's site is active in this term any more. The vote for it is free, first for {@code next}. */
    record Release(long term, String next) implements LeaseFrame {}

    default byte[] encode() {
        ByteOutput out = new ByteOutput();
        switch (this) {
            case Ping ping -> out.putByte(PING).putLong(ping.number);
            case Request request -> put(out.putByte(REQUEST), request);
            case Accept accept -> put(out.putByte(ACCEPT).putLong(accept.promise), accept.request);
            case Vote vote -> put(out.putByte(VOTE), vote.request);
            case Promote promote -> out.putByte(PROMOTE).putText(promote.site);
            case Passive passive -> out.putByte(PASSIVE).putLong(passive.term);
            case Release release -> out.putByte(RELEASE).putLong(release.term).putText(release.next);
        }
        return out.copy();
    }

    private static void put(ByteOutput out, Request request) {
        out.putText(request.site).putLong(request.term).putLong(request.asker).putLong(request.number).putInt(request.sites);
    }

    private static Request takeRequest(ByteInput in) {
        return new Request(in.takeText(), in.takeLong(), in.takeLong(), in.takeLong(), in.takeInt());
    }

    /** @throws MalformedException if the bytes are no frame */
    static LeaseFrame decode(byte[] bytes) {
        ByteInput in = new ByteInput(bytes);
        byte kind = in.takeByte();
        LeaseFrame frame =
                switch (kind) {
                    case PING -> new Ping(in.takeLong());
                    case REQUEST -> takeRequest(in);
                    case ACCEPT -> new Accept(in.takeLong(), takeRequest(in));
                    case VOTE -> new Vote(takeRequest(in));
                    case PROMOTE -> new Promote(in.takeText());
                    case PASSIVE -> new Passive(in.takeLong());
                    case RELEASE -> new Release(in.takeLong(), in.takeText());
                    default -> throw new MalformedException("a message about the active site has kind " + kind);
                };
        in.end();
        return frame;
    }

    /** Kinds on the wire. */
    byte PING = 1;

    byte REQUEST = 2;
    byte ACCEPT = 3;
    byte VOTE = 4;
    byte PROMOTE = 5;
    byte PASSIVE = 6;
    byte RELEASE = 7;
}
