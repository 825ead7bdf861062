package dev.tutti.protocols.packing;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Turns of members that send messages larger than a share of the memory in which members assemble messages.
 *
 * <p>The coordinator of the view grants them in the order of requests, as long as the messages in flight fit into the
 * memory together, and always at least one. A member asks for one message at a time, so that no member with a turn
 * waits for another. Receivers never make a sender wait: they get the first pieces of several senders in different
 * orders, and would wait for each other. Every view begins without turns. A message to one member that is half sent
 * continues in it, and the new coordinator is told.
 */
final class Turns {

    /** Kinds of control messages. The ordinal is the code on the wire. */
    enum Kind {
        /** A member wants to send a message. */
        ASK,
        /** The member may send it. */
        GRANT,
        /** The member has sent it, or does not want to any more. */
        END,
        /** The member is sending one, perhaps since an earlier view. */
        HOLD,
        /** The member has no turn yet, and those that have one make progress. */
        WAIT
    }

    /** @param number number among its sender's turns */
    record Word(Kind kind, long view, int number, long bytes) {

        private static final Kind[] KINDS = Kind.values();

        /** Reads a word and leaves the packet unchanged, since it counts as it arrived; null if it can't be decoded. */
        static @Nullable Word read(Packet packet) {
            int at = packet.offset();
            if (packet.length() != BYTES) {
                return null;
            }
            int kind = packet.bytes().get(at + 1);
            long bytes = packet.bytes().getLong(at + 14);
            if (kind < 0 || KINDS.length <= kind || bytes < 0 || Reassembly.MESSAGE_BYTES_MAX < bytes) {
                return null;
            }
            return new Word(KINDS[kind], packet.bytes().getLong(at + 2), packet.bytes().getInt(at + 10), bytes);
        }

        void write(Packet packet) {
            packet.appendByte(Records.TURN)
                    .appendByte(kind.ordinal())
                    .appendLong(view)
                    .appendInt(number)
                    .appendLong(bytes);
        }
    }

    /** Word to be sent. */
    record Addressed(Member receiver, Word word) {}

    /** Message of this member that waits for its turn, or has it. */
    private static final class Wish {
        private final @Nullable Member receiver;
        private final Submissions.Large large;
        private int number;
        private boolean isGranted;
        private long toldBytes;

        Wish(@Nullable Member receiver, Submissions.Large large) {
            this.receiver = receiver;
            this.large = large;
        }
    }

    /** Bytes of a word, with the kind of the record before it. */
    static final int BYTES = 1 + 1 + 8 + 4 + 8;

    /** Bytes of a message after which waiting members are told of its progress: sends without progress would fail. */
    private static final int PROGRESS_BYTES = 1 << 20;

    private final Member self;
    private final Submissions submissions;
    private final ArrayDeque<Addressed> words = new ArrayDeque<>();
    private View view;
    private long budgetBytes = Long.MAX_VALUE;
    private @Nullable Wish wish;
    private int asked;
    private long taken;

    // State of the coordinator.
    private final LinkedHashMap<Member, Word> waiting = new LinkedHashMap<>();
    private final TreeMap<Member, Word> granted = new TreeMap<>();

    /** Latest word of each member that is in the next view already. */
    private final TreeMap<Member, Word> early = new TreeMap<>();

    Turns(Member self, Submissions submissions) {
        this.self = self;
        this.submissions = submissions;
        this.view = View.alone(self);
    }

    /** Sets the memory for messages that have turns. */
    void budget(long bytes) {
        budgetBytes = bytes;
    }

    void startView(View next) {
        view = next;
        words.clear();
        waiting.clear();
        granted.clear();
        Wish begun = wish;
        wish = null;
        if (begun != null
                && begun.receiver != null
                && submissions.takenInTurn(begun.receiver, begun.large.number()) >= 0) {
            begun.number = ++asked;
            wish = begun;
            tell(view.coordinator(), word(Kind.HOLD, begun));
        }
        List<Map.Entry<Member, Word>> due = List.copyOf(early.entrySet());
        early.clear();
        for (Map.Entry<Member, Word> entry : due) {
            onWord(entry.getKey(), entry.getValue());
        }
    }

