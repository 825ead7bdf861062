package dev.tutti.tomcat.replication.acks;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.tomcat.replication.base.Acknowledgement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Acknowledgements of messages that go to the holders of one session each.
 *
 * <p>A message is safe when its receivers have handled it, and the earlier messages of its session are safe. A receiver
 * that has left, or comes back from another side, is no longer waited for. One that has kept a request waiting up to
 * its deadline is not waited for until it has caught up.
 */
public final class AcknowledgementsOfSome implements Acknowledgements {

    private static final class Sent {
        final UUID uid;
        final Set<Member> awaited = new HashSet<>();

        /** Numbers of messages that have to be safe before this one is. */
        final Set<Long> after = new HashSet<>();

        final List<Sent> dependents = new ArrayList<>();
        final CompletableFuture<Void> safe = new CompletableFuture<>();
        final long number;

        Sent(long number, UUID uid) {
            this.number = number;
            this.uid = uid;
        }
    }

    private final Acknowledgement mode;
    private final TreeMap<Long, Sent> waiting = new TreeMap<>();
    private final Map<UUID, List<Sent>> byUid = new HashMap<>();
    private final Map<Member, NavigableMap<Long, UUID>> unhandled = new HashMap<>();
    private final Map<Member, Long> lagging = new HashMap<>();
    private final Map<Member, Long> givenUp = new HashMap<>();
    private Set<Member> members = Set.of();
    private long asked;
    private long last;

    /** Number of the last message that was sent before the present view. */
    private long lastBefore;

    public AcknowledgementsOfSome(Acknowledgement mode) {
        this.mode = mode;
    }

    @Override
    public synchronized void onNewcomers(View view, Member self) {
        members = Set.copyOf(view.members());
        lastBefore = last;
    }

    @Override
    public void onView(View view, Member self, Set<Member> together) {
        List<Sent> released = new ArrayList<>();
        synchronized (this) {
            Set<Member> parted = new HashSet<>(unhandled.keySet());
            parted.removeIf(member -> view.contains(member) && together.contains(member));
            for (Member member : parted) {
                NavigableMap<Long, UUID> open = unhandled.get(member);
                if (open != null && view.contains(member)) {
                    // What was sent in this view arrives.
                    open.headMap(lastBefore, true).clear();
                } else {
                    unhandled.remove(member);
                }
            }
            lagging.keySet().removeAll(parted);
            givenUp.keySet().removeAll(parted);
            for (Sent sent : List.copyOf(waiting.values())) {
                boolean isLess = sent.awaited.removeIf(
                        member -> !view.contains(member) || sent.number <= lastBefore && parted.contains(member));
                if (isLess) {
                    settle(sent, released);
                }
            }
        }
        complete(released);
    }

    /** Ends the wait of all messages for some members. */
    private void releaseFrom(Collection<Member> members, List<Sent> released) {
        for (Sent sent : List.copyOf(waiting.values())) {
            if (sent.awaited.removeAll(members)) {
                settle(sent, released);
            }
        }
    }

    private void settle(Sent sent, List<Sent> released) {
        if (!sent.awaited.isEmpty() || !sent.after.isEmpty() || waiting.remove(sent.number) == null) {
            return;
        }
        released.add(sent);
        List<Sent> ofSession = byUid.get(sent.uid);
        if (ofSession != null) {
            ofSession.remove(sent);
            if (ofSession.isEmpty()) {
                byUid.remove(sent.uid);
            }
        }
        for (Sent dependent : sent.dependents) {
            dependent.after.remove(sent.number);
            settle(dependent, released);
        }
    }

    /** Completes outside of the lock: those that wait may send. */
    private static void complete(List<Sent> released) {
        released.forEach(sent -> sent.safe.complete(null));
    }

    @Override
    public synchronized void onSent(long number, UUID uid, Set<Member> receivers) {
        Sent sent = new Sent(number, uid);
        last = number;
        for (Member receiver : receivers) {
            if (!members.contains(receiver)) {
                // It has left since its copy was looked up.
                continue;
            }
            unhandled.computeIfAbsent(receiver, absent -> new TreeMap<>()).put(number, uid);
            if (!lagging.containsKey(receiver)) {
                sent.awaited.add(receiver);
            }
        }
        List<Sent> earlier = byUid.computeIfAbsent(uid, absent -> new ArrayList<>(1));
        earlier.forEach(before -> await(sent, before));
        if (sent.awaited.isEmpty() && sent.after.isEmpty()) {
            if (earlier.isEmpty()) {
                byUid.remove(uid);
            }
            return;
        }
        earlier.add(sent);
        waiting.put(number, sent);
    }

