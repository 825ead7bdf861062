package dev.tutti.tomcat.replication.state;

import static dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter.STATE_CHUNKS_SENT;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import dev.tutti.tomcat.replication.session.SessionMessage.StateChunk;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import dev.tutti.tomcat.replication.session.Slot;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/**
 * Sends the sessions of this member to those that fetch them ({@link StatePull}), and knows which members have yet to
 * fetch them: a member that leaves in good order waits for those. Thread-safe.
 *
 * <p>In a view, every member asks the oldest member of each other part for its sessions. So the oldest member of a part
 * owes them to all members of the other parts, and any member owes them to those that have asked it.
 */
final class StateGiver {

    private final SessionStore store;
    private final ReplicationCounters counters;
    private final LongSupplier nanoClock;

    /** Members that are owed the sessions, each with the number of the view for which it is. */
    private final LinkedHashMap<Member, Long> owed = new LinkedHashMap<>();

    /** Requests that wait until this member has the sessions that it should have had in their view. */
    private final List<StatePull.Request> parked = new ArrayList<>();

    private CompletableFuture<Void> done = CompletableFuture.completedFuture(null);

    StateGiver(SessionStore store, ReplicationCounters counters, LongSupplier nanoClock) {
        this.store = store;
        this.counters = counters;
        this.nanoClock = nanoClock;
    }

    /**
     * @param leadsPart whether this member is the oldest of those that came with it from an earlier view
     */
    synchronized void onView(View view, Set<Member> together, boolean leadsPart) {
        parked.removeIf(request -> !view.contains(request.receiver()));
        owed.keySet().retainAll(view.members());
        if (leadsPart) {
            for (Member member : view.members()) {
                if (!together.contains(member)) {
                    owed.put(member, view.id().number());
                }
            }
        }
        settle();
    }

    /** Notes a request for sessions, which is {@linkplain #ready ready} now or later. */
    synchronized void onRequest(StatePull.Request request) {
        parked.removeIf(waiting -> waiting.receiver().equals(request.receiver())
                && waiting.message().pull() == request.message().pull());
        parked.add(request);
        owed.merge(request.receiver(), request.message().viewNumber(), Math::max);
        settle();
    }

    /** Removes and returns the requests that can be answered by now. */
    synchronized List<StatePull.Request> ready(StatePull pull) {
        List<StatePull.Request> ready = new ArrayList<>();
        for (Iterator<StatePull.Request> iterator = parked.iterator(); iterator.hasNext(); ) {
            StatePull.Request request = iterator.next();
            if (!pull.isBehind(request.message().viewNumber())) {
                iterator.remove();
                ready.add(request);
            }
        }
        return ready;
    }

    /**
     * Sends the next sessions.
     *
     * @param sender may wait for flow control
     */
    void answer(StatePull.Request request, BiConsumer<Member, SessionMessage> sender) {
        List<Image> images = new ArrayList<>();
        long bytes = 0;
        boolean isLast = true;
        long nowNanos = nanoClock.getAsLong();
        for (SessionRecord record : store.after(request.message().after()).values()) {
            if (record.state() != SessionRecord.State.COMPLETE) {
                continue;
            }
            Image image = record.image(nowNanos);
            bytes += bytesOf(image);
            if (bytes > StateExchange.CHUNK_BYTES && !images.isEmpty()) {
                isLast = false;
                break;
            }
            images.add(image);
        }
        counters.increment(STATE_CHUNKS_SENT);
        sender.accept(request.receiver(), new StateChunk(request.message().pull(), images, isLast));
        if (isLast) {
            onLastSent(request);
        }
    }

    private synchronized void onLastSent(StatePull.Request request) {
        Long viewNumber = owed.get(request.receiver());
        if (viewNumber != null && viewNumber <= request.message().viewNumber()) {
            owed.remove(request.receiver());
        }
        settle();
    }

    private static long bytesOf(Image image) {
        long bytes = 64;
        for (Map.Entry<Field, Slot> entry : image.slots().entrySet()) {
            byte[] content = entry.getValue().content();
            bytes += 32 + entry.getKey().name().length() + (content == null ? 0 : content.length);
        }
        return bytes;
    }

    /** Returns a future that is completed while no member is owed sessions. */
    synchronized CompletableFuture<Void> done() {
        return done;
    }

    synchronized List<Member> owed() {
        return new ArrayList<>(owed.keySet());
    }

    private void settle() {
        if (owed.isEmpty()) {
            done.complete(null);
        } else if (done.isDone()) {
            done = new CompletableFuture<>();
        }
    }
}
