package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.tomcat.replication.SessionMessage.StateChunk;
import dev.tutti.tomcat.replication.SessionMessage.StateRequest;
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
 * Fetches the sessions of those that this member met in a view.
 *
 * <p>The members of a view fall into parts that came together from one view, and by virtual synchrony all of a part have
 * the same sessions at the moment of the view. So every member asks one member of each other part, the oldest, for all
 * its sessions, a chunk at a time; what changes meanwhile comes as ordinary messages. When the one that is asked goes
 * away, the next of its part is asked to go on.
 *
 * <p>Who is asked may itself be fetching what it does not have yet from parts that it met in an earlier view. It then
 * answers when it has that; see {@link #isBehind}.
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

    /** A request and whom to send it. */
    record Request(Member receiver, StateRequest message) {}

    /** Members by name, and how their sessions came; those of the last {@value #NAMED_MAX}. */
    private final LinkedHashMap<String, String> taken = new LinkedHashMap<>();

    private final LinkedHashMap<Long, Part> parts = new LinkedHashMap<>();
    private CompletableFuture<Void> complete = new CompletableFuture<>();
    private long pulls;
    private boolean hasView;
    private boolean hasTaken;

    /** Completed while all sessions of all parts are here; another one after the next view with newcomers. */
    synchronized CompletableFuture<Void> complete() {
        return complete;
    }

    synchronized boolean isComplete() {
        return hasView && parts.isEmpty();
    }

    /** Whether all sessions of at least one other member have come. */
    synchronized boolean hasTaken() {
        return hasTaken;
    }

    /** Returns what to ask whom. {@code lost} gets the names of those that are gone before all their sessions have come. */
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

    /** Returns what to ask next, if the chunk was not the last. */
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

    /** From time to time: asks again where nothing has come since the last time. */
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
     * Whether somebody who met this member in view {@code viewNumber} has to wait for its sessions, because it is still
     * fetching some that it should have had in that view. Views order the waiting, so that nobody waits in a circle.
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

    /** Members whose sessions have all been fetched, by name, and how many there were. */
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
