package dev.tutti.sites.internal.resync;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.sites.internal.relay.SequenceVector;
import dev.tutti.sites.internal.relay.SiteFrame;
import java.util.List;
import java.util.Map;

/**
 * Messages that a site's state contains.
 *
 * @param begunMillis origin of the state, see {@link Lineage}
 * @param behind sites of whose messages some are lost to the state
 * @param delivered messages of each site, those of the state's own site included
 */
public record Cut(long begunMillis, List<String> behind, Map<String, SequenceVector> delivered) {

    /** Returns whether all of the wanted messages are among the delivered ones, site by site. */
    public static boolean covers(Map<String, SequenceVector> delivered, Map<String, SequenceVector> wanted) {
        return wanted.entrySet().stream()
                .allMatch(each -> delivered.getOrDefault(each.getKey(), new SequenceVector()).covers(each.getValue()));
    }

    public byte[] encode() {
        ByteOutput out = new ByteOutput();
        out.putLong(begunMillis);
        SiteFrame.putList(out, behind, out::putText);
        SequenceVector.putAll(out, delivered);
        return out.copy();
    }

    /** @throws dev.tutti.blocks.codec.MalformedException if the bytes are none */
    public static Cut decode(byte[] bytes) {
        ByteInput in = new ByteInput(bytes);
        Cut cut = new Cut(
                in.takeLong(), SiteFrame.takeList(in, Integer.BYTES, ByteInput::takeText), SequenceVector.takeAll(in));
        in.end();
        return cut;
    }
}
