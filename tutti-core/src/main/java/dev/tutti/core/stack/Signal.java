package dev.tutti.core.stack;

import dev.tutti.core.Delivery;
import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Signal between the layers of a stack. Signals are rare: they concern members and views, never messages. They are
 * grouped by conversation.
 */
public sealed interface Signal {

    /**
     * Conversation with the node about other members: {@link Opened}, {@link MessageLimit} and {@link Closed} go up from
     * the node, {@link Expel} and {@link Distrusted} go down to it.
     */
    sealed interface Peer extends Signal {

        /**
         * A session with a member of this group exists from now on.
         *
         * @param version highest version of the group's packets that the member speaks
         */
        record Opened(Member member, int version) implements Peer {}

        /** The longest message that a member takes, told before it is {@link Opened}. */
        record MessageLimit(Member member, long bytes) implements Peer {}

        /**
         * The session with a member is over; packets that it had sent and were not yet processed are lost.
         *
         * @param isGraceful it said goodbye
         */
        record Closed(Member member, boolean isGraceful, String reason) implements Peer {}

        /** The session with a member is to be closed, because nothing comes back from it. */
        record Expel(Member member, String reason) implements Peer {}

        /** A member is left out of views, or not followed, for a while; people should know. */
        record Distrusted(Member member, String reason) implements Peer {}
    }

    /**
     * Conversation of a view change. Membership signals {@link Freeze}, {@link Flush}, {@link Installed} and {@link
     * ViewStable} up; the layers above it answer with {@link Frozen} and {@link Flushed}. {@link Installed} goes down to
     * the node, too.
     */
    sealed interface ViewChange extends Signal {

        /**
         * Deliver no more multicasts of the view, send none, and answer with {@link Frozen}. Packets to single members belong to no view: reliable
         * layers send and deliver them meanwhile.
         */
        record Freeze(ViewId ballot) implements ViewChange {}

        /**
         * Answers {@link Freeze}. The highest layer turns the one into the other, so that all its packets are below it
         * when the answer passes the layer that counts packets.
         *
         * @param received per sender, the number of the last packet delivered without gap
         */
        record Frozen(ViewId ballot, TreeMap<Member, Long> received) implements ViewChange {}

        /**
         * Get the packets missing up to the cut, deliver them, and answer with {@link Flushed}.
         *
         * @param holders holder of each sender of which packets may be missing
         */
        record Flush(ViewId ballot, TreeMap<Member, Long> cut, TreeMap<Member, Member> holders) implements ViewChange {}

        /** Answers {@link Flush}: everything up to the cut is delivered. */
        record Flushed(ViewId ballot) implements ViewChange {}

        /**
         * A view is installed.
         *
         * @param version highest version of packets that all members of the view speak. A member takes packets of any
         *     version that it speaks, at any time, but sends those of later versions only in such a view
         * @param isSteady packets may flow in the view; else a newer ballot is already promised
         */
        record Installed(View view, int version, boolean isSteady) implements ViewChange {}

        /** All members of this member's part have the installed view or a later one: older packets can be freed. */
        record ViewStable(View view) implements ViewChange {}
    }

    /**
     * Conversation about the primary partition. Membership signals {@link Load} and {@link Store} down to the node, which
     * answers with {@link Loaded} and {@link Stored}; it signals {@link Suspended} up to the application.
     */
    sealed interface Primary extends Signal {

        /** Load the record of this member in the group, from this run of its node or an earlier one. */
        record Load() implements Primary {}

        /** Answers {@link Load}: the record that was stored last, null if there is none. */
        record Loaded(@Nullable Packet record) implements Primary {}

        /**
         * Store this record in place of the previous one.
         *
         * @param number of this record, for the answer; they grow
         */
        record Store(long number, Packet record) implements Primary {}

        /** Answers {@link Store}: the record outlasts the process now. */
        record Stored(long number) implements Primary {}

        /**
         * In a group of which one part goes on, the member is not in it as far as it knows, and pauses until the next
         * view.
         *
         * @param reason for people: the missing members
         */
        record Suspended(String reason) implements Primary {}
    }

    /**
     * Conversation about the bytes to be sent. {@link Submitted} goes down from the application to packing, {@link Window}
     * and {@link StreamReset} go up from reliability to packing, {@link Allowance} goes up to packing from a layer of the user, {@link Processor} goes up from the node.
     */
    sealed interface Flow extends Signal {

        /** The application has submitted messages. */
        record Submitted() implements Flow {}

        /**
         * Number of payload bytes that may have been sent, counted from the start of the stream. A unicast stream starts
         * with a whole window, unless this signal changes it.
         *
         * @param receiver receiver of a unicast stream; null for the stream to all
         * @param limitBytes absolute; goes back only in a view with a member from another part that has not opened its
         *     window yet
         * @param waitsFor member that closes the window, for people; null while it is open
         */
        record Window(@Nullable Member receiver, long limitBytes, @Nullable Member waitsFor) implements Flow {}

        /**
         * Bytes that may be taken of the application's messages from now on, to whomever: for a layer that slows its
         * member's sends down. The packet that exhausts them is still taken whole. Unlimited without this signal.
         *
         * @param bytes 0 or negative if nothing may be taken before the next signal
         * @param reason for people, while nothing may be taken
         */
        record Allowance(long bytes, String reason) implements Flow {}

        /** A unicast stream has started anew, or has ended: its packets that were not acknowledged are lost. */
        record StreamReset(Member receiver, boolean isMember) implements Flow {}

        /** Reports whether the CPU is saturated, so that a layer can trade CPU for bandwidth. */
        record Processor(boolean isBusy) implements Flow {}
    }

    /** Conversation of the layers that order messages with those above them, up to the application. */
    sealed interface Ordering extends Signal {

        /** Requests one more turn end, after the layers above have acted, too. */
        record Again() implements Ordering {}

        /**
         * In a group with safe delivery, messages from here until the next view were not known to be at all members of
         * this one. The transitional set delivers them.
         */
        record Transition() implements Ordering {}
    }

    /** Conversation about the members that deliver a message, up from reliability to the application. */
    sealed interface Receipts extends Signal {

        /**
         * There is new knowledge about the members that deliver a packet. The first signal comes when the packet is sent.
         *
         * @param ticket ticket of the packet, see {@link Packet#ticket}
         */
        record Known(long ticket, Delivery delivery) implements Receipts {}
    }

    /**
     * Conversation about the end of this member. {@link Leave} goes down from the application, {@link Left} and {@link
     * Failed} go down to the node.
     */
    sealed interface Departure extends Signal {

        /** Finish accepted messages and say goodbye; each layer passes the signal on when its part is done. */
        record Leave() implements Departure {}

        /** The member has finished: the others may be told that it is gone. */
        record Left(String reason) implements Departure {}

        /** The member can't go on: it leaves without a goodbye. */
        record Failed(String reason) implements Departure {}
    }
}
