package dev.tutti.metrics;

import dev.tutti.Event;
import dev.tutti.Health;
import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.NodeInspection.ComponentPart;
import dev.tutti.NodeInspection.GroupPart;
import dev.tutti.NodeInspection.LinkPart;
import dev.tutti.Subscription;
import dev.tutti.core.View;
import dev.tutti.core.metrics.Metric;
import dev.tutti.internal.Logs;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanNotificationInfo;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A node, its groups and its links as JMX beans: {@code dev.tutti:type=Node,name="a"}, {@code
 * dev.tutti:type=Group,node="a",name="chat"}, {@code dev.tutti:type=Link,node="a",peer="b"}. Parts of components on the node, such as
 * sites, are {@code dev.tutti:type=Component,node="a",part="site-link",group="orders",site="paris"}. Read-only. Every number has its
 * description; events are notifications of the node's bean.
 *
 * <p>Costs nothing while nobody reads.
 */
public final class Jmx implements AutoCloseable {

    private static final Logger LOG = Logs.of(Jmx.class);

    private final Changes changes;
    private final Readings readings;
    private final MBeanServer server;
    private final Map<String, ObjectName> beans = new TreeMap<>();
    private final NodeBean nodeBean;
    private final Subscription listening;
    private boolean isClosed;

    private Jmx(Node node, MBeanServer server) {
        this.changes = new Changes(node, "tutti-jmx", this::sync);
        this.readings = new Readings(node, changes::tellSoon);
        this.server = server;
        this.nodeBean = new NodeBean(readings);
        try {
            add("node", name("type=Node,name=" + ObjectName.quote(node.name())), nodeBean);
        } catch (IllegalStateException e) {
            changes.close();
            throw e;
        }
        this.listening = node.onEvent(nodeBean::tell);
        changes.tell();
    }

    /**
     * Registers a node at the platform's server.
     *
     * @throws IllegalStateException if a node of this name is registered in this process already
     */
    public static Jmx register(Node node) {
        return new Jmx(node, ManagementFactory.getPlatformMBeanServer());
    }

    private static ObjectName name(String properties) {
        try {
            return new ObjectName("dev.tutti:" + properties);
        } catch (MalformedObjectNameException e) {
            throw new IllegalStateException("no name of a bean: " + properties, e);
        }
    }

    /** Registers beans of new groups, links and components, and removes those of ended ones. */
    private void sync(NodeInspection inspection) {
        String node = ObjectName.quote(inspection.id().name());
        Map<String, Runnable> wanted = new LinkedHashMap<>();
        for (GroupPart group : inspection.groups()) {
            ObjectName name = name("type=Group,node=" + node + ",name=" + ObjectName.quote(group.name()));
            wanted.put("group " + group.name(), () -> add("group " + group.name(), name, new GroupBean(readings, group.name())));
        }
        for (LinkPart link : inspection.openLinks()) {
            String label = inspection.label(link);
            ObjectName name = name("type=Link,node=" + node + ",peer=" + ObjectName.quote(label));
            wanted.put("link " + label, () -> add("link " + label, name, new LinkBean(readings, label)));
        }
        for (ComponentPart component : inspection.components()) {
            String part = component.part().name();
            StringBuilder properties = new StringBuilder("type=Component,node=" + node + ",part=" + ObjectName.quote(part));
            new TreeMap<>(component.labels()).forEach((label, value) ->
                    properties.append(',').append(label).append('=').append(ObjectName.quote(value)));
            String key = properties.toString();
            wanted.put(key, () -> add(key, name(key), new ComponentBean(readings, component)));
        }
        synchronized (beans) {
            if (isClosed) {
                return;
            }
            Set<String> gone = new HashSet<>(beans.keySet());
            gone.removeAll(wanted.keySet());
            gone.remove("node");
            gone.forEach(this::remove);
            wanted.forEach((key, add) -> {
                if (!beans.containsKey(key)) {
                    add.run();
                }
            });
        }
    }

    private void add(String key, ObjectName name, Bean bean) {
        try {
            server.registerMBean(bean, name);
            synchronized (beans) {
                beans.put(key, name);
            }
        } catch (InstanceAlreadyExistsException e) {
            throw new IllegalStateException(name + " is registered already: two nodes of one name?", e);
        } catch (JMException e) {
            throw new IllegalStateException(name + " can't be registered", e);
        }
    }

