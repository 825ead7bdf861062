package dev.tutti.balancer.internal.admin;

import dev.tutti.balancer.internal.proxy.Counters.Name;
import dev.tutti.balancer.internal.table.WebNode;
import java.util.List;
import java.util.Map;

/** Numbers of a balancer in the text format of Prometheus. */
final class MetricsText {

    private static final String PREFIX = "tutti_balancer_";

    private MetricsText() {}

    static String of(Map<Name, Long> counters, Map<String, Long> gauges, List<WebNode> nodes) {
        StringBuilder text = new StringBuilder();
        counters.forEach((name, value) -> {
            String metric = PREFIX + name.text().replace('-', '_') + "_total";
            text.append("# HELP ").append(metric).append(' ').append(name.meaning()).append('\n');
            text.append("# TYPE ").append(metric).append(" counter\n").append(metric).append(' ').append(value).append('\n');
        });
        gauges.forEach((name, value) -> {
            String metric = PREFIX + name.replace('-', '_');
            text.append("# TYPE ").append(metric).append(" gauge\n").append(metric).append(' ').append(value).append('\n');
        });
        text.append("# HELP ").append(PREFIX).append("node_load Load that a node has announced, from 0 to 1.\n");
        text.append("# TYPE ").append(PREFIX).append("node_load gauge\n");
        for (WebNode node : nodes) {
            text.append(PREFIX).append("node_load{route=\"").append(node.route()).append("\"} ").append(node.content().load().value())
                    .append('\n');
        }
        text.append("# HELP ").append(PREFIX).append("node_sessions Sessions that a node has announced.\n");
        text.append("# TYPE ").append(PREFIX).append("node_sessions gauge\n");
        for (WebNode node : nodes) {
            text.append(PREFIX).append("node_sessions{route=\"").append(node.route()).append("\"} ").append(node.content().sessions())
                    .append('\n');
        }
        return text.toString();
    }
}
