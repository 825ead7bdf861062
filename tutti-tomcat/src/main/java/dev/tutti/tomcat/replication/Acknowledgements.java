package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Who has handled which of this member's numbered messages, and who waits for that.
 *
 * <p>A message counts as safe once the others of the view that it is delivered in have handled it. A member that comes
 * to a later view has it with the state, one that has left is no longer waited for. A member that has kept a request
 * waiting up to its deadline is not waited for until it has caught up: one stalled node must not slow every request down.
 */
final class Acknowledgements {

    private final Acknowledgement mode;
    private final Map<Member, Long> handled = new HashMap<>();
    private final Map<Member, Long> lagging = new HashMap<>();
    private final Map<Member, Long> givenUp = new HashMap<>();
    private final TreeMap<Long, CompletableFuture<Void>> waiting = new TreeMap<>();
    private long delivered;
    private long asked;
    private long reasserted;
    private long safe = Long.MAX_VALUE;

    Acknowledgements(Acknowledgement mode) {
        this.mode = mode;
    }

    /** From now on something may be sent in {@code view}: whoever is new in it is waited for from the first message on. */
    synchronized void onNewcomers(View view, Member self) {
        for (Member member : view.members()) {
            if (!member.equals(self)) {
                handled.putIfAbsent(member, delivered);
            }
        }
        safe = Math.min(safe, least());
    }

    synchronized void onView(View view, Member self, Set<Member> together) {
        Set<Member> members = new HashSet<>(view.members());
        members.remove(self);
        handled.keySet().retainAll(members);
        lagging.keySet().retainAll(members);
        givenUp.keySet().retainAll(members);
        for (Member member : members) {
            if (!together.contains(member) || !handled.containsKey(member)) {
                handled.put(member, delivered);
            }
        }
        release();
    }

    /** This member's own message has come back, in the view that all others have it in. */
    synchronized void onDelivered(long number) {
        delivered = Math.max(delivered, number);
    }

    synchronized void onAck(Member member, long number) {
        Long present = handled.get(member);
        if (present == null || number <= present) {
            return;
        }
        handled.put(member, number);
        Long behind = lagging.get(member);
        if (behind != null && number >= behind) {
            lagging.remove(member);
            givenUp.put(member, asked);
        }
        release();
    }

    /** Whether {@code member} has handled message {@code number}, as far as is known. */
    synchronized boolean hasHandled(Member member, long number) {
        return handled.getOrDefault(member, 0L) >= number;
    }

    /** Whether a request may have gone on with message {@code number} before {@code member} had handled it. */
    synchronized boolean wasGivenUp(Member member, long number) {
        return number > 0 && (lagging.containsKey(member) || number <= givenUp.getOrDefault(member, 0L));
    }

    /** The number up to which all others have handled everything, those included that are not waited for. */
    synchronized long settled() {
        long least = Long.MAX_VALUE;
        for (long number : handled.values()) {
            least = Math.min(least, number);
        }
        return least;
    }

    /**
     * Message {@code number} makes changes again that were overruled by somebody who is gone. What was sent before is safe
     * only when this is: it may be one of those changes.
     */
    synchronized void onReasserted(long number) {
        reasserted = Math.max(reasserted, number);
    }

    /** Completes when message {@code number} is safe. */
    synchronized CompletableFuture<Void> safe(long number) {
        asked = Math.max(asked, number);
        if (number <= safe) {
            return CompletableFuture.completedFuture(null);
        }
        return waiting.computeIfAbsent(number, absent -> new CompletableFuture<>());
    }

    /** A request has waited for {@code number} long enough. Returns those that let it wait, who are lagging now. */
    synchronized List<Member> onTimeout(long number, long sent) {
        List<Member> late = new ArrayList<>();
        handled.forEach((member, last) -> {
            if (last < number && lagging.putIfAbsent(member, sent) == null) {
                late.add(member);
            }
        });
        release();
        return late;
    }

    synchronized int laggingCount() {
        return lagging.size();
    }

    synchronized int waitingCount() {
        return waiting.size();
    }

    /** Nothing will be acknowledged any more. */
    synchronized void close() {
        handled.clear();
        release();
    }

    private void release() {
        long least = least();
        safe = least < reasserted ? Math.min(safe, least) : least;
        while (!waiting.isEmpty() && waiting.firstKey() <= safe) {
            waiting.pollFirstEntry().getValue().complete(null);
        }
    }

    private long least() {
        return mode == Acknowledgement.ONE ? handledByOne() : handledByAll();
    }

    private long handledByAll() {
        long least = Long.MAX_VALUE;
        for (Map.Entry<Member, Long> entry : handled.entrySet()) {
            if (!lagging.containsKey(entry.getKey())) {
                least = Math.min(least, entry.getValue());
            }
        }
        return least;
    }

    private long handledByOne() {
        if (handled.isEmpty() || handled.size() == lagging.size()) {
            return Long.MAX_VALUE;
        }
        long most = 0;
        for (long number : handled.values()) {
            most = Math.max(most, number);
        }
        return most;
    }
}
