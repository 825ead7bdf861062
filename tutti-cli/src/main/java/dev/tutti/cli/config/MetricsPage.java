package dev.tutti.cli.config;

import dev.tutti.core.metrics.Metric;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The page docs/metrics.md. */
final class MetricsPage {

    private static final Map<Metric.Place, String> HEADS = Map.of(
            Metric.Place.NODE, "Of a node",
            Metric.Place.LINK, "Of a link: the session with another node",
            Metric.Place.GROUP, "Of a group that the node is in",
            Metric.Place.MEMBER, "Of another member of a group",
            Metric.Place.SITE, "Of another site, as a group that spans sites sees it");

    private MetricsPage() {}

    static String markdown(List<Metric> metrics) {
        StringBuilder page = new StringBuilder("""
                # Metrics

                Made by `./tutti config docs metrics`; a test compares. Each number has one definition, and the same name
                everywhere: `./tutti probe`, the console, `Node.inspection()`, JMX and Micrometer. Numbers are read, never pushed:
                nobody who does not ask pays for them.

                A *counter* only grows for as long as what it belongs to is there; a *gauge* goes up and down. In Micrometer the
                name is `tutti.` and the name below with hyphens as dots, the node is the tag `node`, and a link, a group,
                a member and a site are the tags `peer`, `group`, `member` and `site`.

                """);
        for (Metric.Place place : Metric.Place.values()) {
            Map<String, List<Metric>> parts = new LinkedHashMap<>();
            for (Metric metric : metrics) {
                if (metric.place() == place) {
                    parts.computeIfAbsent(metric.part(), key -> new ArrayList<>()).add(metric);
                }
            }
            page.append("## ").append(HEADS.get(place)).append("\n\n");
            parts.forEach((part, list) -> {
                page.append("### ").append(part).append("\n\n| name | kind | unit | meaning |\n|---|---|---|---|\n");
                for (Metric metric : list) {
                    page.append("| `").append(metric.id())
                            .append("` | ").append(metric.kind().name().toLowerCase(Locale.ROOT))
                            .append(" | ").append(metric.unit().text())
                            .append(" | ").append(metric.description())
                            .append(" |\n");
                }
                page.append('\n');
            });
        }
        return page.toString().stripTrailing() + "\n";
    }
}
