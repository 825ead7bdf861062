package dev.tutti.bench.report;

import dev.tutti.look.PlotLibrary;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A report as one HTML file that fetches nothing: tables, and charts drawn by uPlot, whose script is in the file. */
public final class Page {

    private final StringBuilder body = new StringBuilder();
    private String lead = "";
    private final List<Object> charts = new ArrayList<>();

    public Page section(String title) {
        body.append("<h2>").append(escape(title)).append("</h2>\n");
        return this;
    }

    public Page text(String text) {
        body.append("<p>").append(escape(text)).append("</p>\n");
        return this;
    }

    /** Adds an item to a list of findings. */
    public Page note(String text) {
        body.append("<p class=\"note\">").append(escape(text)).append("</p>\n");
        return this;
    }

    /** @param isGood whether it is the desired result */
    public Page verdict(String text, boolean isGood) {
        body.append("<p class=\"").append(isGood ? "held" : "missed").append("\">").append(escape(text)).append("</p>\n");
        return this;
    }

    public Page table(Table table) {
        body.append(html(table, false));
        return this;
    }

    /** Shows a table in front of everything else, instead of the one that was there. Its cells may be longer than a line. */
    public Page lead(Table table) {
        lead = html(table, true);
        return this;
    }

    /** @param isLead whether cells have their titles: on a narrow page they stand below each other */
    private static String html(Table table, boolean isLead) {
        StringBuilder html = new StringBuilder("<div class=\"scroll").append(isLead ? " lead" : "").append("\"><table><thead>");
        List<String> names = isLead ? table.titles() : List.of();
        row(html, table.titles(), List.of(), "th");
        html.append("</thead><tbody>\n");
        table.rows().forEach(cells -> row(html, cells, names, "td"));
        return html.append("</tbody></table></div>\n").toString();
    }

    private static void row(StringBuilder html, List<String> cells, List<String> names, String element) {
        html.append("<tr>");
        for (int column = 0; column < cells.size(); column++) {
            html.append('<').append(element);
            if (column < names.size()) {
                html.append(" data-title=\"").append(escape(names.get(column))).append('"');
            }
            html.append('>').append(escape(cells.get(column))).append("</").append(element).append('>');
        }
        html.append("</tr>\n");
    }

    public Page chart(Chart chart) {
        body.append("<figure id=\"chart-").append(charts.size()).append("\"><figcaption>")
                .append(escape(chart.title()))
                .append("</figcaption></figure>\n");
        charts.add(chart.toMap());
        return this;
    }

    /** Adds facts on the environment of the measurements. */
    public Page facts(Map<String, Object> facts) {
        body.append("<dl>");
        facts.forEach((name, value) -> body.append("<dt>").append(escape(name)).append("</dt><dd>")
                .append(escape(String.valueOf(value))).append("</dd>\n"));
        body.append("</dl>\n");
        return this;
    }

    public String write(String title) {
        // A script element ends at the first such characters, wherever they are.
        String data = Json.write(charts).replace("</", "<\\/");
        return resource("report.html")
                .replace("${title}", escape(title))
                .replace("${style}", plot(PlotLibrary.STYLE) + resource("report.css"))
                .replace("${body}", lead + body)
                .replace("${library}", "/*! " + plot(PlotLibrary.LICENSE).strip() + " */\n" + plot(PlotLibrary.SCRIPT))
                .replace("${data}", data)
                .replace("${script}", resource("report.js"));
    }

    private static String plot(String name) {
        try {
            return new String(PlotLibrary.read(name), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("can't read " + name, e);
        }
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(Page.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("can't read " + name, e);
        }
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
