package dev.tutti.sites.example;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.sites.Sites;
import dev.tutti.sites.patterns.MultiSiteMap;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Shopping carts that each site fills. What two sites have put into one cart while the line was down is in it afterwards. */
final class ActiveActiveCarts implements AutoCloseable {

    private final Sites sites;
    private final MultiSiteMap<String, List<String>> carts;

    ActiveActiveCarts(Node node, String site, Supplier<NodeBuilder> bridge) {
        sites = Sites.on(node).site(site).bridge(bridge).open();
        carts = MultiSiteMap.on(sites.group("carts").expect("berlin", "paris", "rome"), Codec.TEXT, Codec.list(Codec.TEXT))
                .merge((customer, earlier, later) -> union(earlier, later))
                .join();
    }

    private static List<String> union(List<String> earlier, List<String> later) {
        TreeSet<String> all = new TreeSet<>(earlier);
        all.addAll(later);
        return List.copyOf(all);
    }

    void add(String customer, String article) {
        carts.put(customer, union(cart(customer), List.of(article)));
    }

    List<String> cart(String customer) {
        List<String> cart = carts.get(customer);
        return cart == null ? List.of() : cart;
    }

    @Override
    public void close() {
        carts.close();
        sites.close();
    }
}
