package dev.tutti.blocks.map.distributed;

import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.map.TotalOrderMap;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Executes operations on the shards that this member is home of. Reads are local; changes are made by the map in total order, and
 * so at all members that hold the shard. From any thread.
 */
final class Home {

    private final Shards shards;

    Home(Shards shards) {
        this.shards = shards;
    }

    /** Reads at once. */
    Answer read(Request request) {
        if (request.shard() >= shards.count()) {
            return new Answer.Absent();
        }
        Shard.Serving serving = shards.serving(request.shard());
        // The service was current before the entry is read: whatever had returned to anybody by then was executed here.
        return serving == null
                ? shards.elsewhere(request.shard())
                : new Answer.Done(true, serving.copy().map().get(request.key()), true);
    }

    /** Changes an entry, and waits until all members that hold the shard have the change. */
    Answer change(Request request) {
        if (request.shard() >= shards.count()) {
            return new Answer.Absent();
        }
        Shard.Serving serving = shards.begin(request.shard());
        if (serving == null) {
            return shards.elsewhere(request.shard());
        }
        try {
            Answer.Done done = execute(serving.copy().map(), request);
            return isSettled(serving) ? done : new Answer.Done(done.isDone(), done.previous(), false);
        } catch (MapException e) {
            return e.reason() == MapException.Reason.REFUSED
                    ? new Answer.Later()
                    : new Answer.Failed(e.reason(), String.valueOf(e.getMessage()));
        } finally {
            shards.end(request.shard());
        }
    }

    /** Returns whether this member is still home, so that nobody can read at another one that may lack the change. */
    private boolean isSettled(Shard.Serving serving) {
        Copy copy = serving.copy();
        return copy.isIn(serving.view()) || copy.home().equals(shards.self());
    }

    private static Answer.Done execute(TotalOrderMap<EntryKey, byte[]> map, Request request) {
        EntryKey key = request.key();
        return switch (request.kind()) {
            case GET -> done(request, map.get(key));
            case SYNC -> {
                map.sync();
                yield done(request, null);
            }
            case PUT, GET_AND_PUT -> {
                if (request.timeToLiveNanos() == 0) {
                    yield done(request, map.getAndPut(key, request.written()));
                }
                map.put(key, request.written(), Duration.ofNanos(request.timeToLiveNanos()));
                yield done(request, null);
            }
            case PUT_IF_ABSENT -> done(request, map.putIfAbsent(key, request.written()));
            case REPLACE -> done(request, map.replace(key, request.written()));
            case REPLACE_IF_EQUAL -> new Answer.Done(map.replace(key, request.wanted(), request.written()), null, true);
            case REMOVE, GET_AND_REMOVE -> done(request, map.getAndRemove(key));
            case REMOVE_IF_EQUAL -> new Answer.Done(map.remove(key, request.wanted()), null, true);
        };
    }

    private static Answer.Done done(Request request, byte @Nullable [] previous) {
        return new Answer.Done(true, request.kind().isPreviousWanted() ? previous : null, true);
    }
}
