package dev.tutti.grid.internal.delivery;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.grid.Gap;
import java.util.List;
import java.util.Optional;

/** Gaps that have no known number of measurements, and may be of any producer. */
public final class Gaps {

    private Gaps() {}

    /** Returns the gap after messages of another site that were dropped there. */
    public static Gap ofSite(dev.tutti.sites.Gap gap) {
        return new Gap("", 0, gap.count() + " messages of " + gap.sender() + " at site " + gap.site() + " did not reach this site");
    }

    /**
     * Returns the gap between a view and the one before it, if members were in another part of the group and are back: they have not sent their measurements
     * to this member meanwhile, and what came to this site from others may have come to their part alone.
     */
    public static Optional<Gap> ofPartition(View view) {
        List<String> names = view.rejoined().stream().map(Member::name).toList();
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(new Gap("", 0, "this member was apart from " + String.join(", ", names) + ", and what came there meanwhile is missing here"));
    }
}
