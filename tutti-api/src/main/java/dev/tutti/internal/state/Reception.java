package dev.tutti.internal.state;

import dev.tutti.core.Member;
import dev.tutti.internal.state.StateRecord.Chunk;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Chunks of the state of one cut, which come from one provider after another. The next provider repeats the last chunk of
 * the one before, which has to be the same.
 *
 * <p>A provider may send as far as it has been granted: a window beyond what the application has read. Guarded by the lock
 * of the {@link Installation}.
 */
final class Reception {

    private final Providers providers;
    private final long windowBytes;
    private final ArrayDeque<Chunk> chunks = new ArrayDeque<>();
    private @Nullable Member provider;

    /** Number of the transfer from the present provider. */
    private long transfer;

    /** Last chunk received; null if the next transfer can't begin behind it. */
    private @Nullable Chunk last;

    /** Chunk that the present provider has to repeat first. */
    private @Nullable Chunk overlap;

    private long received;
    private long readBytes;
    private long granted;
    private boolean isEnded;

    /** Reason why the present provider has failed; null if it has not. */
    private @Nullable String failure;

    private long totalBytes = -1;
    private int resumed;

    /** @param providers learns which of them have failed */
    Reception(Providers providers, long windowBytes) {
        this.providers = providers;
        this.windowBytes = windowBytes;
    }

    /** Begins to receive a state from its start. */
    void begin() {
        chunks.clear();
        last = null;
        overlap = null;
        received = 0;
        readBytes = 0;
        isEnded = false;
        failure = null;
        provider = null;
    }

    /** Forgets the present provider, whose records are ignored from now on. */
    void leaveProvider() {
        provider = null;
    }

    /** Returns whether the state can be continued from another provider: it begins, or is reproducible. */
    boolean canGoOn(boolean isReproducible) {
        return isAtStart() || last != null && isReproducible;
    }

    private boolean isAtStart() {
        return transfer == 0 || received == 0 && last == null;
    }

    /** Makes {@code next} the provider; the returned request is to be sent to it. */
    StateRecord.Pull ask(Member next, CutId cut) {
        if (!isAtStart()) {
            resumed++;
        }
        provider = next;
        failure = null;
        isEnded = false;
        transfer++;
        overlap = last;
        granted = readBytes + windowBytes;
        return new StateRecord.Pull(transfer, cut, last == null ? 0 : last.offset(), granted);
    }

    // ------------------------------------------------------------------ from the provider

    /** Handles a record; returns whether the installing thread has to look. */
    boolean onRecord(Member sender, StateRecord record) {
        if (!sender.equals(provider) || failure != null || isEnded) {
            return false;
        }
        return switch (record) {
            case StateRecord.Begin begin when begin.transfer() == transfer -> {
                totalBytes = begin.totalBytes();
                yield false;
            }
            case Chunk chunk when chunk.transfer() == transfer -> onChunk(chunk);
            case StateRecord.End end when end.transfer() == transfer -> onEnd(end);
            case StateRecord.Refused refused when refused.transfer() == transfer ->
                fail(sender + " does not go on: " + refused.reason());
            // Belongs to a transfer that is over.
            default -> false;
        };
    }

    private boolean onChunk(Chunk chunk) {
        int length = chunk.bytes().length;
        Chunk expected = overlap;
        if (expected != null) {
            overlap = null;
            if (chunk.offset() == expected.offset()
                    && chunk.checksum() == expected.checksum()
                    && length == expected.bytes().length) {
                return false;
            }
            last = null;
            failure = provider + " has another state at byte " + expected.offset() + ": states are not reproducible";
            return true;
        }
        if (chunk.offset() != received || length == 0 || length > StateRecord.CHUNK_BYTES) {
            return fail(provider + " has sent " + length + " bytes at " + chunk.offset() + " instead of some at " + received);
        }
        if (received + length > granted) {
            return fail(provider + " has sent up to byte " + (received + length) + " and may up to " + granted);
        }
        received += length;
        chunks.add(chunk);
        last = chunk;
        return true;
    }

    private boolean onEnd(StateRecord.End end) {
        if (end.length() != received) {
            return fail(provider + " has ended the state at byte " + end.length() + " after it had sent " + received);
        }
        isEnded = true;
        return true;
    }

    /** Notes that the present provider does not continue; it is not asked again. Returns true. */
    boolean fail(String reason) {
        Member present = provider;
        if (present != null) {
            providers.onFailed(present);
        }
        isEnded = false;
        failure = reason;
        return true;
    }

    // ------------------------------------------------------------------ for the installing thread

    /** Takes the next chunk; null if there is none. A damaged chunk is dropped, and its provider has failed. */
    @Nullable Chunk poll() {
        Chunk next = chunks.poll();
        if (next == null || next.isIntact()) {
            return next;
        }
        chunks.clear();
        received = next.offset();
        last = null;
        fail("a chunk at byte " + next.offset() + " does not have its checksum");
        return null;
    }

    /** Returns whether all chunks have come and were taken. */
    boolean isComplete() {
        return chunks.isEmpty() && isEnded && failure == null;
    }

    /** Returns whether nothing is left to take, and the provider may send more. */
    boolean isSilent() {
        return chunks.isEmpty() && !isEnded && failure == null;
    }

    /** Notes that the application has taken a chunk; every quarter of the window, returns a grant for the provider. */
    StateRecord.@Nullable Grant onRead(long length) {
        readBytes += length;
        long limit = readBytes + windowBytes;
        if (limit - granted < windowBytes / 4) {
            return null;
        }
        granted = limit;
        return new StateRecord.Grant(transfer, limit);
    }

    /** Returns the member that sends the state; null if there is none. */
    @Nullable Member provider() {
        return provider;
    }

    /** Returns the member that has not sent all of the state; null if there is none. */
    @Nullable Member sendingProvider() {
        return isEnded ? null : provider;
    }

    long transfer() {
        return transfer;
    }

    @Nullable String failure() {
        return failure;
    }

    long readBytes() {
        return readBytes;
    }

    /** Returns the length of the state; -1 if it is not known. */
    long totalBytes() {
        return totalBytes;
    }

    /** Returns the number of times that another provider has continued a state. */
    int resumed() {
        return resumed;
    }
}
