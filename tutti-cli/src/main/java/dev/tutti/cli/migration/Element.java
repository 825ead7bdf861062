package dev.tutti.cli.migration;

import java.util.List;
import java.util.Optional;

/**
 * An element of an XML file.
 *
 * @param name the name without a prefix of a namespace
 * @param place file and line of its beginning
 * @param attributes in the order of the file
 * @param children in the order of the file
 */
record Element(String name, Place place, List<Attribute> attributes, List<Element> children) {

    /**
     * File and line.
     *
     * @param file name of the file, as people know it
     * @param line from 1
     */
    record Place(String file, int line) {
        @Override
        public String toString() {
            return file + ":" + line;
        }
    }

    /**
     * An attribute.
     *
     * @param name the name as it is written
     * @param raw the value as it is written, with placeholders
     * @param value the value with properties in place of placeholders
     */
    record Attribute(String name, Place place, String raw, String value) {}

    /** Returns the value of an attribute; empty if there is none. */
    Optional<String> value(String attribute) {
        return attributes.stream()
                .filter(each -> each.name().equals(attribute))
                .map(Attribute::value)
                .findFirst();
    }
}
