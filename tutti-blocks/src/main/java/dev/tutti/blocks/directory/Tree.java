package dev.tutti.blocks.directory;

import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.directory.DirectoryCommand.Outcome;
import dev.tutti.blocks.directory.DirectoryException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The names of a directory, by path, and the operations on them. Under the directory's lock. */
final class Tree<V> {

    private final TreeMap<DirectoryPath, Binding<V>> bindings;
    private final int namesMax;
    private final List<DirectoryEvent<V>> events = new ArrayList<>();
    private long changes;

    Tree(int namesMax) {
        this(namesMax, new TreeMap<>(), 0);
    }

    Tree(int namesMax, TreeMap<DirectoryPath, Binding<V>> bindings, long changes) {
        this.namesMax = namesMax;
        this.bindings = bindings;
        this.changes = changes;
    }

    /** @throws MalformedException if the path is bound already, or its context does not exist */
    void restore(Binding<V> binding) {
        if (binding.path().isRoot() || parentless(binding.path()) != null || bindings.put(binding.path(), binding) != null) {
            throw new MalformedException("a state has '" + binding.path() + "' twice, or not its context");
        }
    }

    int size() {
        return bindings.size();
    }

    long changes() {
        return changes;
    }

    /** Returns and removes the events since the last call. */
    List<DirectoryEvent<V>> takeEvents() {
        List<DirectoryEvent<V>> taken = List.copyOf(events);
        events.clear();
        return taken;
    }

    List<Binding<V>> all() {
        return new ArrayList<>(bindings.values());
    }

    @Nullable Binding<V> find(DirectoryPath path) {
        return bindings.get(path);
    }

    long versionOf(DirectoryPath path) {
        Binding<V> found = bindings.get(path);
        return found == null ? 0 : found.version();
    }

    /** Returns the bindings directly in a context. */
    List<Binding<V>> children(DirectoryPath context) {
        List<Binding<V>> children = new ArrayList<>();
        Map.Entry<DirectoryPath, Binding<V>> next = bindings.higherEntry(context);
        while (next != null && next.getKey().isIn(context)) {
            children.add(next.getValue());
            next = bindings.ceilingEntry(next.getKey().end());
        }
        return children;
    }

    /** Returns why the context of this path can hold nothing; null if it can. */
    @Nullable Outcome parentless(DirectoryPath path) {
        for (int count = 1; count < path.names().size(); count++) {
            Binding<V> context = bindings.get(path.first(count));
            if (context == null) {
                return new Outcome(Reason.NOT_FOUND, count - 1);
            }
            if (!context.isContext()) {
                return new Outcome(Reason.NOT_A_CONTEXT, count);
            }
        }
        return null;
    }

    // ------------------------------------------------------------------ commands

    Outcome bind(DirectoryPath path, @Nullable V value, boolean isRebind) {
        Outcome parentless = parentless(path);
        if (parentless != null) {
            return parentless;
        }
        Binding<V> present = bindings.get(path);
        if (path.isRoot() || present != null && !isRebind) {
            return new Outcome(Reason.ALREADY_BOUND, path.names().size());
        }
        if (present != null && present.isContext()) {
            return new Outcome(Reason.IS_A_CONTEXT, path.names().size());
        }
        if (present == null && bindings.size() >= namesMax) {
            return new Outcome(Reason.FULL, path.names().size() - 1);
        }
        set(path, value);
        return Outcome.DONE;
    }

    /** Removes a value; succeeds, too, if there is none. */
    Outcome unbind(DirectoryPath path) {
        Outcome parentless = parentless(path);
        if (parentless != null) {
            return parentless;
        }
        Binding<V> present = bindings.get(path);
        if (path.isRoot() || present != null && present.isContext()) {
            return new Outcome(Reason.IS_A_CONTEXT, path.names().size());
        }
        clear(path);
        return Outcome.DONE;
    }

    /** Removes a context; succeeds, too, if there is none. */
    Outcome destroy(DirectoryPath path) {
        Outcome parentless = parentless(path);
        if (parentless != null) {
            return parentless;
        }
        Binding<V> present = bindings.get(path);
        if (present != null && !present.isContext()) {
            return new Outcome(Reason.NOT_A_CONTEXT, path.names().size());
        }
        if (path.isRoot() || !children(path).isEmpty()) {
            return new Outcome(Reason.NOT_EMPTY, path.names().size());
        }
        clear(path);
        return Outcome.DONE;
    }

