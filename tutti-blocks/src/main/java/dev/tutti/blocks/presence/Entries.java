package dev.tutti.blocks.presence;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.MemberCodec;
import dev.tutti.core.Member;
import dev.tutti.core.Wire;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Entries of all members, in the order of members. Not thread-safe. */
final class Entries<K, V> {

    private final Codec<K> keys;
    private final Codec<V> values;
    private final int perMemberMax;
    private final TreeMap<Member, Map<K, V>> byMember = new TreeMap<>();

    Entries(Codec<K> keys, Codec<V> values, int perMemberMax) {
        this.keys = keys;
        this.values = values;
        this.perMemberMax = perMemberMax;
    }

    // ------------------------------------------------------------------ reading

    Map<K, V> of(Member member) {
        return copy(byMember.getOrDefault(member, Map.of()));
    }

    Map<Member, V> at(K key) {
        Map<Member, V> found = new TreeMap<>();
        byMember.forEach((member, entries) -> {
            V value = entries.get(key);
            if (value != null) {
                found.put(member, value);
            }
        });
        return Collections.unmodifiableMap(found);
    }

    Map<Member, Map<K, V>> all() {
        Map<Member, Map<K, V>> copies = new TreeMap<>();
        byMember.forEach((member, entries) -> copies.put(member, copy(entries)));
        return Collections.unmodifiableMap(copies);
    }

    private static <K, V> Map<K, V> copy(Map<K, V> entries) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(entries));
    }

    int size() {
        int size = 0;
        for (Map<K, V> entries : byMember.values()) {
            size += entries.size();
        }
        return size;
    }

    // ------------------------------------------------------------------ changing

    /** Returns the change that a message of a member makes; null if it makes none. */
    @Nullable Change<K, V> put(Member member, K key, V value) {
        Map<K, V> entries = byMember.computeIfAbsent(member, absent -> new LinkedHashMap<>());
        if (entries.size() >= perMemberMax && !entries.containsKey(key)) {
            throw new MalformedException("more than " + perMemberMax + " entries of one member");
        }
        V previous = entries.put(key, value);
        return value.equals(previous) ? null : new Change<>(member, key, previous, value);
    }

    @Nullable Change<K, V> remove(Member member, K key) {
        Map<K, V> entries = byMember.get(member);
        V previous = entries == null ? null : entries.remove(key);
        return previous == null ? null : new Change<>(member, key, previous, null);
    }

    /** Replaces all entries of a member. */
    List<Change<K, V>> replace(Member member, Map<K, V> entries) {
        Map<K, V> before = byMember.getOrDefault(member, Map.of());
        byMember.put(member, entries);
        return difference(member, before, entries);
    }

    /** Drops the entries of members that are not among these. */
    List<Change<K, V>> retain(Collection<Member> members) {
        List<Change<K, V>> changes = new ArrayList<>();
        byMember.forEach((member, entries) -> {
            if (!members.contains(member)) {
                changes.addAll(difference(member, entries, Map.of()));
            }
        });
        byMember.keySet().retainAll(members);
        return changes;
    }

    /**
     * Takes the entries of another state, and returns the changes. Members that it lacks keep theirs until they announce them again, or until the
     * next view lacks them: nobody is told that somebody has gone who stays.
     */
    List<Change<K, V>> become(TreeMap<Member, Map<K, V>> state) {
        List<Change<K, V>> changes = new ArrayList<>();
        state.forEach((member, entries) -> changes.addAll(replace(member, entries)));
        return changes;
    }

    private static <K, V> List<Change<K, V>> difference(Member member, Map<K, V> before, Map<K, V> after) {
        List<Change<K, V>> changes = new ArrayList<>();
        before.forEach((key, value) -> {
            if (!after.containsKey(key)) {
                changes.add(new Change<>(member, key, value, null));
            }
        });
        after.forEach((key, value) -> {
            V previous = before.get(key);
            if (!Objects.equals(previous, value)) {
                changes.add(new Change<>(member, key, previous, value));
            }
        });
        return changes;
    }

    // ------------------------------------------------------------------ bytes

    /** Puts entries of one member. */
    void put(Map<K, V> entries, ByteOutput out) {
        out.putInt(entries.size());
        entries.forEach((key, value) -> {
            // A byte each at least, so that the number of entries is bounded by that of bytes.
            out.putByte(0);
            keys.put(key, out);
            values.put(value, out);
        });
    }

    /** Takes entries of one member. */
    Map<K, V> take(ByteInput in) {
        int count = in.takeCount(1);
        if (count > perMemberMax) {
            throw new MalformedException(count + " entries of one member, at most " + perMemberMax);
        }
        Map<K, V> taken = new LinkedHashMap<>();
        for (int index = 0; index < count; index++) {
            in.takeByte();
            taken.put(keys.take(in), values.take(in));
        }
        return taken;
    }

    void putAll(ByteOutput out) {
        out.putInt(byMember.size());
        byMember.forEach((member, entries) -> {
            MemberCodec.MEMBER.put(member, out);
            put(entries, out);
        });
    }

    TreeMap<Member, Map<K, V>> takeAll(ByteInput in) {
        int count = in.takeCount(MemberCodec.BYTES_MIN);
        if (count > Wire.MEMBERS_MAX) {
            throw new MalformedException("entries of " + count + " members, at most " + Wire.MEMBERS_MAX);
        }
        TreeMap<Member, Map<K, V>> taken = new TreeMap<>();
        for (int index = 0; index < count; index++) {
            taken.put(MemberCodec.MEMBER.take(in), take(in));
        }
        in.end();
        return taken;
    }
}
