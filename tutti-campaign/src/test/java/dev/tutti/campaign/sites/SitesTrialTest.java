package dev.tutti.campaign.sites;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.nodes.NodeTrial;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A small campaign of sites; a full one is {@code ./tutti sim --mode sites}. */
class SitesTrialTest {

    @Test
    void messagesReachAllSitesOnceAndInOrder() {
        for (long seed = 1; seed <= 8; seed++) {
            NodeTrial.Result result = SitesTrial.run(seed);
            assertThat(result.property()).as(result.drawn() + result.failure()).isEmpty();
        }
    }

    /**
     * A site that was cut off is told a list while its first master crashes, and the masters of all sites make another one. Or a
     * member of a divided site has a higher number than the rest when it comes back, and is no master then.
     */
    @ParameterizedTest
    @ValueSource(longs = {1632, 1771, 2796})
    void twoListsOfSitesNeverHaveOneNumber(long seed) {
        NodeTrial.Result result = SitesTrial.run(seed);
        assertThat(result.property()).as(result.drawn() + result.failure()).isEmpty();
    }

    @Test
    void oneSeedGivesOneRun() {
        assertThat(SitesTrial.run(7).hash()).isEqualTo(SitesTrial.run(7).hash());
        assertThat(SitesTrial.run(7).hash()).isNotEqualTo(SitesTrial.run(8).hash());
        assertThat(SitesTrial.drawn(7)).isEqualTo(SitesTrial.run(7).drawn());
    }
}
