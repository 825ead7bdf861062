package dev.tutti.balancer.internal.admin;

import dev.tutti.announce.message.ContextState;
import dev.tutti.announce.message.WebContext;
import dev.tutti.balancer.internal.table.WebNode;
import java.util.Locale;
import java.util.Map;

/** The page for people. It loads nothing else, and loads itself again every five seconds. */
final class Page {

    private static final String HEAD = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="5">
            <meta name="viewport" content="width=device-width, initial-scale=1"><title>tutti balancer</title><style>
            :root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
            body{max-width:75rem;margin:0 auto;padding:1.5rem 1rem}
            h1{font-size:1.3rem;margin:0}
            h2{font-size:1rem;margin:1.75rem 0 .25rem}
            p{margin:.25rem 0 1rem;opacity:.75}
            dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(11rem,45%),1fr));gap:.75rem;margin:1rem 0}
            dl div{border:1px solid color-mix(in srgb,currentColor 20%,transparent);border-radius:.5rem;padding:.5rem .75rem}
            dt{font-size:.8rem;opacity:.75}
            dd{margin:0;font-size:1.35rem;font-variant-numeric:tabular-nums}
            .wide{overflow-x:auto}
            table{width:100%;border-collapse:collapse}
            th,td{text-align:right;padding:.35rem .5rem;border-bottom:1px solid color-mix(in srgb,currentColor 15%,transparent);
            font-variant-numeric:tabular-nums;vertical-align:top}
            th{font-weight:600;font-size:.85rem}
            th:first-child,td:first-child,.text{text-align:left;overflow-wrap:anywhere}
            .bad{color:light-dark(#b00020,#ff8a80)}
            form{display:inline}
            button{font:inherit;font-size:.85rem;padding:.1rem .5rem}
            </style></head><body>
            """;

    private final Console console;

    Page(Console console) {
        this.console = console;
    }

    String html() {
        Map<String, Long> counts = console.counts();
        Map<String, Long> gauges = console.gauges();
        StringBuilder page = new StringBuilder(HEAD);
        page.append("<h1>tutti balancer</h1><p>The page loads itself again every five seconds.</p><dl>");
        figure(page, "Nodes", gauges, "nodes");
        figure(page, "Requests", counts, "requests");
        figure(page, "Answers 5xx", counts, "answers-5xx");
        figure(page, "Failures of nodes", counts, "node-failures");
        figure(page, "Sent again", counts, "retried");
        figure(page, "Moved sessions", counts, "failed-over");
        figure(page, "In progress", gauges, "requests-in-progress");
        figure(page, "Clients", gauges, "client-connections");
        page.append("</dl><h2>Nodes</h2>");
        nodes(page);
        refusals(page);
        balancers(page);
        return page.append("</body></html>\n").toString();
    }

    private void nodes(StringBuilder page) {
        if (console.nodes().isEmpty()) {
            page.append("<p>No node has announced itself. Nodes join the group of this balancer, or use mod_cluster.</p>");
            return;
        }
        page.append("<div class=\"wide\"><table><thead><tr><th>route</th><th class=\"text\">address</th><th class=\"text\">domain</th>"
                + "<th class=\"text\">contexts</th><th>load</th><th>sessions</th><th>in flight</th><th>requests</th><th>failures</th>"
                + "<th class=\"text\">orders</th></tr></thead><tbody>");
        for (WebNode node : console.nodes()) {
            Map<String, Long> numbers = console.numbers(node);
            page.append("<tr><td>").append(escape(node.route()));
            if (console.isSuspect(node)) {
                page.append(" <span class=\"bad\">fails</span>");
            }
            page.append("</td><td class=\"text\">").append(escape(node.content().url()))
                    .append("</td><td class=\"text\">").append(escape(node.content().domain()))
                    .append("</td><td class=\"text\">");
            for (WebContext context : node.content().contexts()) {
                page.append(escape(context.path().isEmpty() ? "/" : context.path()));
                if (!context.version().isEmpty()) {
                    page.append(" ").append(escape(context.version()));
                }
                if (!context.aliases().isEmpty()) {
                    page.append(" of ").append(escape(String.join(", ", context.aliases())));
                }
                if (context.state() != ContextState.ENABLED) {
                    page.append(" <span class=\"bad\">").append(context.state().name().toLowerCase(Locale.ROOT)).append("</span>");
                }
                page.append("<br>");
            }
            page.append("</td><td>").append(String.format(Locale.ROOT, "%.2f", node.content().load().value()))
                    .append("</td><td>").append(console.sessions(node))
                    .append("</td><td>").append(numbers.getOrDefault("in-flight", 0L))
                    .append("</td><td>").append(numbers.getOrDefault("requests", 0L))
                    .append("</td><td>").append(numbers.getOrDefault("failures", 0L))
                    .append("</td><td class=\"text\">");
            for (String order : new String[] {"enable", "drain", "stop"}) {
                page.append("<form method=\"post\" action=\"/v1/nodes/").append(escape(node.route())).append('/').append(order)
                        .append("\"><button>").append(order).append("</button></form> ");
            }
            page.append("</td></tr>");
        }
        page.append("</tbody></table></div>");
    }

    private void refusals(StringBuilder page) {
        Map<String, String> refusals = console.refusals();
        if (refusals.isEmpty()) {
            return;
        }
        page.append("<h2>Refused</h2><table><tbody>");
        refusals.forEach((member, reason) -> page.append("<tr><td>").append(escape(member)).append("</td><td class=\"text bad\">")
                .append(escape(reason)).append("</td></tr>"));
        page.append("</tbody></table>");
    }

    private void balancers(StringBuilder page) {
        page.append("<h2>Balancers of the group</h2><table><tbody>");
        console.balancers().forEach((member, url) -> page.append("<tr><td>").append(escape(member)).append("</td><td class=\"text\">")
                .append(escape(url)).append("</td></tr>"));
        page.append("</tbody></table>");
    }

    private static void figure(StringBuilder page, String title, Map<String, Long> numbers, String name) {
        page.append("<div><dt>").append(title).append("</dt><dd>").append(numbers.getOrDefault(name, 0L)).append("</dd></div>");
    }

    /** Escapes a text, so that it is nothing but text. */
    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
