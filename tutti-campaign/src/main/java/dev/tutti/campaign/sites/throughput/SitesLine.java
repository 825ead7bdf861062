package dev.tutti.campaign.sites.throughput;

import dev.tutti.campaign.sites.process.Numbers;
import dev.tutti.campaign.sites.process.ProcessPipe;
import dev.tutti.campaign.sites.process.Settings;
import dev.tutti.campaign.sites.process.SiteNode;
import dev.tutti.sites.Site;
import dev.tutti.sites.SiteGroup;
import dev.tutti.sites.SiteMessage;
import dev.tutti.sites.Sites;
import java.nio.ByteBuffer;

/** Line of a site group between two sites. */
final class SitesLine implements Line {

    private static final String GROUP = "numbers";

    private final int messageBytes;
    private final Meter meter;
    private final Sites sites;
    private final SiteGroup group;

    // Used by the thread that delivers.
    private final Numbers numbers = new Numbers();

    private volatile long sent;
    private volatile long arrived;

    /** @param settings those of {@link SiteNode}, the {@code other} site and {@code message-bytes} */
    SitesLine(Settings settings, Meter meter) {
        this.messageBytes = (int) settings.number("message-bytes");
        this.meter = meter;
        this.sites = SiteNode.open(settings);
        String own = settings.get("site");
        this.group = sites.group(GROUP)
                .expect(settings.get("other"))
                .onMessage(message -> {
                    if (!message.site().equals(own)) {
                        onMessage(message);
                    }
                })
                .onGap(gap -> ProcessPipe.tell("found gap " + gap))
                .join();
    }

    private void onMessage(SiteMessage message) {
        ByteBuffer content = ByteBuffer.wrap(message.bytes());
        long before = numbers.last();
        Numbers.Fault fault = numbers.add(content.getLong());
        if (fault != null) {
            ProcessPipe.tell("found " + fault + " " + numbers.last() + " after " + before);
        }
        meter.add(messageBytes, System.nanoTime() - content.getLong());
        arrived = numbers.last();
    }

    @Override
    public void send() {
        sendOne();
    }

    @Override
    public void sendOne() {
        byte[] content = new byte[messageBytes];
        ByteBuffer.wrap(content).putLong(sent + 1).putLong(System.nanoTime());
        group.send(content);
        sent++;
    }

    @Override
    public long sent() {
        return sent;
    }

    @Override
    public long arrived() {
        return arrived;
    }

    @Override
    public boolean isConnected() {
        return sites.view().sites().stream().filter(site -> site.state() == Site.State.UP).count() == 2;
    }
}