    private void remove(String key) {
        ObjectName name = beans.remove(key);
        if (name == null) {
            return;
        }
        try {
            server.unregisterMBean(name);
        } catch (InstanceNotFoundException e) {
            LOG.debug("{} was removed by somebody else", name);
        } catch (JMException e) {
            LOG.warn("{} can't be removed", name, e);
        }
    }

    /** Removes all beans. Idempotent. */
    @Override
    public void close() {
        listening.close();
        changes.close();
        synchronized (beans) {
            isClosed = true;
            List.copyOf(beans.keySet()).forEach(this::remove);
        }
    }

    // ------------------------------------------------------------------ beans

    /** Returns the attribute's name: {@code reliability.sent-packets} as {@code ReliabilitySentPackets}. */
    static String attribute(Metric metric) {
        return attribute(metric.id());
    }

    private static String attribute(String of) {
        StringBuilder name = new StringBuilder();
        for (String word : of.split("[.\\-_]")) {
            name.append(Character.toUpperCase(word.charAt(0))).append(word, 1, word.length());
        }
        return name.toString();
    }

    /** A bean with the numbers of one place by their definitions, and some texts. */
    private abstract static class Bean extends NotificationBroadcasterSupport implements DynamicMBean {

        /** A text, a truth value or a list. */
        record Fact(String type, String description, Function<NodeInspection, @Nullable Object> value) {}

        private final Readings readings;
        private final String description;
        private final Map<String, String> labels;
        private final Map<String, Metric> metrics = new LinkedHashMap<>();
        private final Map<String, Fact> facts = new LinkedHashMap<>();

        Bean(Readings readings, Predicate<Metric> place, Map<String, String> labels, String description) {
            super(new MBeanNotificationInfo(new String[] {EVENT}, Notification.class.getName(), "Events of the node"));
            this.readings = readings;
            this.labels = labels;
            this.description = description;
            for (Metric metric : Node.metrics()) {
                if (place.test(metric)) {
                    metrics.put(attribute(metric), metric);
                }
            }
        }

        void fact(String name, String type, String text, Function<NodeInspection, @Nullable Object> value) {
            facts.put(name, new Fact(type, text, value));
        }

        @Override
        public @Nullable Object getAttribute(String name) throws AttributeNotFoundException {
            Fact fact = facts.get(name);
            NodeInspection inspection = readings.inspection();
            if (fact != null) {
                return inspection == null ? null : fact.value().apply(inspection);
            }
            Metric metric = metrics.get(name);
            if (metric == null) {
                throw new AttributeNotFoundException("there is no attribute " + name);
            }
            return readings.value(new Readings.Key(metric.id(), labels));
        }

        @Override
        public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
            throw new AttributeNotFoundException(attribute.getName() + " can only be read");
        }

        @Override
        public AttributeList getAttributes(String[] names) {
            AttributeList list = new AttributeList();
            for (String name : names) {
                try {
                    list.add(new Attribute(name, getAttribute(name)));
                } catch (AttributeNotFoundException e) {
                    // By contract, missing attributes are left out.
                    LOG.debug("{} is left out", name);
                }
            }
            return list;
        }

        @Override
        public AttributeList setAttributes(AttributeList attributes) {
            return new AttributeList();
        }

        @Override
        public Object invoke(String action, Object[] parameters, String[] signature) {
            throw new UnsupportedOperationException(action + ": there is nothing to be done here, only to be read");
        }

