package dev.tutti.sites.internal.relay;

import static java.util.Objects.requireNonNull;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.sites.internal.log.OriginMember;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Sends of members of this site that have come before earlier messages of the same sender. A member that gives up the
 * state of its part of the site hands over that part's messages; a send that it had begun before may come first. It
 * waits here, and its sender's later ones behind it, until the messages before it were handed over. Not thread-safe.
 */
public final class EarlySends {

    /** Messages that may wait; beyond them, none is waited for. */
    public static final int WAITING_MAX = 1 << 16;

    private final TreeMap<OriginMember, ArrayDeque<SiteFrame>> waiting = new TreeMap<>();
    private int count;

    /**
     * Keeps a message back if others of its sender have to come before it.
     *
     * @param seen messages of this site that have come
     * @return false if it is not kept back
     */
    public boolean keepBack(OriginMember sender, SiteFrame frame, SequenceVector seen) {
        if (!waiting.containsKey(sender) && first(frame) <= seen.of(sender) + 1) {
            return false;
        }
        waiting.computeIfAbsent(sender, key -> new ArrayDeque<>()).add(frame);
        count++;
        return true;
    }

    /** Returns the number of a message; 0 if other sites do not get it, and it has none. */
    private static long first(SiteFrame frame) {
        return frame instanceof SiteFrame.Everywhere sent ? sent.sequence() : 0;
    }

    /**
     * Releases messages whose predecessors have come.
     *
     * @param seen messages of this site that have come; {@code to} adds those that it gets
     */
    public void release(SequenceVector seen, BiConsumer<OriginMember, SiteFrame> to) {
        for (OriginMember sender : List.copyOf(waiting.keySet())) {
            ArrayDeque<SiteFrame> frames = requireNonNull(waiting.get(sender));
            while (!frames.isEmpty() && first(frames.getFirst()) <= seen.of(sender) + 1) {
                count--;
                to.accept(sender, frames.removeFirst());
            }
            if (frames.isEmpty()) {
                waiting.remove(sender);
            }
        }
    }

    /** Releases all messages, whose predecessors are not waited for. */
    public void releaseAll(BiConsumer<OriginMember, SiteFrame> to) {
        waiting.forEach((sender, frames) -> frames.forEach(frame -> to.accept(sender, frame)));
        waiting.clear();
        count = 0;
    }

    /** Returns, for each of some senders, the number of the last message that its first one here waits for. */
    public SequenceVector missingOf(Predicate<OriginMember> of) {
        SequenceVector missing = new SequenceVector();
        waiting.forEach((sender, frames) -> {
            if (of.test(sender)) {
                missing.raise(sender, first(frames.getFirst()) - 1);
            }
        });
        return missing;
    }

    /** Returns the number of messages that wait. */
    public int count() {
        return count;
    }

    public void put(ByteOutput out) {
        out.putInt(count);
        waiting.forEach((sender, frames) -> frames.forEach(frame -> {
            sender.put(out);
            out.putBytes(frame.encode());
        }));
    }

    /** Replaces all by what {@link #put} has put. @throws MalformedException if it is none */
    public void take(ByteInput in) {
        waiting.clear();
        count = in.takeCount(OriginMember.BYTES_MIN + Integer.BYTES);
        if (count > WAITING_MAX) {
            throw new MalformedException(count + " messages wait for earlier ones, and at most " + WAITING_MAX + " can");
        }
        for (int i = 0; i < count; i++) {
            OriginMember sender = OriginMember.take(in);
            waiting.computeIfAbsent(sender, key -> new ArrayDeque<>()).add(SiteFrame.decode(ByteBuffer.wrap(in.takeBytes())));
        }
    }
}
