package dev.tutti.jcache.internal;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import java.util.ArrayList;
import java.util.List;

/** Commands on a cache, executed at all members in one order. */
public sealed interface CacheCommand {

    /** Returns the number by which the author finds the events of its command; 0 if nobody waits for them. */
    long ticket();

    /** Changes of entries, each made or not by itself. */
    record Commit(long ticket, List<Change> changes) implements CacheCommand {}

    /**
     * Removes all entries.
     *
     * @param isTold whether listeners hear of it
     */
    record Clear(long ticket, boolean isTold) implements CacheCommand {}

    /** Results of a change. */
    enum Result {
        DONE,
        /** The entry is no longer the one that the author has seen. Nothing was changed. */
        OVERTAKEN,
        /** There is no room. Nothing was changed. */
        REFUSED
    }

    /**
     * Result of a command.
     *
     * @param results of the changes, in their order
     * @param removed number of entries that were removed, and had not expired at this member
     */
    record Outcome(List<Result> results, int removed) {}

    /** Maximum number of changes in a command. */
    int CHANGES_MAX = 256;

    byte COMMIT = 1;
    byte CLEAR = 2;

    static Codec<CacheCommand> codec(Serializer serializer) {
        Codec<Change> changes = Change.codec(serializer);
        return Codec.of(in -> take(changes, in), (command, out) -> put(changes, command, out));
    }

    private static void put(Codec<Change> codec, CacheCommand command, ByteOutput out) {
        switch (command) {
            case Commit(long ticket, List<Change> changes) -> {
                out.putByte(COMMIT).putLong(ticket).putInt(changes.size());
                changes.forEach(each -> codec.put(each, out));
            }
            case Clear(long ticket, boolean isTold) -> out.putByte(CLEAR).putLong(ticket).putBoolean(isTold);
        }
    }

    private static CacheCommand take(Codec<Change> codec, ByteInput in) {
        byte kind = in.takeByte();
        long ticket = in.takeLong();
        return switch (kind) {
            case COMMIT -> {
                int count = in.takeCount(1);
                if (count > CHANGES_MAX) {
                    throw new MalformedException(count + " changes in a command, at most " + CHANGES_MAX);
                }
                List<Change> changes = new ArrayList<>();
                for (int index = 0; index < count; index++) {
                    changes.add(codec.take(in));
                }
                yield new Commit(ticket, changes);
            }
            case CLEAR -> new Clear(ticket, in.takeBoolean());
            default -> throw new MalformedException("a command of kind " + kind);
        };
    }
}
