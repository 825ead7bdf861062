package dev.tutti.protocols.reliability;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The installed view, and the streams between this member and each of the others. */
final class PeerStreams {

    private final Member self;
    private final long windowBytes;
    private View view;

    /** Streams by rank, without this member; below, by member. */
    private PeerStream[] all = {};

    private Map<Member, PeerStream> streamOf = new HashMap<>();

    /** Members no longer in the view whose packets the application has not all consumed. */
    private final TreeMap<Member, PeerStream> departed = new TreeMap<>();

    PeerStreams(Member self, long windowBytes) {
        this.self = self;
        this.windowBytes = windowBytes;
        this.view = View.alone(self);
    }

    Member self() {
        return self;
    }

    View view() {
        return view;
    }

    /** Returns the streams in the order of the view. The array is not to be changed. */
    PeerStream[] all() {
        return all;
    }

    /** Returns the stream of a member; null for this member itself, and for one that is not in the view. */
    @Nullable PeerStream find(Member member) {
        return streamOf.get(member);
    }

    /** Returns the stream of a member of the view other than this one. */
    PeerStream get(Member member) {
        PeerStream stream = streamOf.get(member);
        if (stream == null) {
            throw new IllegalStateException(member + " is not in " + view);
        }
        return stream;
    }

    /** Returns the stream of the member with a rank; null for this member itself, and for an invalid rank. */
    @Nullable PeerStream ofRank(int rank) {
        return 0 <= rank && rank < view.size() ? streamOf.get(view.members().get(rank)) : null;
    }

    /** Returns the stream of the member that a packet names by its numbers; null if it is not in the view. */
    @Nullable PeerStream of(long incarnation, int join) {
        for (PeerStream stream : all) {
            if (stream.member().node().incarnation() == incarnation && stream.member().join() == join) {
                return stream;
            }
        }
        return null;
    }

    /**
     * Starts a view. Streams of members that come along continue; others begin, which is signalled, or end.
     *
     * @param part members that come along, this one included
     * @param sentBytes bytes that this member has multicast
     * @param repairs receiver of the copies of the view that ends
     * @return the streams that end; their members are in the next view if they come from another part
     */
    List<PeerStream> startView(View next, Set<Member> part, long sentBytes, Repairs repairs, Outbox out) {
        Set<Member> newcomers = next.newcomers();
        boolean isSelfNew = newcomers.contains(self);
        Map<Member, PeerStream> nextStreamOf = new HashMap<>();
        List<PeerStream> nextStreams = new ArrayList<>();
        for (Member member : next.members()) {
            if (member.equals(self)) {
                continue;
            }
            PeerStream stream = streamOf.get(member);
            if (stream == null || !part.contains(member)) {
                boolean isFresh = isSelfNew || newcomers.contains(member);
                out.raise(new Signal.Flow.StreamReset(member, true));
                if (!isFresh) {
                    out.raise(new Signal.Flow.Window(member, 0, member));
                }
                PeerStream before = stream == null ? departed.get(member) : stream;
                stream = new PeerStream(member, next.id().number(), sentBytes, windowBytes, isFresh, before);
            }
            nextStreams.add(stream);
            nextStreamOf.put(member, stream);
        }
        List<PeerStream> ended = new ArrayList<>();
        for (PeerStream stream : all) {
            stream.clearAhead(DropReason.OLD_VIEW, out);
            repairs.keep(stream.member(), stream.startView());
            if (nextStreamOf.get(stream.member()) != stream) {
                stream.free();
                departed.put(stream.member(), stream);
                ended.add(stream);
            }
        }
        departed.values().removeIf(stream -> next.contains(stream.member()) || !stream.hasBacklog());
        all = nextStreams.toArray(PeerStream[]::new);
        streamOf = nextStreamOf;
        view = next;
        return ended;
    }

    void free() {
        for (PeerStream stream : all) {
            stream.free();
        }
        departed.values().forEach(PeerStream::free);
    }
}
