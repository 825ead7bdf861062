package dev.tutti.rendezvous.internal.http;

import dev.tutti.rendezvous.internal.registry.Registry;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The page for people. It loads nothing else, and loads itself again every five seconds. */
final class Page {

    /** Clusters that are shown. */
    static final int CLUSTERS_MAX = 500;

    private static final String HEAD = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="5">
            <meta name="viewport" content="width=device-width, initial-scale=1"><title>tutti rendezvous</title><style>
            :root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
            body{max-width:60rem;margin:0 auto;padding:1.5rem 1rem}
            h1{font-size:1.3rem;margin:0}
            h2{font-size:1rem;margin:1.75rem 0 .25rem}
            p{margin:.25rem 0 1rem;opacity:.75}
            dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(12rem,45%),1fr));gap:.75rem;margin:1rem 0}
            dl div{border:1px solid color-mix(in srgb,currentColor 20%,transparent);border-radius:.5rem;padding:.5rem .75rem}
            dt{font-size:.8rem;opacity:.75}
            dd{margin:0;font-size:1.35rem;font-variant-numeric:tabular-nums}
            table{width:100%;border-collapse:collapse}
            th,td{text-align:right;padding:.35rem .5rem;border-bottom:1px solid color-mix(in srgb,currentColor 15%,transparent);
            font-variant-numeric:tabular-nums}
            th{font-weight:600;font-size:.85rem}
            th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}
            </style></head><body>
            """;

    private Page() {}

    static String of(List<Registry.Summary> clusters, Map<String, Long> numbers, long upNanos) {
        StringBuilder page = new StringBuilder(HEAD);
        page.append("<h1>tutti rendezvous server</h1><p>up for ").append(duration(upNanos)).append("</p><dl>");
        figure(page, "Clusters", numbers, "clusters");
        figure(page, "Nodes", numbers, "nodes");
        figure(page, "Relayed pairs", numbers, "pairs");
        figure(page, "Relayed", amount(numbers.getOrDefault("relayed-bytes", 0L)));
        figure(page, "Relayed now", amount(numbers.getOrDefault("relayed-bytes-per-second", 0L)) + "/s");
        figure(page, "Connections", numbers, "connections");
        figure(page, "Refused", numbers, "refused");
        figure(page, "Wrong or no token", numbers, "unauthorized");
        page.append("</dl><h2>Clusters</h2>");
        if (clusters.isEmpty()) {
            page.append("<p>No node is here. Nodes come with <code>rendezvous.servers</code> set to this server.</p>");
        } else {
            page.append("<table><thead><tr><th>cluster</th><th>nodes</th><th>reached through here</th><th>relayed pairs</th></tr>"
                    + "</thead><tbody>");
            for (Registry.Summary cluster : clusters) {
                page.append("<tr><td>").append(escape(cluster.name())).append("</td><td>").append(cluster.nodes())
                        .append("</td><td>").append(cluster.relayed()).append("</td><td>").append(cluster.pairs()).append("</td></tr>");
            }
            page.append("</tbody></table>");
            if (clusters.size() == CLUSTERS_MAX) {
                page.append("<p>The first ").append(CLUSTERS_MAX).append(" clusters are shown.</p>");
            }
        }
        return page.append("</body></html>\n").toString();
    }

    private static void figure(StringBuilder page, String title, Map<String, Long> numbers, String name) {
        figure(page, title, String.valueOf(numbers.getOrDefault(name, 0L)));
    }

    private static void figure(StringBuilder page, String title, String value) {
        page.append("<div><dt>").append(title).append("</dt><dd>").append(value).append("</dd></div>");
    }

    private static String duration(long nanos) {
        Duration up = Duration.ofNanos(nanos);
        return up.toDays() > 0
                ? up.toDays() + " d " + up.toHoursPart() + " h"
                : up.toHours() > 0 ? up.toHours() + " h " + up.toMinutesPart() + " min" : up.toMinutes() + " min " + up.toSecondsPart() + " s";
    }

    private static String amount(long bytes) {
        String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
        double value = bytes;
        int unit = 0;
        while (value >= 1_024 && unit < units.length - 1) {
            value /= 1_024;
            unit++;
        }
        return String.format(java.util.Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    }

    /** Escapes a text, so that it is nothing but text. */
    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
