package dev.tutti.metrics;

import dev.tutti.NodeInspection;
import dev.tutti.NodeInspection.Sample;
import dev.tutti.Problem;
import dev.tutti.core.metrics.Metric;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An inspection in the text format of Prometheus, version 0.0.4. */
final class PrometheusText {

    static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private PrometheusText() {}

    /** Returns the metric's name, such as {@code tutti_reliability_sent_packets_total}. */
    static String name(Metric metric) {
        String name = "tutti_" + metric.id().replace('-', '_').replace('.', '_');
        return metric.kind() == Metric.Kind.COUNTER ? name + "_total" : name;
    }

    static String write(NodeInspection inspection) {
        Map<Metric, List<Sample>> byMetric = new LinkedHashMap<>();
        for (Sample sample : inspection.samples()) {
            byMetric.computeIfAbsent(sample.metric(), key -> new ArrayList<>()).add(sample);
        }
        StringBuilder text = new StringBuilder();
        byMetric.forEach((metric, samples) -> {
            String name = name(metric);
            String unit = metric.unit().text();
            text.append("# HELP ").append(name).append(' ').append(escaped(metric.description(), false))
                    .append(unit.isEmpty() ? "" : " In " + unit + ".").append('\n');
            text.append("# TYPE ").append(name).append(metric.kind() == Metric.Kind.COUNTER ? " counter\n" : " gauge\n");
            for (Sample sample : samples) {
                text.append(name).append("{node=\"").append(escaped(inspection.id().name(), true)).append('"');
                sample.metric().place().labels().forEach(label -> text.append(',').append(label).append("=\"")
                        .append(escaped(sample.labels().getOrDefault(label, ""), true)).append('"'));
                text.append("} ").append(sample.value()).append('\n');
            }
        });
        gauge(text, inspection, "tutti_ready", "1 if all groups that were asked for are joined, else 0.",
                inspection.health().isReady() ? 1 : 0);
        problems(text, inspection);
        return text.toString();
    }

    /** Writes a line for each kind of problem and group that there is now, so that an alert can name it. */
    private static void problems(StringBuilder text, NodeInspection inspection) {
        Map<String, Long> counts = new TreeMap<>();
        for (Problem problem : inspection.problems()) {
            counts.merge("kind=\"" + problem.kind().text() + "\",group=\"" + escaped(problem.group(), true) + '"', 1L, Long::sum);
        }
        text.append("# HELP tutti_problem Problems that last, by kind and group.\n");
        text.append("# TYPE tutti_problem gauge\n");
        counts.forEach((labels, count) -> text.append("tutti_problem{node=\"").append(escaped(inspection.id().name(), true))
                .append("\",").append(labels).append("} ").append(count).append('\n'));
    }

    private static void gauge(StringBuilder text, NodeInspection inspection, String name, String description, long value) {
        text.append("# HELP ").append(name).append(' ').append(description).append('\n');
        text.append("# TYPE ").append(name).append(" gauge\n");
        text.append(name).append("{node=\"").append(escaped(inspection.id().name(), true)).append("\"} ").append(value).append('\n');
    }

    private static String escaped(String text, boolean isLabel) {
        String plain = text.replace("\\", "\\\\").replace("\n", "\\n");
        return isLabel ? plain.replace("\"", "\\\"") : plain;
    }
}
