package dev.tutti.blocks.machine;

import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which commands the state has in it: for each member the number of its last one. Numbers of a member grow, so that nothing is
 * applied twice, and who comes back from another side learns what this one has of it. A part of the state.
 */
final class Applied {

    /** Members that are gone and may come back, as the same, from another side. */
    private static final int GONE_MAX = 1_024;

    private static final int MEMBERS_MAX = 1 << 16;

    /** Those of the view, and before them who is gone, the longest ago first. */
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

    /** @return false if it is in the state already */
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

    Applied copy() {
        return new Applied(new LinkedHashMap<>(last));
    }

    void write(DataOutputStream out) throws IOException {
        out.writeInt(last.size());
        for (Map.Entry<Member, Long> entry : last.entrySet()) {
            Member member = entry.getKey();
            out.writeLong(member.node().incarnation());
            out.writeUTF(member.node().name());
            out.writeUTF(member.node().address());
            out.writeInt(member.join());
            out.writeLong(entry.getValue());
        }
    }

    static Applied read(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > MEMBERS_MAX) {
            throw new MalformedException("a state with commands of " + count + " members, at most " + MEMBERS_MAX);
        }
        Map<Member, Long> last = new LinkedHashMap<>();
        for (int index = 0; index < count; index++) {
            NodeId node = new NodeId(in.readLong(), in.readUTF(), in.readUTF());
            last.put(new Member(node, in.readInt()), in.readLong());
        }
        return new Applied(last);
    }

    @Override
    public String toString() {
        return last.toString();
    }
}
