package dev.tutti.tomcat.replication.acks;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.tomcat.replication.base.Acknowledgement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Acknowledgements of messages that go to all members.
 *
 * <p>A message is safe once the other members of the view in which it is delivered have handled it. A member that comes
 * to a later view gets it with the state; one that has left is no longer waited for. A member that has kept a request
 * waiting up to its deadline is not waited for until it has caught up: one stalled node must not slow every request
 * down.
 */
public final class AcknowledgementsOfAll implements Acknowledgements {

    private final Acknowledgement mode;
    private final Map<Member, Long> handled = new HashMap<>();
    private final Map<Member, Long> lagging = new HashMap<>();
    private final Map<Member, Long> givenUp = new HashMap<>();
    private final TreeMap<Long, CompletableFuture<Void>> waiting = new TreeMap<>();
    private long delivered;
    private long asked;
    private long reasserted;
    private long safe = Long.MAX_VALUE;

    public AcknowledgementsOfAll(Acknowledgement mode) {
        this.mode = mode;
    }

    @Override
    public synchronized void onNewcomers(View view, Member self) {
        for (Member member : view.members()) {
            if (!member.equals(self)) {
                handled.putIfAbsent(member, delivered);
            }
        }
        safe = Math.min(safe, least());
    }

    @Override
    public synchronized void onView(View view, Member self, Set<Member> together) {
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

    @Override
    public synchronized void onDelivered(long number) {
        delivered = Math.max(delivered, number);
    }

    @Override
    public synchronized void onAck(Member member, long number) {
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

    @Override
    public synchronized boolean hasHandled(Member member, long number) {
        return handled.getOrDefault(member, 0L) >= number;
    }

    @Override
    public boolean hadHandled(Member member, long number) {
        return hasHandled(member, number);
    }

    @Override
    public synchronized boolean wasGivenUp(Member member, long number) {
        return number > 0 && (lagging.containsKey(member) || number <= givenUp.getOrDefault(member, 0L));
    }

    @Override
    public synchronized long settled() {
        long least = Long.MAX_VALUE;
        for (long number : handled.values()) {
            least = Math.min(least, number);
        }
        return least;
    }

    @Override
    public synchronized void onReasserted(UUID uid, long number) {
        reasserted = Math.max(reasserted, number);
    }

    @Override
    public synchronized CompletableFuture<Void> safe(long number) {
        asked = Math.max(asked, number);
        if (number <= safe) {
            return CompletableFuture.completedFuture(null);
        }
        return waiting.computeIfAbsent(number, absent -> new CompletableFuture<>());
    }

    @Override
    public synchronized List<Member> onTimeout(long number, long sent) {
        List<Member> late = new ArrayList<>();
        handled.forEach((member, last) -> {
            if (last < number && lagging.putIfAbsent(member, sent) == null) {
                late.add(member);
            }
        });
        release();
        return late;
    }

    @Override
    public void onSent(long number, UUID uid, Set<Member> receivers) {
        throw new IllegalStateException("message " + number + " goes to some members, and all are waited for");
    }

    @Override
    public CompletableFuture<Void> allSafe(long sent) {
        return safe(sent);
    }

    @Override
    public boolean isAwaited(UUID uid) {
        return false;
    }

    @Override
    public boolean isUnderWay(Member member, UUID uid, long after) {
        return false;
    }

    @Override
    public synchronized int laggingCount() {
        return lagging.size();
    }

    @Override
    public synchronized int waitingCount() {
        return waiting.size();
    }

    @Override
    public synchronized void close() {
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
