package dev.tutti.blocks.map;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.clock.HybridClock;

/**
 * Order of the writes of one key: the one with the higher version stands.
 *
 * <p>Two writes that are delivered in one view never have equal versions; those of two sides of a partition may, and a
 * merge keeps that of the side that goes on then.
 *
 * @param view number of the view that the write was delivered in, the same at all members that deliver it
 * @param sequence the number that the writer gave it, above all numbers that it had seen; 0 for writes that a merge
 *     brings in again, which any write of the view overrules
 * @param written the time of the write by the writer's {@link HybridClock}, which a merge compares; 0 with
 *     {@link WriteOrder#VIEW}
 * @param originView the view in which a write that is brought in again was first written, else 0
 * @param originSequence its sequence then, else 0
 * @param rank of the writer in the view
 * @param place of the write in its message; for writes that are brought in again, among those of the member
 * @param isDropped whether it removes exactly the write with the same numbers, which has expired or was evicted
 */
record EntryVersion(
        long view,
        long sequence,
        long written,
        long originView,
        long originSequence,
        int rank,
        long place,
        boolean isDropped)
        implements Comparable<EntryVersion> {

    /** A version lower than any other. */
    static final EntryVersion NONE = new EntryVersion(0, 0, 0, 0, 0, 0, 0, false);

    static final Codec<EntryVersion> CODEC = Codec.of(
            in -> new EntryVersion(
                    in.takeLong(),
                    in.takeLong(),
                    in.takeLong(),
                    in.takeLong(),
                    in.takeLong(),
                    in.takeInt(),
                    in.takeLong(),
                    in.takeBoolean()),
            (version, out) -> out.putLong(version.view)
                    .putLong(version.sequence)
                    .putLong(version.written)
                    .putLong(version.originView)
                    .putLong(version.originSequence)
                    .putInt(version.rank)
                    .putLong(version.place)
                    .putBoolean(version.isDropped));

    static EntryVersion of(long view, long sequence, long written, int rank, long place) {
        return new EntryVersion(view, sequence, written, 0, 0, rank, place, false);
    }

    /** Returns the version for bringing in this version's write again in a later view. */
    EntryVersion again(long laterView, int laterRank, long laterPlace) {
        return new EntryVersion(
                laterView,
                0,
                written,
                firstView(),
                firstSequence(),
                laterRank,
                laterPlace,
                false);
    }

    private long firstView() {
        return sequence == 0 ? originView : view;
    }

    private long firstSequence() {
        return sequence == 0 ? originSequence : sequence;
    }

    EntryVersion dropped() {
        return new EntryVersion(view, sequence, written, originView, originSequence, rank, place, true);
    }

    boolean isAfter(EntryVersion other) {
        return compareTo(other) > 0;
    }

    /**
     * Returns whether it is the later one of two writes on different sides of a partition. Neither is if they are
     * equal: then that of the side that goes on stands.
     */
    boolean isWrittenAfter(EntryVersion other, WriteOrder by) {
        if (by == WriteOrder.VIEW) {
            return isAfter(other);
        }
        int order = Long.compare(written, other.written);
        order = order != 0 ? order : Boolean.compare(isDropped, other.isDropped);
        order = order != 0 ? order : Long.compare(firstView(), other.firstView());
        order = order != 0 ? order : Long.compare(firstSequence(), other.firstSequence());
        return order > 0;
    }

    @Override
    public int compareTo(EntryVersion other) {
        int order = Long.compare(view, other.view);
        order = order != 0 ? order : Long.compare(sequence, other.sequence);
        order = order != 0 ? order : Long.compare(written, other.written);
        order = order != 0 ? order : Long.compare(originView, other.originView);
        order = order != 0 ? order : Long.compare(originSequence, other.originSequence);
        order = order != 0 ? order : Integer.compare(rank, other.rank);
        order = order != 0 ? order : Long.compare(place, other.place);
        return order != 0 ? order : Boolean.compare(isDropped, other.isDropped);
    }
}
