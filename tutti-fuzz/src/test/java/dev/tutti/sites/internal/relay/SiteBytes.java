package dev.tutti.sites.internal.relay;

import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.sites.internal.log.Entry;
import dev.tutti.sites.internal.log.OriginMember;
import java.nio.ByteBuffer;
import java.util.List;

/** Opens the decoders of site groups to the fuzzer: messages within a site, and among sites. */
public final class SiteBytes {

    private static final OriginMember SENDER = new OriginMember(7, 1, "n1");

    private SiteBytes() {}

    /** Decodes a message of a site group and delivers what another site has sent; returns its kind. */
    public static String frame(byte[] input) {
        try {
            SiteFrame frame = SiteFrame.decode(ByteBuffer.wrap(input));
            if (frame instanceof SiteFrame.Relayed relayed) {
                ArrivedMessages arrived = new ArrivedMessages(new SequenceVector(), 0);
                arrived.accept(relayed.items(), new Deaf());
                arrived.onView(new Deaf());
            }
            if (frame instanceof SiteFrame.Arrived of) {
                ArrivedMessages arrived = new ArrivedMessages(new SequenceVector(), 0);
                arrived.accept(items(), new Deaf());
                arrived.acceptOfOtherPart(of.items(), new Deaf());
                arrived.onView(new Deaf());
            }
            return frame.getClass().getSimpleName();
        } catch (MalformedException e) {
            return "refused";
        }
    }

    /** Decodes a message among sites; returns its kind. */
    public static String bridge(byte[] input) {
        try {
            return BridgeFrame.decode(ByteBuffer.wrap(input)).getClass().getSimpleName();
        } catch (MalformedException e) {
            return "refused";
        }
    }

    private static List<RelayItem> items() {
        return List.of(
                new RelayItem.Skip(SENDER, 1, 3),
                new RelayItem.Sent(SENDER, 4, false, new byte[] {1, 2}),
                new RelayItem.Lost(SENDER, 5, 6),
                new RelayItem.Sent(SENDER, 8, true, new byte[] {3}));
    }

    private static SequenceVector vector() {
        SequenceVector vector = new SequenceVector();
        vector.raise(SENDER, 9);
        return vector;
    }

    /** Returns one message of each kind. */
    public static List<byte[]> frames() {
        return List.<SiteFrame>of(
                        new SiteFrame.Here(new byte[] {1}),
                        new SiteFrame.Everywhere(1, List.of("paris"), true, new byte[] {1}),
                        new SiteFrame.Relayed("paris", items()),
                        new SiteFrame.Arrived("paris", items()),
                        new SiteFrame.Acknowledged("paris", vector()),
                        new SiteFrame.Added("paris", vector()),
                        new SiteFrame.Forgotten("paris"),
                        new SiteFrame.Recovered(List.of("paris"), vector(), vector(), List.of(new Entry(SENDER, 1, List.of("paris"), false, new byte[] {1}))))
                .stream()
                .map(SiteFrame::encode)
                .toList();
    }

    /** Returns one message of each kind. */
    public static List<byte[]> bridges() {
        BridgeFrame.Announce announce =
                new BridgeFrame.Announce("paris", true, 3, 7, new SitePart(5, 2, List.of("n1"), List.of(5L)), List.of("g"));
        return List.<BridgeFrame>of(
                        new BridgeFrame.Open("g", 1),
                        new BridgeFrame.Begin("g", 1, vector()),
                        new BridgeFrame.Resume("g", 1, vector()),
                        new BridgeFrame.Refuse("g", 1, "why"),
                        new BridgeFrame.Batch("g", 1, items()),
                        new BridgeFrame.Acknowledge("g", 1, vector()),
                        announce,
                        new BridgeFrame.Early(announce),
                        new BridgeFrame.Away("paris", 4))
                .stream()
                .map(BridgeFrame::encode)
                .toList();
    }

    /** Receiver that does nothing. */
    private static final class Deaf implements ArrivedMessages.Receiver {

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public void onMessage(RelayItem.Sent message) {}

        @Override
        public void onLost(OriginMember member, long first, long last) {}
    }
}
