package dev.tutti.grid.bridges;

import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Rules by which measurements get names in systems whose series have a name and labels. The tags of a measurement are labels, and so is
 * {@code producer}, its producer's identity. Its topic is the name, unless a template says that some levels are labels: with {@code
 * hosts/{host}/#}, measurements with the topic {@code hosts/web1/cpu/load} are in the series {@code hosts/cpu/load} with the label
 * {@code host="web1"}.
 */
public final class SeriesNames {

    /** Label of the producer's identity. */
    public static final String PRODUCER = "producer";

    private static final String REST = "#";
    private static final Pattern LABEL = Pattern.compile("\\{([A-Za-z_][A-Za-z0-9_.]*)}");

    private final List<String[]> templates;
    private final boolean isWithProducer;

    private SeriesNames(List<String[]> templates, boolean isWithProducer) {
        this.templates = templates;
        this.isWithProducer = isWithProducer;
    }

    /** Returns the rules by default: {@code hosts/{host}/#}, {@code jvms/{jvm}/#} and {@code otlp/{service}/#} are templates. */
    public static SeriesNames defaults() {
        return of("hosts/{host}/#", "jvms/{jvm}/#", "otlp/{service}/#");
    }

    /**
     * Returns rules with these templates. The first one that has the levels of a topic is taken.
     *
     * @param templates patterns of topics, as in {@link Filter#topic}, whose levels may be {@code {LABEL}} besides
     * @throws IllegalArgumentException if one is wrong
     */
    public static SeriesNames of(String... templates) {
        List<String[]> all = new ArrayList<>();
        for (String template : templates) {
            Filter.topic(LABEL.matcher(template).replaceAll("*"));
            all.add(template.split("/", -1));
        }
        return new SeriesNames(List.copyOf(all), true);
    }

    /**
     * Returns these rules without the label {@code producer}. Series go on when a producer is restarted; in exchange, producers
     * whose measurements have the same topic and tags write the same series.
     */
    public SeriesNames withoutProducer() {
        return new SeriesNames(templates, false);
    }

    /** Returns the series of a measurement. */
    public Series of(Measurement measurement) {
        Map<String, String> labels = new TreeMap<>(measurement.tags());
        if (isWithProducer) {
            labels.put(PRODUCER, measurement.producer());
        }
        String path = measurement.topic().path();
        if (templates.isEmpty()) {
            return new Series(path, labels);
        }
        String[] levels = path.split("/", -1);
        for (String[] template : templates) {
            if (matches(template, levels)) {
                return new Series(split(template, levels, labels), labels);
            }
        }
        return new Series(path, labels);
    }

    private static boolean matches(String[] template, String[] levels) {
        for (int i = 0; i < template.length; i++) {
            if (template[i].equals(REST)) {
                return true;
            }
            if (i == levels.length || !isAny(template[i]) && !template[i].equals(levels[i])) {
                return false;
            }
        }
        return template.length == levels.length;
    }

    private static boolean isAny(String level) {
        return level.equals("*") || LABEL.matcher(level).matches();
    }

    /** Puts the levels that are labels into {@code labels}, and returns the others. */
    private static String split(String[] template, String[] levels, Map<String, String> labels) {
        List<String> name = new ArrayList<>();
        for (int i = 0; i < levels.length; i++) {
            var label = LABEL.matcher(i < template.length ? template[i] : "");
            if (label.matches()) {
                labels.put(label.group(1), levels[i]);
            } else {
                name.add(levels[i]);
            }
        }
        return name.isEmpty() ? levels[0] : String.join("/", name);
    }
}
