package dev.tutti.blocks.machine;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.internal.MemberCodec;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The commands in the state: for each member the number of its last one. Numbers of a member rise, so that nothing is
 * applied twice, and a member that comes back from another side learns which of its commands are in this one. A part of
 * the state.
 */
final class Applied {

    /** Maximum number of former members that are remembered, since they may come back from another side. */
    private static final int GONE_MAX = 1_024;

    /** Former members, those that left first coming first, and then the members of the view. */
    private final Map<Member, Long> last;

    Applied() {
        this(new LinkedHashMap<>());
    }

    private Applied(Map<Member, Long> last) {
        this.last = last;
    }

    long last(Member member) {
        return last.getOrDefault(member, 0L);
    }

    /** @return false if the command is in the state already */
    boolean add(Member member, long number) {
        if (number <= last(member)) {
            return false;
        }
        last.put(member, number);
        return true;
    }

    void onView(View view) {
        Map<Member, Long> present = new LinkedHashMap<>();
        for (Member member : view.members()) {
            Long number = last.remove(member);
            if (number != null) {
                present.put(member, number);
            }
        }
        List<Member> gone = new ArrayList<>(last.keySet());
        for (int index = 0; index < gone.size() - GONE_MAX; index++) {
            last.remove(gone.get(index));
        }
        last.putAll(present);
    }

    void put(ByteOutput out) {
        out.putInt(last.size());
        last.forEach((member, number) -> {
            MemberCodec.MEMBER.put(member, out);
            out.putLong(number);
        });
    }

    static Applied take(ByteInput in) {
        int count = in.takeCount(MemberCodec.BYTES_MIN + Long.BYTES);
        Map<Member, Long> last = new LinkedHashMap<>();
        for (int index = 0; index < count; index++) {
            last.put(MemberCodec.MEMBER.take(in), in.takeLong());
        }
        return new Applied(last);
    }

    @Override
    public String toString() {
        return last.toString();
    }
}
