package dev.tutti.sites.internal.log;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import java.util.ArrayList;
import java.util.List;

/**
 * A message that is kept for other sites.
 *
 * @param member its sender
 * @param sequence the sender's number for it, from 1
 * @param reach the sites that get it; all sites if empty
 * @param isForOne whether one member of each site gets it, and not all members
 * @param content its bytes, which nobody changes
 */
@SuppressWarnings("ArrayRecordComponent") // an entry is compared with nothing
public record Entry(OriginMember member, long sequence, List<String> reach, boolean isForOne, byte[] content) {

    /** Smallest size in bytes. */
    public static final int BYTES_MIN = OriginMember.BYTES_MIN + Long.BYTES + 2 * Integer.BYTES + 1;

    /** Bytes that an entry counts with besides its content. */
    public static final int OVERHEAD_BYTES = 64;

    public Entry {
        reach = List.copyOf(reach);
    }

    /** Returns the bytes that it counts with in bounds and windows. */
    public long cost() {
        return OVERHEAD_BYTES + content.length;
    }

    public void put(ByteOutput out) {
        member.put(out);
        out.putLong(sequence).putInt(reach.size());
        reach.forEach(out::putText);
        out.putBoolean(isForOne).putBytes(content);
    }

    /** @throws dev.tutti.blocks.codec.MalformedException if there is none */
    public static Entry take(ByteInput in) {
        OriginMember member = OriginMember.take(in);
        long sequence = in.takeLong();
        int count = in.takeCount(Integer.BYTES);
        List<String> reach = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            reach.add(in.takeText());
        }
        return new Entry(member, sequence, reach, in.takeBoolean(), in.takeBytes());
    }
}
