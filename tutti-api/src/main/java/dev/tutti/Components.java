package dev.tutti;

import dev.tutti.NodeInspection.ComponentPart;
import dev.tutti.NodeInspection.Part;
import dev.tutti.core.Printable;
import dev.tutti.core.settings.NodeAttributes;
import dev.tutti.internal.Fence;
import dev.tutti.internal.Host;
import dev.tutti.internal.Logs;
import dev.tutti.internal.diagnostics.EventJournal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Components on top of a node, such as its part in a cluster of several sites, and the things that they add to what the node tells:
 * parts of its {@linkplain Node#inspection inspections}, and {@linkplain Node#events events}. Console, metrics and command line show
 * them like those of the node itself. A {@link dev.tutti.core.metrics.MetricsProvider} defines the numbers in the parts.
 *
 * <p>All methods may be called from any thread.
 */
public final class Components {

    /** Attributes of this node, as a component announces them to other nodes: those of the block {@code Attributes}. From any thread. */
    public interface AttributeKeeper {

        /** Returns the present attributes by name. Never waits. */
        Map<String, String> attributes();

        /**
         * Sets an attribute. Waits until it is announced.
         *
         * @throws IllegalArgumentException if the name or the value is none
         * @throws IllegalStateException if there are as many as there may be
         * @throws SendException if it can't be announced
         */
        void put(String name, String value);

        /**
         * Removes an attribute, if it is there. Waits until that is announced.
         *
         * @throws SendException if it can't be announced
         */
        void remove(String name);
    }

    /** Most parts in an inspection; further ones are left out, and counted. */
    public static final int PARTS_MAX = 2_000;

    /** Characters of a text in a page of a view. */
    private static final int TEXT_MAX = 256;

    private static final Logger LOG = Logs.of(Components.class);

    private final String node;
    private final EventJournal journal;
    private final Fence fence;
    private final DataView.Content shownContent;
    private final Predicate<String> isJoined;
    private final Map<String, Supplier<List<ComponentPart>>> sources = new ConcurrentSkipListMap<>();
    private final Map<String, Map<String, View>> views = new ConcurrentSkipListMap<>();
    private final Map<String, AttributeKeeper> attributeKeepers = new ConcurrentSkipListMap<>();
    private final LongAdder failures = new LongAdder();
    private volatile long leftOut;

    /** A view, and the data of the application that it shows. */
    private record View(DataView view, DataView.Content content) {}

    /**
     * @param shownContent most that views may show to be given away
     * @param isJoined returns whether the node is in a group
     */
    Components(String node, Host host, EventJournal journal, DataView.Content shownContent, Predicate<String> isJoined) {
        this.node = node;
        this.journal = journal;
        this.shownContent = shownContent;
        this.isJoined = isJoined;
        this.fence = new Fence(host, this::onFailed);
    }

    /**
     * Adds a component.
     *
     * @param name one word, unique at the node
     * @param parts returns its present parts, without two of one name and the same labels; called for each inspection, on its thread;
     *     must not wait. If it throws, the inspection has none of them, and {@code components.failures} counts it
     * @return to be closed when the component ends
     * @throws IllegalArgumentException if the name is no word of small letters and hyphens, or there is such a component already
     */
    public Subscription add(String name, Supplier<List<ComponentPart>> parts) {
        Objects.requireNonNull(parts, "parts");
        if (!name.matches("[a-z-]{1,32}")) {
            throw new IllegalArgumentException("a component's name is a word of at most 32 small letters and hyphens, not '" + name + "'");
        }
        if (sources.putIfAbsent(name, parts) != null) {
            throw new IllegalArgumentException("node " + node + " has a component '" + name + "' already");
        }
        return () -> sources.remove(name, parts);
    }

    /**
     * Writes an event {@link Event.Kind#COMPONENT}, unless there was one of this component with the same {@code about} and {@code what}
     * less than a second ago. Never waits; listeners of events are called on another thread.
     *
     * @param about thing of the component, such as the name of a site. The number of different ones is bounded by the component
     * @param what kind of change, as a word with hyphens
     * @param group group that it concerns; empty if it concerns the node
     * @param text description in words
     */
    public void tell(String component, String about, String what, String group, String text) {
        Map<String, String> details = new TreeMap<>();
        details.put("component", component);
        details.put("about", about);
        details.put("what", what);
        journal.onComponent(String.join(" ", component, group, what, about), group, text, details);
    }

    /**
     * Adds a view of a component of a group, until the group is left. One of the same group and kind takes its place.
     *
     * @param kind one word for what it shows: {@code locks}
     * @param content data of the application that it shows; it is given away only if the settings of the node permit that
     */
    public void addView(String group, String kind, DataView.Content content, DataView view) {
        views.computeIfAbsent(group, _ -> new ConcurrentSkipListMap<>()).put(kind, new View(view, content));
        if (!isJoined.test(group)) {
            // It was left meanwhile.
            forget(group);
        }
    }

    /** Returns the kinds of views that there are, by group. Those that the node's settings keep back are left out. */
    public Map<String, List<String>> views() {
        Map<String, List<String>> kinds = new TreeMap<>();
        views.forEach((group, ofGroup) -> {
            List<String> shown = new ArrayList<>();
            ofGroup.forEach((kind, view) -> {
                if (isShown(view)) {
                    shown.add(kind);
                }
            });
            if (!shown.isEmpty()) {
                kinds.put(group, shown);
            }
        });
        return kinds;
    }

    /**
     * Returns a page of a view, with control characters of its texts escaped and long ones cut off.
     *
     * @throws IllegalArgumentException if there is no such view or position, or the view can't be shown now; the message says why
     */
    public DataView.Page page(String group, String kind, DataView.Request request) {
        View view = views.getOrDefault(group, Map.of()).get(kind);
        if (view == null) {
            throw new IllegalArgumentException("node " + node + " has no " + kind + " of group " + group);
        }
        if (!isShown(view)) {
            throw new IllegalArgumentException("node " + node + " shows no " + kind + ": its "
                    + (view.content == DataView.Content.VALUES ? "operator.values" : "operator.content") + " is not set");
        }
        DataView.Request bounded =
                new DataView.Request(request.prefix(), request.after(), Math.clamp(request.rowsMax(), 1, DataView.ROWS_MAX));
        List<DataView.Page> pages = new ArrayList<>();
        Throwable thrown = fence.attempt(() -> pages.add(view.view.page(bounded)));
        if (thrown instanceof IllegalArgumentException wrong) {
            throw wrong;
        }
        if (thrown != null || pages.isEmpty()) {
            throw new IllegalArgumentException("node " + node + " can't show " + kind + " of group " + group + " now: " + thrown);
        }
        DataView.Page page = pages.getFirst();
        return new DataView.Page(page.columns(), page.rows().stream().map(Components::shown).toList(), page.next());
    }

    private boolean isShown(View view) {
        return view.content.compareTo(shownContent) <= 0;
    }

    private static List<String> shown(List<String> row) {
        return row.stream().map(text -> Printable.escape(text.length() > TEXT_MAX ? text.substring(0, TEXT_MAX) + "…" : text)).toList();
    }

    /**
     * Has a component announce the node's attributes in a group, until the group is left: they are in inspections of the node as the part {@code
     * attributes}, and operators may change them. Where several groups have attributes, a change is made in all of them.
     */
    public void keepAttributes(String group, AttributeKeeper keeper) {
        attributeKeepers.put(group, Objects.requireNonNull(keeper, "keeper"));
        if (!isJoined.test(group)) {
            // It was left meanwhile.
            forget(group);
        }
    }

    /**
     * Sets an attribute of this node.
     *
     * @throws IllegalArgumentException if the name or the value is none
     * @throws IllegalStateException if the node announces no attributes, or has as many as it may have
     */
    void putAttribute(String name, String value) {
        NodeAttributes.check(name, value);
        announced().forEach(keeper -> keeper.put(name, value));
    }

    /**
     * Removes an attribute of this node; returns whether there was one.
     *
     * @throws IllegalStateException if the node announces no attributes
     */
    boolean removeAttribute(String name) {
        boolean wasThere = false;
        for (AttributeKeeper keeper : announced()) {
            wasThere |= keeper.attributes().containsKey(name);
            keeper.remove(name);
        }
        return wasThere;
    }

    private List<AttributeKeeper> announced() {
        List<AttributeKeeper> keepers = List.copyOf(attributeKeepers.values());
        if (keepers.isEmpty()) {
            throw new IllegalStateException("node " + node + " announces no attributes: its program has to join them, by Attributes.join");
        }
        return keepers;
    }

    /** Returns the attributes that are announced; nothing if no component announces any. */
    List<Part> attributes() {
        if (attributeKeepers.isEmpty()) {
            return List.of();
        }
        Map<String, String> all = new LinkedHashMap<>();
        attributeKeepers.values().forEach(keeper -> all.putAll(keeper.attributes()));
        return List.of(new Part("attributes", Map.of(), Map.of(), all));
    }

    /** Forgets the views and the attributes of a group that was left. */
    void forget(String group) {
        views.remove(group);
        attributeKeepers.remove(group);
    }

    /** Returns the parts of all components. */
    List<ComponentPart> parts() {
        List<ComponentPart> all = new ArrayList<>();
        sources.forEach((name, source) -> fence.call(name, into -> into.addAll(source.get()), all));
        leftOut = Math.max(0, all.size() - PARTS_MAX);
        return all.subList(0, Math.min(all.size(), PARTS_MAX));
    }

    /** Returns counts of the components themselves. */
    Part part() {
        return new Part(
                "components",
                Map.of(),
                Map.of("components", (long) sources.size(), "left-out", leftOut, "failures", failures.sum()),
                Map.of());
    }

    private void onFailed(String component, Object argument, Throwable thrown) {
        failures.increment();
        LOG.warn("node {}: component {} does not say how it is", node, component, thrown);
    }
}
