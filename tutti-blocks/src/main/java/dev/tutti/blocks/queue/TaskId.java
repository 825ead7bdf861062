package dev.tutti.blocks.queue;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.MemberCodec;
import dev.tutti.core.Member;

/**
 * Identity of a task, on all sides of a partition.
 *
 * @param by member that has offered it
 * @param number counts the tasks that this member has offered
 */
public record TaskId(Member by, long number) implements Comparable<TaskId> {

    static final Codec<TaskId> CODEC = Codec.of(
            in -> new TaskId(MemberCodec.MEMBER.take(in), in.takeLong()),
            (id, out) -> {
                MemberCodec.MEMBER.put(id.by, out);
                out.putLong(id.number);
            });

    @Override
    public int compareTo(TaskId other) {
        int order = by.compareTo(other.by);
        return order != 0 ? order : Long.compare(number, other.number);
    }

    @Override
    public String toString() {
        return by + "/" + number;
    }
}
