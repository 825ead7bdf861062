package dev.tutti.protocols.node;

import dev.tutti.protocols.link.IntMap;
import org.jspecify.annotations.Nullable;

/** Members of one other node, for as long as the session lasts. One of these per link, hence small. */
final class Remotes {
    /** Number of members up to which a linear search is used. */
    private static final int FEW = 4;

    // In the order of their arrival.
    @Nullable RemoteMember first;
    @Nullable RemoteMember last;

    int size;

    /** Estimate of the memory that its members take. */
    long bytes;

    /** Members by join; null as long as there are few. */
    @Nullable IntMap<RemoteMember> byJoin;

    @Nullable RemoteMember get(int join) {
        if (byJoin != null) {
            return byJoin.get(join);
        }
        RemoteMember remote = first;
        while (remote != null && remote.member.join() != join) {
            remote = remote.after;
        }
        return remote;
    }

    int size() {
        return size;
    }

    /** Adds a member whose join is new. */
    void add(RemoteMember remote) {
        append(remote);
        size++;
        bytes += remote.bytes;
        if (byJoin != null) {
            byJoin.put(remote.member.join(), remote);
        } else if (size > FEW) {
            IntMap<RemoteMember> all = new IntMap<>();
            for (RemoteMember each = first; each != null; each = each.after) {
                all.put(each.member.join(), each);
            }
            byJoin = all;
        }
    }

    void append(RemoteMember remote) {
        RemoteMember before = last;
        remote.before = before;
        if (before == null) {
            first = remote;
        } else {
            before.after = remote;
        }
        last = remote;
    }

    @Nullable RemoteMember remove(int join) {
        RemoteMember remote = get(join);
        if (remote == null) {
            return null;
        }
        size--;
        bytes -= remote.bytes;
        if (byJoin != null) {
            byJoin.remove(join);
        }
        RemoteMember before = remote.before;
        RemoteMember after = remote.after;
        if (before == null) {
            first = after;
        } else {
            before.after = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.before = before;
        }
        return remote;
    }
}