    // ------------------------------------------------------------------ who wants a turn

    /**
     * Asks for a turn, unless this member waits for one or has one already.
     *
     * @return whether it has one now
     */
    boolean ask(@Nullable Member receiver, Submissions.Large large) {
        if (wish != null) {
            return false;
        }
        Wish next = new Wish(receiver, large);
        next.number = ++asked;
        wish = next;
        tell(view.coordinator(), word(Kind.ASK, next));
        return next.isGranted;
    }

    /** Returns the turn if its message was sent or withdrawn, and reports its progress. */
    void settle() {
        Wish own = wish;
        if (own == null) {
            return;
        }
        long taken = own.isGranted ? submissions.takenInTurn(own.receiver, own.large.number()) : -1;
        boolean isOver = own.isGranted ? taken < 0 : !own.large.equals(submissions.wantsTurn(own.receiver));
        if (isOver) {
            wish = null;
            tell(view.coordinator(), word(Kind.END, own));
        } else if (taken - own.toldBytes >= PROGRESS_BYTES) {
            own.toldBytes = taken;
            tell(view.coordinator(), word(Kind.HOLD, own));
        }
    }

    /** Returns whether the message at the head of this queue waits for its turn. */
    boolean isAwaited(@Nullable Member receiver) {
        return submissions.wantsTurn(receiver) != null;
    }

    private Word word(Kind kind, Wish own) {
        return new Word(kind, view.id().number(), own.number, own.large.bytes());
    }

    private void tell(Member receiver, Word word) {
        if (receiver.equals(self)) {
            onWord(self, word);
        } else {
            words.add(new Addressed(receiver, word));
        }
    }

    @Nullable Addressed takeWord() {
        return words.poll();
    }

    boolean hasWords() {
        return !words.isEmpty();
    }

    // ------------------------------------------------------------------ words

    void onWord(Member from, Word word) {
        long number = view.id().number();
        if (word.view() > number) {
            early.put(from, word);
        }
        if (word.view() != number || !view.contains(from)) {
            return;
        }
        switch (word.kind()) {
            case ASK -> {
                granted.remove(from);
                waiting.put(from, word);
                grant();
            }
            case HOLD -> {
                granted.put(from, word);
                tellWaiting();
            }
            case END -> {
                remove(granted, from, word);
                remove(waiting, from, word);
                grant();
                tellWaiting();
            }
            case GRANT -> onGranted(word);
            case WAIT -> {
                Wish own = wish;
                if (own != null && own.number == word.number()) {
                    submissions.onQueueMoved(own.receiver, own.large.number());
                }
            }
        }
    }

    private void tellWaiting() {
        waiting.forEach((member, asked) -> tell(member, new Word(Kind.WAIT, asked.view(), asked.number(), asked.bytes())));
    }

    private static void remove(Map<Member, Word> words, Member from, Word ended) {
        Word present = words.get(from);
        if (present != null && present.number() == ended.number()) {
            words.remove(from);
        }
    }

    private void onGranted(Word word) {
        Wish own = wish;
        if (own == null || own.number != word.number() || own.isGranted) {
            return;
        }
        own.isGranted = true;
        taken++;
        submissions.giveTurn(own.receiver, own.large.number());
    }

    private void grant() {
        while (!waiting.isEmpty()) {
            Map.Entry<Member, Word> first = waiting.firstEntry();
            Word asked = first.getValue();
            long underWay = 0;
            for (Word one : granted.values()) {
                underWay += one.bytes();
            }
            if (!granted.isEmpty() && underWay + asked.bytes() > budgetBytes) {
                return;
            }
            waiting.pollFirstEntry();
            granted.put(first.getKey(), asked);
            tell(first.getKey(), new Word(Kind.GRANT, asked.view(), asked.number(), asked.bytes()));
        }
    }

    /** Returns the number of turns that this member has had. */
    long taken() {
        return taken;
    }
}
