package dev.tutti.sites.example;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.sites.Sites;
import dev.tutti.sites.patterns.MultiSiteMap;
import dev.tutti.sites.patterns.MultiSiteMapBuilder;
import java.util.Optional;
import java.util.function.Supplier;

/** Articles that are written at headquarters, and that shops read from a copy of their own, also while the line is down. */
final class ReadOnlyCopy implements AutoCloseable {

    private static final String HEADQUARTERS = "berlin";

    private final Sites sites;
    private final MultiSiteMap<String, String> articles;

    ReadOnlyCopy(Node node, String site, Supplier<NodeBuilder> bridge) {
        sites = Sites.on(node).site(site).bridge(bridge).open();
        MultiSiteMapBuilder<String, String> builder = MultiSiteMap.on(sites.group("articles"), Codec.TEXT, Codec.TEXT);
        articles = (site.equals(HEADQUARTERS) ? builder : builder.readOnly()).join();
    }

    /** Writes an article. Throws MapException with the reason READ_ONLY in a shop. */
    void write(String article, String text) {
        articles.put(article, text);
    }

    Optional<String> read(String article) {
        return Optional.ofNullable(articles.get(article));
    }

    /** Returns whether this site has all that headquarters has written, as far as it knows. */
    boolean isComplete() {
        return articles.group().knownSites().contains(HEADQUARTERS) && articles.missingSites().isEmpty();
    }

    @Override
    public void close() {
        articles.close();
        sites.close();
    }
}
