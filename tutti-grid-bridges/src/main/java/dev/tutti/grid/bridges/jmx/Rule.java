package dev.tutti.grid.bridges.jmx;

import java.util.List;
import javax.management.ObjectName;

/**
 * A choice of MBeans and of their attributes.
 *
 * @param attributes names of attributes, {@code ATTRIBUTE.ITEM} for an item of composite data; empty for all
 */
record Rule(ObjectName pattern, List<String> attributes) {

    /** Returns whether a number is chosen. */
    boolean isChosen(String attribute, String item) {
        return attributes.isEmpty() || attributes.contains(attribute) || attributes.contains(attribute + "." + item);
    }

    /** Returns whether an attribute, or an item of it, is chosen. */
    boolean isChosen(String attribute) {
        return attributes.isEmpty()
                || attributes.stream().anyMatch(each -> each.equals(attribute) || each.startsWith(attribute + "."));
    }
}
