package dev.tutti.blocks.presence;

import dev.tutti.Components.AttributeKeeper;
import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.SendException;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.settings.NodeAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Attributes of nodes: zone, rack, version, or anything else that a few words say. A node has those of its setting {@code attributes}, and those
 * that it puts. It is {@link Presence} in a group of its own, which all nodes join whose attributes are to be known; they are known for members of
 * any group. Operators may change those of nodes that permit it, through the console and {@code tutti probe}.
 *
 * <p>A node has at most {@value NodeAttributes#COUNT_MAX} attributes. Names are 1 to 64 lower-case letters, digits, dots, underscores and hyphens;
 * values have at most {@value NodeAttributes#VALUE_MAX} characters.
 *
 * <p>Reads are local and never wait. The attributes of a node that has just come may be known a moment after a view of another group has it; those of
 * a node that is gone, or on another side of a partition, are not known. All methods may be called from any thread.
 */
public final class Attributes implements AutoCloseable {

    private static final int NAME_BYTES_MAX = 64;

    private final Presence<String, String> presence;

    private Attributes(Presence<String, String> presence) {
        this.presence = presence;
    }

    /**
     * Joins a group for attributes: {@code Attributes.join(node.group("attributes"))}. When it returns, the attributes of the members that were there are
     * known.
     *
     * @throws IllegalArgumentException if the setting {@code attributes} has too many, or two of one name
     * @throws IllegalStateException if the node is closed or has joined the group already
     * @throws dev.tutti.StateException if no member could give the state
     */
    public static Attributes join(GroupBuilder group) {
        Arguments.required(group, "join: the group");
        PresenceBuilder<String, String> builder = Presence.on(group, text("a name", NAME_BYTES_MAX), text("a value", NodeAttributes.VALUE_MAX))
                .entriesMax(NodeAttributes.COUNT_MAX);
        NodeAttributes.of(group.node().spec().node()).forEach(builder::with);
        Attributes attributes = new Attributes(builder.join());
        group.node().components().keepAttributes(group.name(), attributes.new Keeper());
        return attributes;
    }

    /** Returns a codec of texts of at most so many characters. */
    private static Codec<String> text(String what, int lengthMax) {
        return new Codec<>() {
            @Override
            public void put(String text, ByteOutput out) {
                out.putText(text);
            }

            @Override
            public String take(ByteInput in) {
                String text = in.takeText();
                if (text.length() > lengthMax) {
                    throw new MalformedException(what + " of an attribute has " + text.length() + " characters, at most " + lengthMax);
                }
                return text;
            }
        };
    }

    /** Returns the attributes of a member's node, whichever group it is a member of; empty if none are known. Unmodifiable. */
    public Map<String, String> of(Member member) {
        Arguments.required(member, "of: the member");
        for (Member present : presence.view().members()) {
            if (present.node().equals(member.node())) {
                return presence.of(present);
            }
        }
        return Map.of();
    }

    /** Returns the members of a view, of any group, that have an attribute with this value, in the order of the view. */
    public List<Member> with(View view, String name, String value) {
        Arguments.required(value, "with: the value");
        return by(view, name).getOrDefault(value, List.of());
    }

    /**
     * Returns the members of a view, of any group, by the values of an attribute: {@code by(view, "zone")}. Those that do not have it are left out.
     *
     * @return values in their order, each with its members in the order of the view
     */
    public Map<String, List<Member>> by(View view, String name) {
        Arguments.required(view, "the view");
        Arguments.required(name, "the name of the attribute");
        Map<String, List<Member>> byValue = new TreeMap<>();
        for (Member member : view.members()) {
            String value = of(member).get(name);
            if (value != null) {
                byValue.computeIfAbsent(value, key -> new ArrayList<>()).add(member);
            }
        }
        byValue.replaceAll((value, members) -> Collections.unmodifiableList(members));
        return Collections.unmodifiableMap(byValue);
    }

    /**
     * Returns members with those first that are near to this node: {@code nearFirst(members, "rack", "zone")} begins with the members of its rack,
     * goes on with the others of its zone, and ends with the rest. Members that are equally near keep their order.
     *
     * <p>Near is a member with the same value as this node. A name for which this node has no value, or an empty one, makes no difference.
     *
     * @param names of attributes, the nearest first
     */
    public List<Member> nearFirst(Collection<Member> members, String... names) {
        Arguments.required(members, "nearFirst: the members");
        Arguments.allRequired(names, "nearFirst: the names of attributes");
        Map<String, String> own = own();
        List<List<Member>> byDistance = new ArrayList<>();
        for (int distance = 0; distance <= names.length; distance++) {
            byDistance.add(new ArrayList<>());
        }
        for (Member member : members) {
            byDistance.get(distance(own, of(member), names)).add(member);
        }
        return byDistance.stream().flatMap(List::stream).toList();
    }

    /** Returns the index of the first name with a value that both have; the number of names if there is none. */
    private static int distance(Map<String, String> own, Map<String, String> its, String[] names) {
        int distance = 0;
        while (distance < names.length) {
            String value = own.get(names[distance]);
            if (value != null && !value.isEmpty() && value.equals(its.get(names[distance]))) {
                return distance;
            }
            distance++;
        }
        return distance;
    }

    /** Returns the attributes of this node. */
    public Map<String, String> own() {
        return new LinkedHashMap<>(presence.of(presence.self()));
    }

    /**
     * Sets an attribute of this node. Waits until it is accepted; it is known here and at the others a moment later.
     *
     * @throws IllegalArgumentException if the name or the value is none
     * @throws IllegalStateException if this node has as many as it may have
     * @throws SendException if the group is left, or it can't be sent within {@code send-timeout}
     */
    public void put(String name, String value) {
        NodeAttributes.check(Arguments.required(name, "put: the name"), Arguments.required(value, "put: the value"));
        Map<String, String> own = own();
        if (own.size() >= NodeAttributes.COUNT_MAX && !own.containsKey(name)) {
            throw new IllegalStateException("node " + presence.self().name() + " has " + own.size()
                    + " attributes, and may have no more: remove one before " + name + " is set");
        }
        presence.put(name, value);
    }

    /** Removes an attribute of this node, if it has it. Waits until that is accepted. */
    public void remove(String name) {
        presence.remove(Arguments.required(name, "remove: the name"));
    }

    /** Attributes of this node for inspections of it, and for operators. */
    private final class Keeper implements AttributeKeeper {

        @Override
        public Map<String, String> attributes() {
            return own();
        }

        @Override
        public void put(String name, String value) {
            Attributes.this.put(name, value);
        }

        @Override
        public void remove(String name) {
            Attributes.this.remove(name);
        }
    }

    /** Returns the group, for settings and inspection; nothing else may be sent in it. */
    public Group group() {
        return presence.group();
    }

    /** Leaves the group: the attributes of this node are no longer known to the others. Idempotent. */
    @Override
    public void close() {
        presence.close();
    }

    @Override
    public String toString() {
        return "attributes in " + presence.group();
    }
}
