package dev.tutti.sites.example;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.sites.Sites;
import dev.tutti.sites.patterns.ActiveSite;
import dev.tutti.sites.patterns.MultiSiteMap;
import java.time.Duration;
import java.util.function.Supplier;

/** Prices that are written at one site. The others have them, and one of them takes over when that site is lost. */
final class FailoverPrices implements AutoCloseable {

    private final Sites sites;
    private final ActiveSite active;
    private final MultiSiteMap<String, String> prices;

    /** @param founders all nodes of this site */
    FailoverPrices(Node node, String site, String[] founders, Supplier<NodeBuilder> bridge) {
        sites = Sites.on(node).site(site).bridge(bridge).open();
        active = ActiveSite.of(sites, "prices")
                .sites("berlin", "paris", "rome")
                .founders(founders)
                .lease(Duration.ofSeconds(5))
                .open();
        prices = MultiSiteMap.on(sites.group("prices").expect("berlin", "paris", "rome"), Codec.TEXT, Codec.TEXT)
                .onlyIfActive(active)
                .join();
    }

    /** Sets a price. Throws MapException with the reason READ_ONLY, and the name of the active site, at any other. */
    void set(String item, String price) {
        prices.put(item, price);
    }

    String price(String item) {
        return prices.get(item);
    }

    ActiveSite active() {
        return active;
    }

    @Override
    public void close() {
        prices.close();
        active.close();
        sites.close();
    }
}
