package dev.tutti.tomcat.replication.state;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.tomcat.replication.base.Waiting;
import dev.tutti.tomcat.replication.session.SessionMessage.StateChunk;
import dev.tutti.tomcat.replication.session.SessionMessage.StateRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the sessions of the members that this one met in a view.
 *
 * <p>The members of a view fall into parts that came together from one view, and by virtual synchrony all members of a
 * part have the same sessions at the moment of the view. So every member asks one member of each other part, the
 * oldest, for all its sessions, a chunk at a time; later changes arrive as ordinary messages. When that member leaves,
 * the next of its part is asked to go on.
 *
 * <p>The member that is asked may itself still be fetching sessions of parts that it met in an earlier view. It then
 * answers when it has them; see {@link #isBehind}.
 */
final class StatePull {

    private static final int NAMED_MAX = 64;

    private static final class Part {
        final long pull;
        final long viewNumber;
        final List<Member> sources;
        @Nullable UUID after;
        long sessions;
        boolean isMoving = true;

        Part(long pull, long viewNumber, List<Member> sources) {
            this.pull = pull;
            this.viewNumber = viewNumber;
            this.sources = sources;
        }
    }

    /** A request, and the member to which to send it, or its answer. */
    record Request(Member receiver, StateRequest message) {}

    /** Number of sessions fetched from a member, by name; of the last {@value #NAMED_MAX} members. */
    private final LinkedHashMap<String, String> taken = new LinkedHashMap<>();

    private final LinkedHashMap<Long, Part> parts = new LinkedHashMap<>();
    private CompletableFuture<Void> complete = new CompletableFuture<>();
    private long pulls;
    private boolean hasView;
    private boolean hasTaken;

    /** Returns a future that completes when all sessions are here; a new one after a view with newcomers. */
    synchronized CompletableFuture<Void> complete() {
        return complete;
    }

    synchronized boolean isComplete() {
        return hasView && parts.isEmpty();
    }

    /** Returns whether all sessions of at least one other member have arrived. */
    synchronized boolean hasTaken() {
        return hasTaken;
    }

    /** Returns the requests to send; adds members that left before all their sessions arrived to {@code lost}. */
    synchronized List<Request> onView(View view, Member self, List<String> lost) {
        hasView = true;
        List<Request> requests = new ArrayList<>();
        for (Iterator<Part> iterator = parts.values().iterator(); iterator.hasNext(); ) {
            Part part = iterator.next();
            Member asked = part.sources.getFirst();
            part.sources.retainAll(view.members());
            if (part.sources.isEmpty()) {
                iterator.remove();
                lost.add(asked.name());
            } else if (!part.sources.getFirst().equals(asked)) {
                requests.add(request(part));
            }
        }
        Set<Member> placed = new HashSet<>(view.transitionalSet(self));
        for (Member member : view.members()) {
            if (!placed.contains(member)) {
                Set<Member> together = view.transitionalSet(member);
                placed.addAll(together);
                List<Member> sources = new ArrayList<>(view.members());
                sources.retainAll(together);
                Part part = new Part(++pulls, view.id().number(), sources);
                parts.put(part.pull, part);
                requests.add(request(part));
            }
        }
        settle();
        return requests;
    }

    /** Notes a chunk; returns the next request, null if there is none. */
    synchronized @Nullable Request onChunk(Member sender, StateChunk chunk) {
        Part part = parts.get(chunk.pull());
        if (part == null || !part.sources.getFirst().equals(sender)) {
            return null;
        }
        part.isMoving = true;
        part.sessions += chunk.images().size();
        if (!chunk.images().isEmpty()) {
            part.after = chunk.images().getLast().uid();
        }
        if (!chunk.isLast()) {
            return request(part);
        }
        parts.remove(chunk.pull());
        hasTaken = true;
        taken.putLast(sender.name(), part.sessions + " sessions");
        if (taken.size() > NAMED_MAX) {
            taken.pollFirstEntry();
        }
        settle();
        return null;
    }

    /** Returns the requests to repeat: those for which nothing has arrived since the last call. */
    synchronized List<Request> onTick() {
        List<Request> requests = new ArrayList<>();
        for (Part part : parts.values()) {
            if (!part.isMoving) {
                requests.add(request(part));
            }
            part.isMoving = false;
        }
        return requests;
    }

    /**
     * Returns whether a member that met this one in view {@code viewNumber} has to wait for its sessions, because this
     * one is still fetching some that it should have had in that view. Waiting follows the order of views, so it has no
     * cycle.
     */
    synchronized boolean isBehind(long viewNumber) {
        for (Part part : parts.values()) {
            if (part.viewNumber < viewNumber) {
                return true;
            }
        }
        return false;
    }

    synchronized Map<String, Object> status() {
        Map<String, Object> status = new LinkedHashMap<>();
        for (Part part : parts.values()) {
            status.put(part.sources.getFirst().name(), part.after == null ? "asked" : "up to " + part.after);
        }
        return status;
    }

    /** Returns the members whose sessions have all been fetched, by name, with the number of sessions. */
    synchronized Map<String, Object> taken() {
        return new LinkedHashMap<>(taken);
    }

    private static Request request(Part part) {
        return new Request(part.sources.getFirst(), new StateRequest(part.pull, part.viewNumber, part.after));
    }

    private void settle() {
        if (parts.isEmpty()) {
            complete.complete(null);
        } else if (complete.isDone()) {
            complete = new CompletableFuture<>();
        }
    }
}
