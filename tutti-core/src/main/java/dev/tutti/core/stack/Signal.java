package dev.tutti.core.stack;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Signal between the layers of a stack. Signals are rare: they concern members and views, never messages. */
public sealed interface Signal {

    // ------------------------------------------------------------------ up, from the node

    /** A session with a member of this group exists from now on. */
    record Opened(Member member) implements Signal {}

    /** The longest message that a member takes, told before it is {@link Opened}. */
    record MessageLimit(Member member, long bytes) implements Signal {}

    /**
     * The session with a member is over; packets that it had sent and were not yet processed are lost.
     *
     * @param isGraceful it said goodbye
     */
    record Closed(Member member, boolean isGraceful, String reason) implements Signal {}

    /** Answers {@link Load}: the record that was stored last, null if there is none. */
    record Loaded(@Nullable Packet record) implements Signal {}

    /** Answers {@link Store}: the record outlasts the process now. */
    record Stored(long number) implements Signal {}

    /** Reports whether the CPU is saturated, so that a layer can trade CPU for bandwidth. */
    record Processor(boolean isBusy) implements Signal {}

    // ------------------------------------------------------------------ up, from membership

    /**
     * In a group of which one part goes on, the member is not in it as far as it knows, and pauses until the next view.
     *
     * @param reason for people: the missing members
     */
    record Suspended(String reason) implements Signal {}

    /** Deliver nothing more of the view, send nothing, and answer with {@link Frozen}. */
    record Freeze(ViewId ballot) implements Signal {}

    /**
     * Get the packets missing up to the cut, deliver them, and answer with {@link Flushed}.
     *
     * @param holders holder of each sender of which packets may be missing
     */
    record Flush(ViewId ballot, TreeMap<Member, Long> cut, TreeMap<Member, Member> holders) implements Signal {}

    /** A view is installed. If {@code isSteady}, packets may flow in it; else a newer ballot is already promised. */
    record Installed(View view, boolean isSteady) implements Signal {}

    /** All members of this member's part have the installed view or a later one: older packets can be freed. */
    record ViewStable(View view) implements Signal {}

    // ------------------------------------------------------------------ down, to membership

    /**
     * Answers {@link Freeze}. The highest layer turns the one into the other, so that all its packets are below it when
     * the answer passes the layer that counts packets.
     *
     * @param received per sender, the number of the last packet delivered without gap
     */
    record Frozen(ViewId ballot, TreeMap<Member, Long> received) implements Signal {}

    /** Answers {@link Flush}: everything up to the cut is delivered. */
    record Flushed(ViewId ballot) implements Signal {}

    // ------------------------------------------------------------------ between reliability and packing

    /**
     * Number of payload bytes that may have been sent, counted from the start of the stream. A unicast stream starts
     * with a whole window, unless this signal changes it.
     *
     * @param receiver receiver of a unicast stream; null for the stream to all
     * @param limitBytes absolute; goes back only in a view with a member from another part that has not opened its window yet
     * @param waitsFor member that closes the window, for people; null while it is open
     */
    record Window(@Nullable Member receiver, long limitBytes, @Nullable Member waitsFor) implements Signal {}

    /** A unicast stream has started anew, or has ended: its packets that were not acknowledged are lost. */
    record StreamReset(Member receiver, boolean isMember) implements Signal {}

    /**
     * There is new knowledge about the members that deliver a packet. The first signal comes when the packet is sent.
     *
     * @param ticket ticket of the packet, see {@link Packet#ticket}
     */
    record Known(long ticket, Delivery delivery) implements Signal {}

    // ------------------------------------------------------------------ up, from order

    /** Requests one more turn end, after the layers above have acted, too. */
    record Again() implements Signal {}

    /**
     * In a group with safe delivery, messages from here until the next view were not known to be at all members of this
     * one. The transitional set delivers them.
     */
    record Transition() implements Signal {}

    // ------------------------------------------------------------------ down, from the application

    /** The application has submitted messages. */
    record Submitted() implements Signal {}

    /** Finish accepted messages and say goodbye; each layer passes the signal on when its part is done. */
    record Leave() implements Signal {}

    // ------------------------------------------------------------------ down, to the node

    /** The member has finished: the others may be told that it is gone. */
    record Left(String reason) implements Signal {}

    /** Load the record of this member in the group, from this run of its node or an earlier one. */
    record Load() implements Signal {}

    /**
     * Store this record in place of the previous one.
     *
     * @param number of this record, for the answer; they grow
     */
    record Store(long number, Packet record) implements Signal {}

    /** The member can't go on: it leaves without a goodbye. */
    record Failed(String reason) implements Signal {}

    /** The session with a member is to be closed, because nothing comes back from it. */
    record Expel(Member member, String reason) implements Signal {}

    /** A member is left out of views, or not followed, for a while; people should know. */
    record Distrusted(Member member, String reason) implements Signal {}
}
