package dev.tutti.sites;

import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Component of the tests: a member of one site group, which sends numbers and remembers what it got. */
final class Station implements AutoCloseable {

    private final Node node;
    private final Sites sites;
    private final SiteGroup group;
    private final List<SitesView> views = new ArrayList<>();

    /** Messages that were delivered, as {@code site/sender#incarnation number}. */
    private final List<String> delivered = new ArrayList<>();

    private final List<Gap> gaps = new ArrayList<>();
    private int sent;
    private boolean isSending;
    private View view;

    Station(Node node, String site, Supplier<dev.tutti.NodeBuilder> bridge, UnaryOperator<SiteGroupBuilder> settings) {
        this.node = node;
        this.sites = Sites.on(node).site(site).bridge(bridge).onView(views::add).open();
        this.group = settings.apply(sites.group("orders")
                        .onMessage(message -> delivered.add(
                                message.site() + "/" + message.sender() + "#" + message.incarnation() + " " + message.text()))
                        .onView(next -> view = next)
                        .onGap(gaps::add))
                .join();
    }

    /** Sends the next number everywhere, unless one is being sent: its number is used again if it is not accepted. */
    void send() {
        if (isSending) {
            return;
        }
        isSending = true;
        int number = sent + 1;
        try {
            group.send(String.valueOf(number));
            sent = number;
        } catch (SendException e) {
            // Not accepted: the number is used again.
        } finally {
            isSending = false;
        }
    }

    Node node() {
        return node;
    }

    Sites sites() {
        return sites;
    }

    SiteGroup group() {
        return group;
    }

    int sent() {
        return sent;
    }

    List<SitesView> views() {
        return views;
    }

    List<String> delivered() {
        return delivered;
    }

    List<Gap> gaps() {
        return gaps;
    }

    /** Returns the numbers that came from each sender, in order. */
    Map<String, List<Integer>> bySender() {
        Map<String, List<Integer>> numbers = new TreeMap<>();
        for (String line : delivered) {
            int space = line.lastIndexOf(' ');
            numbers.computeIfAbsent(line.substring(0, space), key -> new ArrayList<>())
                    .add(Integer.parseInt(line.substring(space + 1).substring(0, Math.min(4, line.length() - space - 1))));
        }
        return numbers;
    }

    @Override
    public void close() {
        sites.close();
    }
}
