package dev.tutti.campaign.sites;

import dev.tutti.campaign.nodes.NodeTrial.Result;
import java.util.ArrayList;
import java.util.List;

/** Makes a plan that breaks a promise smaller, fault by fault, while it breaks the same promise. */
public final class SitesShrinker {

    private SitesShrinker() {}

    /** Returns the failure of the smallest plan found within {@code millisMax}; {@code failed} if none is smaller. */
    public static Result shrink(long seed, Result failed, long millisMax) {
        long end = System.currentTimeMillis() + millisMax;
        SitesPlan plan = SitesPlan.draw(seed);
        Result smallest = failed;
        for (int index = plan.troubles().size() - 1; index >= 0 && System.currentTimeMillis() < end; index--) {
            List<Trouble> fewer = new ArrayList<>(plan.troubles());
            fewer.remove(index);
            Result result = SitesTrial.run(plan.withTroubles(fewer));
            if (result.property().equals(failed.property())) {
                plan = plan.withTroubles(fewer);
                smallest = result;
            }
        }
        return smallest;
    }
}
