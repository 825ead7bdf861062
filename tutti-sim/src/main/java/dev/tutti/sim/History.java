package dev.tutti.sim;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the members of one group have seen and done, in the order in which it happened. */
public final class History {

    /** One thing at one member. */
    public sealed interface Entry {
        Member member();
    }

    /** The application handed over a message. */
    public record Submitted(Member member, Message message) implements Entry {}

    /** The application wants to know who delivers a message that it has handed over. */
    public record Asked(Member member, Message message) implements Entry {}

    /** The application was told who delivers one of its messages. */
    public record Told(Member member, Message message, Delivery delivery) implements Entry {}

    /** The application received a message. */
    public record Delivered(Member member, Message message) implements Entry {}

    /** The application was told of a view. */
    public record Viewed(Member member, View view) implements Entry {}

    /** The application was told that what follows in this view may not be at all of its members. */
    public record Transition(Member member) implements Entry {}

    /** The application was told that the member is outside of the primary partition, until the next view. */
    public record Suspended(Member member, String reason) implements Entry {}

    /** The member was told that everybody had been asked. */
    public record Joined(Member member) implements Entry {}

    /** The member left. */
    public record Left(Member member, String reason) implements Entry {}

    /** The member's process ended without a word. */
    public record Crashed(Member member) implements Entry {}

    /**
     * A message as the checker knows it.
     *
     * @param sender who handed it over
     * @param receiver null for all members of the group
     * @param isOutOfBand whether it is in no order with others
     * @param index counts the messages of one sender to one receiver, or to all, from 1; those out of band apart
     * @param hash of its content
     */
    public record Message(Member sender, @Nullable Member receiver, boolean isOutOfBand, long index, long hash) {

        /** In order. */
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

    /** Of nothing yet. */
    public History() {
        this.reader = entries::add;
    }

    /** Gives each entry to {@code reader} and keeps none, so that a run of any length takes little memory. */
    public History(Consumer<Entry> reader) {
        this.reader = reader;
    }

    public void add(Entry entry) {
        reader.accept(entry);
    }

    /** In order; grows with the history, unless it has a reader. */
    public List<Entry> entries() {
        return Collections.unmodifiableList(entries);
    }
}