    private static void await(Sent later, Sent before) {
        if (later.after.add(before.number)) {
            before.dependents.add(later);
        }
    }

    @Override
    public void onDelivered(long number) {
        // Nothing that is sent to some members comes back to this one.
    }

    @Override
    public void onAck(Member member, long number) {
        List<Sent> released = new ArrayList<>();
        synchronized (this) {
            NavigableMap<Long, UUID> open = unhandled.get(member);
            if (open == null) {
                return;
            }
            NavigableMap<Long, UUID> handled = open.headMap(number, true);
            for (long each : List.copyOf(handled.keySet())) {
                Sent sent = waiting.get(each);
                if (sent != null && sent.awaited.remove(member)) {
                    if (mode == Acknowledgement.ONE) {
                        sent.awaited.clear();
                    }
                    settle(sent, released);
                }
            }
            handled.clear();
            Long behind = lagging.get(member);
            if (behind != null && number >= behind) {
                lagging.remove(member);
                givenUp.put(member, asked);
            }
        }
        complete(released);
    }

    @Override
    public synchronized boolean hasHandled(Member member, long number) {
        NavigableMap<Long, UUID> open = unhandled.get(member);
        return open == null || open.isEmpty() || open.firstKey() > number;
    }

    /** Returns false: it is not remembered who was sent which message. */
    @Override
    public boolean hadHandled(Member member, long number) {
        return false;
    }

    @Override
    public synchronized boolean wasGivenUp(Member member, long number) {
        return number > 0 && (lagging.containsKey(member) || number <= givenUp.getOrDefault(member, 0L));
    }

    @Override
    public synchronized long settled() {
        long least = Long.MAX_VALUE;
        for (NavigableMap<Long, UUID> open : unhandled.values()) {
            least = open.isEmpty() ? least : Math.min(least, open.firstKey() - 1);
        }
        return least;
    }

    @Override
    public void onReasserted(UUID uid, long number) {
        List<Sent> released = new ArrayList<>();
        synchronized (this) {
            Sent last = waiting.get(number);
            if (last == null) {
                return;
            }
            // The others wait for this one from now on, and it no longer for them.
            last.after.clear();
            for (Sent sent : byUid.getOrDefault(uid, List.of())) {
                if (sent != last) {
                    await(sent, last);
                }
            }
            settle(last, released);
        }
        complete(released);
    }

    @Override
    public synchronized CompletableFuture<Void> safe(long number) {
        asked = Math.max(asked, number);
        Sent sent = waiting.get(number);
        return sent == null ? CompletableFuture.completedFuture(null) : sent.safe;
    }

    @Override
    public synchronized CompletableFuture<Void> allSafe(long sent) {
        return CompletableFuture.allOf(waiting.values().stream().map(each -> each.safe).toArray(CompletableFuture[]::new));
    }

    @Override
    public synchronized boolean isAwaited(UUID uid) {
        return byUid.containsKey(uid);
    }

    @Override
    public synchronized boolean isUnderWay(Member member, UUID uid, long after) {
        NavigableMap<Long, UUID> open = unhandled.get(member);
        return open != null && open.tailMap(after, false).containsValue(uid);
    }

    @Override
    public List<Member> onTimeout(long number, long sent) {
        List<Sent> released = new ArrayList<>();
        List<Member> late = new ArrayList<>();
        synchronized (this) {
            Sent message = waiting.get(number);
            if (message != null) {
                Set<Member> awaited = new HashSet<>();
                gather(message, awaited, new HashSet<>());
                for (Member member : awaited) {
                    NavigableMap<Long, UUID> open = unhandled.get(member);
                    lagging.put(member, open == null || open.isEmpty() ? number : open.lastKey());
                    late.add(member);
                }
                releaseFrom(awaited, released);
            }
        }
        complete(released);
        return late;
    }

    private void gather(Sent message, Set<Member> awaited, Set<Long> seen) {
        if (seen.add(message.number)) {
            awaited.addAll(message.awaited);
            for (long before : message.after) {
                Sent earlier = waiting.get(before);
                if (earlier != null) {
                    gather(earlier, awaited, seen);
                }
            }
        }
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
    public void close() {
        List<Sent> released;
        synchronized (this) {
            released = new ArrayList<>(waiting.values());
            waiting.clear();
            byUid.clear();
            unhandled.clear();
        }
        complete(released);
    }
}
