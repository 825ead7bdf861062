package dev.tutti.config;

import java.util.List;

/** A piece of a YAML document, with its place: {@code file:line}. */
sealed interface YamlNode {

    String place();

    /** Text between quotes or without; its meaning depends on the setting. */
    record Scalar(String place, String text) implements YamlNode {}

    /** No value: nothing, {@code ~} or {@code null}. */
    record Nothing(String place) implements YamlNode {}

    record Sequence(String place, List<YamlNode> elements) implements YamlNode {}

    /** Keys are distinct, in the order of the file. */
    record Mapping(String place, List<Entry> entries) implements YamlNode {}

    record Entry(Scalar key, YamlNode value) {}
}
