package dev.tutti.grid;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A producer or a consumer, as the registry describes it.
 *
 * @param id identity, which no other one has, also after a restart
 * @param name name for people, not necessarily unique
 * @param site its site; empty where there is one only
 * @param node name of the node that it is at, or of the mediator that it is connected to
 * @param address an address at which people or programs find it, such as that of a page with metrics; empty for none
 * @param filters of a producer the topics that it may publish, of a consumer those it has subscribed to; at most {@link #FILTERS_MAX}
 * @param type kind of its measurements, such as {@code cpu.load}; empty for none
 * @param schema description of bodies, or the address of one; empty for none
 * @param load load of the producer's host from 0 to 1, as it was announced last; negative if it is not known
 * @param registration number of times it has been registered, over all connections: of two entries with the same
 *     identity, the one with the larger number is valid
 * @param attributes further names and values
 */
public record Entry(
        String id,
        Kind kind,
        String name,
        String site,
        String node,
        String address,
        List<Filter> filters,
        String type,
        String schema,
        double load,
        long registration,
        Map<String, String> attributes) {

    /** Most filters of an entry. */
    public static final int FILTERS_MAX = 1_000;

    /** Most attributes of an entry. */
    public static final int ATTRIBUTES_MAX = 64;

    /** Most characters of an identity, a name, a site, a node, a type, and the name of an attribute. */
    public static final int NAME_MAX = 1_024;

    /** Most characters of an address, and of the value of an attribute. */
    public static final int VALUE_MAX = 8_192;

    /** Most characters of all texts of an entry, which are less than 4 MiB: a store in a database, and a message of a client, take it. */
    public static final int LENGTH_MAX = 1 << 20;

    /** Most characters of a schema. */
    public static final int SCHEMA_MAX = 8_192;

    /** Kinds of entries. */
    public enum Kind {
        /** Publishes measurements. */
        PRODUCER,
        /** Gets measurements. */
        CONSUMER
    }

    public Entry {
        filters = List.copyOf(filters);
        attributes = Collections.unmodifiableSortedMap(new TreeMap<>(attributes));
        Texts.check("the identity of an entry", id, NAME_MAX);
        Texts.check("the name of an entry", name, NAME_MAX);
        if (id.isEmpty()) {
            throw new IllegalArgumentException("an entry has an identity");
        }
        if (filters.size() > FILTERS_MAX) {
            throw new IllegalArgumentException("entry " + name + " has " + filters.size() + " filters, and at most " + FILTERS_MAX + " are possible");
        }
        if (attributes.size() > ATTRIBUTES_MAX) {
            throw new IllegalArgumentException(
                    "entry " + name + " has " + attributes.size() + " attributes, and at most " + ATTRIBUTES_MAX + " are possible");
        }
        Texts.check("the site of entry " + name, site, NAME_MAX);
        Texts.check("the node of entry " + name, node, NAME_MAX);
        Texts.check("the type of entry " + name, type, NAME_MAX);
        Texts.check("the address of entry " + name, address, VALUE_MAX);
        Texts.check("an attribute of entry " + name, attributes, NAME_MAX, VALUE_MAX);
        if (schema.length() > SCHEMA_MAX) {
            throw new IllegalArgumentException("the schema of " + name + " has " + schema.length() + " characters, and at most " + SCHEMA_MAX
                    + " are possible; give the address of it");
        }
        long length = schema.length() + address.length() + Texts.length(attributes) + filters.stream().mapToLong(Filter::length).sum();
        if (length > LENGTH_MAX) {
            throw new IllegalArgumentException("the texts of entry " + name + " have " + length + " characters, and at most " + LENGTH_MAX
                    + " are possible; fewer filters, or a pattern for several of them, would do");
        }
    }
}
