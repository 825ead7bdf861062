package dev.tutti.blocks.presence;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.GroupState;
import dev.tutti.Message;
import dev.tutti.SendException;
import dev.tutti.Snapshot;
import dev.tutti.Threads;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Callbacks;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Entries that are there as long as the member that has made them: users who are connected to it, services that it offers, its rack, its version.
 * Each member writes its own entries; all members read those of all. It has a group to itself.
 *
 * <p>Entries of a member that crashes or leaves are gone with the view that does not have it, at all members alike. A member that joins has all
 * entries when {@link PresenceBuilder#join} returns. <b>Partition:</b> each side keeps the entries of its members, and drops those of the others.
 * <b>Merge:</b> members whose state does not continue announce their entries again, so that all members have all entries a moment after the view.
 *
 * <p>Reads are local and never wait. An entry that this member has put is read here when it is delivered here. All methods may be called from any
 * thread.
 *
 * @param <K> the keys, with {@code equals} and {@code hashCode}
 * @param <V> the values, which are never null, with {@code equals}
 */
public final class Presence<K, V> implements AutoCloseable {

    private static final byte PUT = 0;
    private static final byte REMOVE = 1;
    private static final byte ALL = 2;

    private final String name;
    private final Threads threads;
    private final Codec<K> keys;
    private final Codec<V> values;
    private final int entriesMax;
    private final Consumer<? super Change<K, V>> listener;
    private final Callbacks callbacks;
    private final CompletableFuture<Group> joined = new CompletableFuture<>();

    /** Guards what follows. The group is never waited for, and no code of the application but codecs is called, while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Entries<K, V> entries;

    /** This member's entries, also those that are still to be delivered. */
    private final Map<K, V> mine;

    /** Changes by an installed state, which the next view tells. */
    private final List<Change<K, V>> untold = new ArrayList<>();

    /** Whether the next view is the first, or the first with a state of others, which may lack this member's entries. */
    private boolean isUnannounced = true;

    private long malformed;

    private Presence(PresenceBuilder<K, V> builder) {
        this.name = builder.group().name();
        this.threads = builder.group().node().threads();
        this.keys = builder.keys();
        this.values = builder.values();
        this.entriesMax = builder.entriesMax();
        this.listener = builder.changeListener();
        this.callbacks = new Callbacks(builder.group());
        this.entries = new Entries<>(keys, values, entriesMax);
        this.mine = new LinkedHashMap<>(builder.initial());
    }

    /** Returns a builder for presence in a group that is still to be joined. The group is its own: its listeners are set here. */
    public static <K, V> PresenceBuilder<K, V> on(GroupBuilder group, Codec<K> keys, Codec<V> values) {
        return new PresenceBuilder<>(
                Arguments.required(group, "on: the group"),
                Arguments.required(keys, "on: the codec of keys"),
                Arguments.required(values, "on: the codec of values"));
    }

    static <K, V> Presence<K, V> join(PresenceBuilder<K, V> builder) {
        if (builder.initial().size() > builder.entriesMax()) {
            throw new IllegalArgumentException(
                    builder.initial().size() + " entries in presence " + builder.group().name() + ", at most " + builder.entriesMax());
        }
        Presence<K, V> presence = new Presence<>(builder);
        // What codecs refuse is refused before anything is joined.
        presence.all(presence.mine);
        builder.group()
                .state(presence.new State())
                .onView(presence::onView)
                .onMessage(presence::onMessage)
                .join();
        return presence;
    }

    // ------------------------------------------------------------------ reading

    /** Returns the entries of a member, in the order in which they were put; empty if it has none, or is not in the view. */
    public Map<K, V> of(Member member) {
        Arguments.required(member, "of: the member");
        return locked(() -> entries.of(member));
    }

    /** Returns the members that have a key, with their values. */
    public Map<Member, V> at(K key) {
        Arguments.required(key, "at: the key");
        return locked(() -> entries.at(key));
    }

    /** Returns whether any member has a key. */
    public boolean isPresent(K key) {
        return !at(key).isEmpty();
    }

    /** Returns all entries, by member. */
    public Map<Member, Map<K, V>> all() {
        return locked(entries::all);
    }

    /** Returns the group, for settings and inspection; nothing else may be sent in it. */
    public Group group() {
        return threads.join(joined);
    }

    public Member self() {
        return group().self();
    }

    public View view() {
        return group().view();
    }

    /** Returns counters by name, for people. */
    public Map<String, Long> status() {
        return locked(() -> Map.of("entries", (long) entries.size(), "entries-here", (long) mine.size(), "malformed", malformed));
    }

    private <T> T locked(Supplier<T> read) {
        lock.lock();
        try {
            return read.get();
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------ writing

    /**
     * Puts an entry of this member. Waits until it is accepted.
     *
     * @throws IllegalStateException if this member has as many entries as it may have
     * @throws SendException if the group is left, or the entry can't be sent within {@code send-timeout}. It is this member's nevertheless: a
     *     later announcement may have it
     */
    public void put(K key, V value) {
        await(putAsync(key, value));
    }

    /** Puts an entry of this member; completes when it is accepted. */
    public CompletableFuture<Void> putAsync(K key, V value) {
        Arguments.required(key, "put: the key");
        Arguments.required(value, "put: the value");
        ByteOutput out = new ByteOutput().putByte(PUT);
        keys.put(key, out);
        values.put(value, out);
        lock.lock();
        try {
            if (mine.size() >= entriesMax && !mine.containsKey(key)) {
                throw new IllegalStateException(
                        "this member has " + entriesMax + " entries in presence " + name + ", and none more is allowed; see entriesMax");
            }
            mine.put(key, value);
            // Under the lock, so that entries are sent in the order in which they are changed here. It does not wait.
            return group().sendAsync(out.copy());
        } finally {
            lock.unlock();
        }
    }

    /** Removes an entry of this member, if there is one. Waits until that is accepted. */
    public void remove(K key) {
        await(removeAsync(key));
    }

    /** Removes an entry of this member; completes when that is accepted. */
    public CompletableFuture<Void> removeAsync(K key) {
        Arguments.required(key, "remove: the key");
        ByteOutput out = new ByteOutput().putByte(REMOVE);
        keys.put(key, out);
        lock.lock();
        try {
            if (mine.remove(key) == null) {
                return CompletableFuture.completedFuture(null);
            }
            return group().sendAsync(out.copy());
        } finally {
            lock.unlock();
        }
    }

    private void await(CompletableFuture<Void> accepted) {
        try {
            threads.join(accepted);
        } catch (CompletionException e) {
            if (e.getCause() instanceof SendException failed) {
                throw failed;
            }
            throw e;
        }
    }

    private byte[] all(Map<K, V> own) {
        ByteOutput out = new ByteOutput().putByte(ALL);
        entries.put(own, out);
        return out.copy();
    }

    // ------------------------------------------------------------------ what the group tells

    private void onView(Group group, View view) {
        List<Change<K, V>> changes;
        lock.lock();
        try {
            joined.complete(group);
            changes = new ArrayList<>(untold);
            untold.clear();
            changes.addAll(entries.retain(view.members()));
            if (isUnannounced) {
                isUnannounced = false;
                if (!mine.isEmpty() || view.size() > 1) {
                    group.sendAsync(all(mine));
                }
            }
        } finally {
            lock.unlock();
        }
        tell(changes);
    }

    private void onMessage(Message message) {
        List<Change<K, V>> changes;
        lock.lock();
        try {
            changes = apply(message.sender(), new ByteInput(message.buffer()));
        } catch (MalformedException e) {
            malformed++;
            throw new MalformedException("a message of " + message.sender() + " in presence " + name + ": " + e.getMessage());
        } finally {
            lock.unlock();
        }
        tell(changes);
    }

    private List<Change<K, V>> apply(Member sender, ByteInput in) {
        byte kind = in.takeByte();
        if (kind == ALL) {
            Map<K, V> taken = entries.take(in);
            in.end();
            return entries.replace(sender, taken);
        } else if (kind != PUT && kind != REMOVE) {
            throw new MalformedException("kind " + kind + " is unknown");
        }
        K key = keys.take(in);
        @Nullable V value = kind == PUT ? values.take(in) : null;
        in.end();
        Change<K, V> change = value == null ? entries.remove(sender, key) : entries.put(sender, key, value);
        return change == null ? List.of() : List.of(change);
    }

    private void tell(List<Change<K, V>> changes) {
        for (Change<K, V> change : changes) {
            callbacks.call("onChange", listener, change);
        }
    }

    /** The entries of all members, which newcomers get. */
    private final class State implements GroupState {

        @Override
        public Snapshot snapshot() {
            byte[] bytes = locked(() -> {
                ByteOutput out = new ByteOutput();
                entries.putAll(out);
                return out.copy();
            });
            return new Snapshot() {
                @Override
                public void write(OutputStream out) throws IOException {
                    out.write(bytes);
                }

                @Override
                public long bytes() {
                    return bytes.length;
                }
            };
        }

        @Override
        public void install(InputStream in) throws IOException {
            byte[] bytes = in.readAllBytes();
            lock.lock();
            try {
                untold.addAll(entries.become(entries.takeAll(new ByteInput(bytes))));
                isUnannounced = true;
            } catch (MalformedException e) {
                malformed++;
                throw e;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean isAtomic() {
            return true;
        }
    }

    /** Leaves the group: the entries of this member are gone at the others. Idempotent. */
    @Override
    public void close() {
        group().close();
    }

    @Override
    public String toString() {
        return "presence " + name;
    }
}