        @Override
        public MBeanInfo getMBeanInfo() {
            List<MBeanAttributeInfo> attributes = new ArrayList<>();
            facts.forEach((name, fact) ->
                    attributes.add(new MBeanAttributeInfo(name, fact.type(), fact.description(), true, false, false)));
            metrics.forEach((name, metric) -> attributes.add(new MBeanAttributeInfo(
                    name,
                    Long.class.getName(),
                    metric.description() + (metric.unit().text().isEmpty() ? "" : " In " + metric.unit().text() + "."),
                    true,
                    false,
                    false)));
            return new MBeanInfo(
                    getClass().getName(), description, attributes.toArray(new MBeanAttributeInfo[0]), null, null, getNotificationInfo());
        }
    }

    private static final String EVENT = "dev.tutti.event";
    private static final String TEXT = String.class.getName();
    private static final String TEXTS = String[].class.getName();
    private static final String TRUTH = Boolean.class.getName();

    private static final class NodeBean extends Bean {

        NodeBean(Readings readings) {
            super(readings, metric -> metric.place() == Metric.Place.NODE, Map.of(), "A node");
            fact("Address", TEXT, "Where others dial it.", node -> node.id().address());
            fact("Cluster", TEXT, "Its cluster.", NodeInspection::cluster);
            fact("State", TEXT, "Running or stopped.", NodeInspection::state);
            fact("Version", TEXT, "Of tutti.", NodeInspection::version);
            fact("Ready", TRUTH, "True if all requested groups are joined.", node -> node.health().isReady());
            fact("Reasons", TEXTS, "Why it is not ready, or what is strange.", node -> {
                Health health = node.health();
                return health.reasons().toArray(new String[0]);
            });
            fact("Document", TEXT, "All that the node knows, as JSON.", NodeInspection::json);
        }

        void tell(Event event) {
            Notification notification =
                    new Notification(EVENT, "dev.tutti", event.number(), event.time().toEpochMilli(), event.toString());
            notification.setUserData(event.kind().text());
            sendNotification(notification);
        }
    }

    private static final class GroupBean extends Bean {

        private final String name;

        GroupBean(Readings readings, String name) {
            super(readings, metric -> metric.place() == Metric.Place.GROUP, Map.of("group", name), "A group that the node is in");
            this.name = name;
            fact("View", TEXT, "The view that was installed last.", node -> of(node, group -> {
                View view = group.view();
                return view == null ? "" : view.id().toString();
            }));
            fact("Members", TEXTS, "Of the view, the oldest first.", node -> of(node, group -> {
                View view = group.view();
                return view == null ? new String[0] : view.members().stream().map(Object::toString).toArray(String[]::new);
            }));
            fact("Order", TEXT, "Of messages.", node -> of(node, GroupPart::order));
            fact("Joined", TRUTH, "True if it is joined, with its state.", node -> of(node, GroupPart::isJoined));
            fact("WaitsFor", TEXT, "Cause that a send would wait for; empty if it would proceed.", node -> of(node, GroupPart::waitsFor));
        }

        private @Nullable Object of(NodeInspection node, Function<GroupPart, Object> value) {
            return node.groups().stream().filter(group -> group.name().equals(name)).findFirst().map(value).orElse(null);
        }
    }

    private static final class LinkBean extends Bean {

        private final String label;

        LinkBean(Readings readings, String label) {
            super(readings, metric -> metric.place() == Metric.Place.LINK, Map.of("peer", label), "A session with another node");
            this.label = label;
            fact("Address", TEXT, "Where the peer is dialled.", node -> of(node, link -> link.peer().address()));
            fact("State", TEXT, "Open, or resuming without a connection.", node -> of(node, LinkPart::state));
            fact("Suspected", TRUTH, "True if the peer is suspected.", node -> of(node, LinkPart::isSuspected));
            fact("Closes", TEXTS, "Groups whose window the peer keeps closed.",
                    node -> of(node, link -> link.closes().toArray(new String[0])));
        }

        private @Nullable Object of(NodeInspection node, Function<LinkPart, Object> value) {
            return node.openLinks().stream().filter(link -> node.label(link).equals(label)).findFirst().map(value).orElse(null);
        }
    }

    private static final class ComponentBean extends Bean {

        private final String part;
        private final Map<String, String> labels;

        ComponentBean(Readings readings, ComponentPart component) {
            super(readings, metric -> metric.part().equals(component.part().name()), component.labels(), "A part of a component on the node");
            this.part = component.part().name();
            this.labels = component.labels();
            component.part().texts().keySet().forEach(text -> fact(
                    attribute(text), TEXT, "As the component tells it: " + text + ".", node -> of(node, text)));
        }

        private @Nullable Object of(NodeInspection node, String text) {
            return node.components().stream()
                    .filter(each -> each.part().name().equals(part) && each.labels().equals(labels))
                    .findFirst()
                    .map(each -> each.part().texts().get(text))
                    .orElse(null);
        }
    }
}
