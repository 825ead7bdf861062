package dev.tutti.grid.mediator;

import dev.tutti.grid.Entry;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Producers with pages of metrics, as the service discovery of Prometheus over HTTP reads them. */
final class Targets {

    /** Attribute of producers that Prometheus is to ask. */
    static final String ATTRIBUTE = "prometheus";

    private Targets() {}

    /** Returns a group for each producer with an address, as JSON has it. */
    static List<Map<String, Object>> of(List<Entry> producers) {
        List<Map<String, Object>> groups = new ArrayList<>();
        for (Entry producer : producers) {
            Map<String, String> labels = labels(producer);
            String target = target(producer.address(), labels);
            if (!target.isEmpty()) {
                Map<String, Object> group = new LinkedHashMap<>();
                group.put("targets", List.of(target));
                group.put("labels", labels);
                groups.add(group);
            }
        }
        return groups;
    }

    private static Map<String, String> labels(Entry producer) {
        Map<String, String> labels = new TreeMap<>();
        producer.attributes().forEach((name, value) -> {
            if (!name.equals(ATTRIBUTE)) {
                labels.put(label(name), value);
            }
        });
        labels.put("node", producer.node());
        labels.put("producer", producer.name());
        if (!producer.site().isEmpty()) {
            labels.put("site", producer.site());
        }
        return labels;
    }

    /** Returns the name of a label: Prometheus has letters, digits and lines, and those with two lines at the beginning for itself. */
    private static String label(String name) {
        String valid = name.replaceAll("[^A-Za-z0-9_]", "_").replaceFirst("^_+", "");
        return valid.isEmpty() || Character.isDigit(valid.charAt(0)) ? "attribute_" + valid : valid;
    }

    /** Returns host and port of an address; empty if it has none. Scheme and path of a URL become labels. */
    private static String target(String address, Map<String, String> labels) {
        if (!address.contains("://")) {
            return address.matches("[^\\s/]+:[0-9]{1,5}") ? address : "";
        }
        try {
            URI url = new URI(address);
            String scheme = String.valueOf(url.getScheme());
            if (url.getHost() == null || !scheme.equals("http") && !scheme.equals("https")) {
                return "";
            }
            labels.put("__scheme__", scheme);
            if (url.getPath() != null && !url.getPath().isEmpty()) {
                labels.put("__metrics_path__", url.getPath());
            }
            int port = url.getPort() >= 0 ? url.getPort() : scheme.equals("https") ? 443 : 80;
            return url.getHost() + ":" + port;
        } catch (URISyntaxException e) {
            return "";
        }
    }
}
