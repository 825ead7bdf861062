package dev.tutti.tomcat.replication.session;

import dev.tutti.core.Member;
import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sessions as they were before another member changed their id, for clients that missed the new id because that member
 * crashed.
 *
 * <p>An id changes at login, to defeat an attacker who has planted the old one. So an old id never leads to the session
 * that has the new one. It leads to a copy of the former session, without principal: that has nothing that its owner,
 * or an intruder, could not see with the old id before. The old id is good only if the member that changed it has left
 * the view within {@link #WINDOW_NANOS} after the change, for as long again, and unless the session has been used at
 * another member since: such a use shows that the client has the new id.
 */
public final class FormerIds {

    /** Time after the change within which its member has to leave, and for which the old id is good from then on. */
    static final long WINDOW_NANOS = 5_000_000_000L;

    static final int FORMERS_MAX = 10_000;

    /** Old id of a session, with the session as it was. */
    public static final class Former {
        private final String key;
        private final Image image;
        private final Member changer;
        private final CompletableFuture<Void> decided = new CompletableFuture<>();
        private long endNanos;
        private boolean isGood;

        private Former(String key, Image image, Member changer, long endNanos) {
            this.key = key;
            this.image = image;
            this.changer = changer;
            this.endNanos = endNanos;
        }

        /** Returns a future that completes when it is known whether the old id is good. */
        public CompletableFuture<Void> decided() {
            return decided;
        }
    }

    private final LinkedHashMap<String, Former> byKey = new LinkedHashMap<>();
    private final Map<UUID, Former> byUid = new HashMap<>();
    private volatile boolean isEmpty = true;

    /** Notes that {@code changer} has changed the id of a session, whose image was {@code before}. */
    public synchronized void onChanged(String key, Image before, Member changer, long nowNanos) {
        forget(byUid.get(before.uid()));
        forget(byKey.get(key));
        if (byKey.size() >= FORMERS_MAX) {
            forget(byKey.firstEntry().getValue());
        }
        Former former = new Former(key, before, changer, nowNanos + WINDOW_NANOS);
        byKey.put(key, former);
        byUid.put(before.uid(), former);
        isEmpty = false;
    }

    /**
     * Notes a use at {@code user}: unless that is the member that changed the id, the client has the new one.
     *
     * @return whether the old id was good until now
     */
    public boolean onUsed(UUID uid, @Nullable Member user) {
        if (isEmpty) {
            return false;
        }
        synchronized (this) {
            Former former = byUid.get(uid);
            if (former == null || former.changer.equals(user)) {
                return false;
            }
            forget(former);
            return true;
        }
    }

    public synchronized void onEnded(UUID uid) {
        forget(byUid.get(uid));
    }

    public synchronized void onView(Set<Member> others, long nowNanos) {
        for (Former former : List.copyOf(byKey.values())) {
            if (nowNanos - former.endNanos > 0) {
                forget(former);
            } else if (!former.isGood && !others.contains(former.changer)) {
                former.isGood = true;
                former.endNanos = nowNanos + WINDOW_NANOS;
                former.decided.complete(null);
            }
        }
    }

    public synchronized @Nullable Former find(String key, long nowNanos) {
        Former former = byKey.get(key);
        if (former != null && nowNanos - former.endNanos > 0) {
            forget(former);
            return null;
        }
        return former;
    }

    /** Returns the session that an old id is good for, once; null if it is not good. */
    public synchronized @Nullable Image take(Former former) {
        if (!former.isGood || byKey.get(former.key) != former) {
            return null;
        }
        forget(former);
        Map<Field, Slot> slots = new LinkedHashMap<>(former.image.slots());
        slots.remove(Field.PRINCIPAL);
        slots.remove(Field.AUTH_TYPE);
        Image image = former.image;
        return new Image(uidOf(former), image.createdMillis(), image.idleMillis(), image.touched(), slots);
    }

    /** Returns a uid that differs from that of the session with the new id, and is the same at every member. */
    private static UUID uidOf(Former former) {
        byte[] key = former.key.getBytes(StandardCharsets.UTF_8);
        UUID uid = former.image.uid();
        return UUID.nameUUIDFromBytes(ByteBuffer.allocate(2 * Long.BYTES + key.length)
                .putLong(uid.getMostSignificantBits())
                .putLong(uid.getLeastSignificantBits())
                .put(key)
                .array());
    }

    private void forget(@Nullable Former former) {
        if (former != null) {
            byKey.remove(former.key, former);
            byUid.remove(former.image.uid(), former);
            former.decided.complete(null);
            isEmpty = byKey.isEmpty();
        }
    }

    public synchronized void clear() {
        for (Former former : List.copyOf(byKey.values())) {
            forget(former);
        }
    }
}
