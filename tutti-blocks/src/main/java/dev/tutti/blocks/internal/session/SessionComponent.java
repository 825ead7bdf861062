package dev.tutti.blocks.internal.session;

import dev.tutti.Node;
import dev.tutti.NodeInspection.ComponentPart;
import dev.tutti.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.jspecify.annotations.Nullable;

/** The component of a node that shows the sessions of a container's running applications. Thread-safe. */
public final class SessionComponent {

    /** An application that has started. */
    @FunctionalInterface
    public interface Application {

        /** Returns its numbers; null if it has stopped. */
        @Nullable ComponentPart part();
    }

    private final Node node;
    private final String name;
    private final Set<Application> started = new CopyOnWriteArraySet<>();

    /** Guarded by this. */
    private @Nullable Subscription component;

    /** @param name name of the component */
    public SessionComponent(Node node, String name) {
        this.node = node;
        this.name = name;
    }

    public synchronized void onStarted(Application application) {
        started.add(application);
        if (component == null) {
            component = node.components().add(name, this::parts);
        }
    }

    public synchronized void onStopped(Application application) {
        started.remove(application);
        Subscription present = component;
        if (started.isEmpty() && present != null) {
            present.close();
            component = null;
        }
    }

    private List<ComponentPart> parts() {
        List<ComponentPart> parts = new ArrayList<>();
        for (Application application : started) {
            ComponentPart part = application.part();
            if (part != null) {
                parts.add(part);
            }
        }
        return parts;
    }
}