    /** Moves a binding with all that is below. */
    Outcome rename(DirectoryPath from, DirectoryPath to) {
        Outcome parentless = parentless(from);
        if (parentless != null) {
            return parentless;
        }
        if (from.isRoot() || bindings.get(from) == null) {
            return new Outcome(Reason.NOT_FOUND, Math.max(0, from.names().size() - 1));
        }
        parentless = parentless(to);
        if (parentless != null) {
            return parentless;
        }
        if (to.isRoot() || bindings.containsKey(to) || to.isIn(from)) {
            return new Outcome(Reason.ALREADY_BOUND, to.names().size());
        }
        List<Binding<V>> moved = new ArrayList<>(bindings.subMap(from, from.end()).values());
        int depth = from.names().size();
        for (Binding<V> each : moved) {
            List<String> names = each.path().names();
            if (to.names().size() + names.size() - depth > DirectoryPath.DEPTH_MAX) {
                return new Outcome(Reason.FULL, 0);
            }
        }
        moved.reversed().forEach(each -> clear(each.path()));
        for (Binding<V> each : moved) {
            List<String> names = each.path().names();
            set(to.resolve(new DirectoryPath(names.subList(depth, names.size()))), each.value());
        }
        return Outcome.DONE;
    }

    /** Makes a change that a side which was given up brings in again, unless the path was changed since. */
    void bringIn(DirectoryCommand.Wish<V> wish) {
        Binding<V> wanted = wish.binding();
        DirectoryPath path = wanted.path();
        if (path.isRoot() || versionOf(path) != wanted.version()) {
            return;
        }
        if (wish.isRemoval()) {
            Binding<V> present = bindings.get(path);
            if (present != null && (!present.isContext() || children(path).isEmpty())) {
                clear(path);
            }
            return;
        }
        for (int count = 1; count < path.names().size(); count++) {
            DirectoryPath context = path.first(count);
            Binding<V> present = bindings.get(context);
            if (present != null && !present.isContext()) {
                return;
            }
            if (present == null) {
                set(context, null);
            }
        }
        Binding<V> present = bindings.get(path);
        if (present == null || !present.isContext()) {
            set(path, wanted.value());
        }
    }

    private void set(DirectoryPath path, @Nullable V value) {
        changes++;
        Binding<V> previous = bindings.put(path, new Binding<>(path, value, changes));
        events.add(new DirectoryEvent<>(
                previous == null ? DirectoryEvent.Kind.ADDED : DirectoryEvent.Kind.CHANGED,
                path,
                previous == null ? null : previous.value(),
                value,
                value == null));
    }

    private void clear(DirectoryPath path) {
        Binding<V> previous = bindings.remove(path);
        if (previous != null) {
            changes++;
            events.add(new DirectoryEvent<>(
                    DirectoryEvent.Kind.REMOVED, path, previous.value(), null, previous.isContext()));
        }
    }

    /** Adds the events of the change from {@code before} to this tree, which has replaced it. */
    void addEventsSince(Tree<V> before) {
        events.addAll(before.takeEvents());
        for (Binding<V> old : before.all().reversed()) {
            Binding<V> own = bindings.get(old.path());
            if (own == null || own.isContext() != old.isContext()) {
                events.add(new DirectoryEvent<>(
                        DirectoryEvent.Kind.REMOVED, old.path(), old.value(), null, old.isContext()));
            }
        }
        for (Binding<V> each : bindings.values()) {
            Binding<V> old = before.bindings.get(each.path());
            if (old == null || old.isContext() != each.isContext()) {
                events.add(new DirectoryEvent<>(
                        DirectoryEvent.Kind.ADDED, each.path(), null, each.value(), each.isContext()));
            } else if (!Objects.deepEquals(old.value(), each.value())) {
                events.add(new DirectoryEvent<>(
                        DirectoryEvent.Kind.CHANGED, each.path(), old.value(), each.value(), false));
            }
        }
    }
}
