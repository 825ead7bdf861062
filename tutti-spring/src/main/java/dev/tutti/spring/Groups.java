package dev.tutti.spring;

import dev.tutti.Group;
import dev.tutti.Node;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;

/** The groups of messages that the application is in, and their listeners. */
final class Groups implements DisposableBean {

    private final Node node;
    private final Map<String, GroupListeners> listeners = new TreeMap<>();

    Groups(Node node, BeanFactory beans, Annotated annotated) {
        this.node = node;
        annotated.listeners().forEach((group, methods) -> listeners.put(group, new GroupListeners(beans, methods)));
        annotated.groups().forEach(group -> listeners.computeIfAbsent(group, none -> new GroupListeners(beans, List.of())));
    }

    /** Joins; waits for the view with the members that are found. */
    Group join(String group) {
        GroupListeners own = listeners.get(group);
        if (own == null) {
            throw new IllegalArgumentException("group " + group + " is none of " + listeners.keySet());
        }
        return own.attach(node.group(group)).join();
    }

    void open() {
        listeners.values().forEach(GroupListeners::open);
    }

    @Override
    public void destroy() {
        listeners.values().forEach(GroupListeners::close);
    }
}
