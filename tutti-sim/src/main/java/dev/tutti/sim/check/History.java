package dev.tutti.sim.check;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Events and actions at the members of one group, in the order in which they happened. */
public final class History {

    /** Event at one member. */
    public sealed interface Entry {
        Member member();
    }

    /** The application handed over a message. */
    public record Submitted(Member member, Message message) implements Entry {}

    /** The application asked for a receipt of a message that it has handed over. */
    public record Asked(Member member, Message message) implements Entry {}

    /** The application was told which members deliver one of its messages. */
    public record Told(Member member, Message message, Delivery delivery) implements Entry {}

    /** The application received a message. */
    public record Delivered(Member member, Message message) implements Entry {}

    /** The application was told of a view. */
    public record Viewed(Member member, View view) implements Entry {}

    /** The application was told that further messages in this view may not be at all of its members. */
    public record Transition(Member member) implements Entry {}

    /** The application was told that the member is outside of the primary partition, until the next view. */
    public record Suspended(Member member, String reason) implements Entry {}

    /** The member was told that its join is complete. */
    public record Joined(Member member) implements Entry {}

    /** The member left. */
    public record Left(Member member, String reason) implements Entry {}

    /** The member's process ended without a goodbye. */
    public record Crashed(Member member) implements Entry {}

    /**
     * Message as the checker knows it.
     *
     * @param sender member that handed it over
     * @param receiver null for all members of the group
     * @param isOutOfBand whether it has no order with others
     * @param index counts the messages of one sender to one receiver, or to all, from 1; those out of band apart
     * @param hash hash of its content
     */
    public record Message(Member sender, @Nullable Member receiver, boolean isOutOfBand, long index, long hash) {

        /** Creates a message in order. */
        public Message(Member sender, @Nullable Member receiver, long index, long hash) {
            this(sender, receiver, false, index, hash);
        }

        public boolean isMulticast() {
            return receiver == null;
        }

        @Override
        public String toString() {
            return sender + "#" + index + (isOutOfBand ? " (out of band)" : "") + (receiver == null ? "" : "->" + receiver);
        }
    }

    private final List<Entry> entries = new ArrayList<>();
    private final Consumer<Entry> reader;

    /** Creates an empty history. */
    public History() {
        this.reader = entries::add;
    }

    /** Creates a history that passes each entry to {@code reader} and keeps none, for runs of any length. */
    public History(Consumer<Entry> reader) {
        this.reader = reader;
    }

    public void add(Entry entry) {
        reader.accept(entry);
    }

    /** Returns the entries in order. The list grows with the history, unless there is a reader. */
    public List<Entry> entries() {
        return Collections.unmodifiableList(entries);
    }
}
