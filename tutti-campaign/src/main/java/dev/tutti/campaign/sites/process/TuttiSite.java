package dev.tutti.campaign.sites.process;

import dev.tutti.SendException;
import dev.tutti.sites.Site;
import dev.tutti.sites.SiteGroup;
import dev.tutti.sites.SiteGroupBuilder;
import dev.tutti.sites.Sites;
import dev.tutti.sites.WhenFull;
import java.nio.file.Path;
import java.util.function.Consumer;

/** A member of a site group. */
final class TuttiSite implements SiteSystem {

    private static final String GROUP = "numbers";

    private final Sites sites;
    private final SiteGroup group;

    TuttiSite(Settings settings, Consumer<byte[]> onMessage) {
        sites = SiteNode.open(settings);
        SiteGroupBuilder builder = sites.group(GROUP)
                .expect(settings.get("others").split(","))
                .onMessage(message -> onMessage.accept(message.bytes()))
                .onGap(gap -> ProcessPipe.tell("found gap " + gap));
        String spill = settings.get("spill", "");
        if (!spill.isEmpty()) {
            builder.spill(Path.of(spill)).retain(settings.number("retain-bytes"), WhenFull.WAIT);
        }
        group = builder.join();
    }

    @Override
    public void send(byte[] message) throws RefusedException {
        try {
            group.send(message);
        } catch (SendException e) {
            throw new RefusedException(e);
        }
    }

    @Override
    public long sitesUp() {
        return sites.view().sites().stream().filter(one -> one.state() == Site.State.UP).count();
    }

    @Override
    public boolean isFirst() {
        return group.local().view().members().getFirst().node().equals(sites.node().id());
    }

    @Override
    public long retained() {
        return group.status().getOrDefault("retained", 0L);
    }
}
