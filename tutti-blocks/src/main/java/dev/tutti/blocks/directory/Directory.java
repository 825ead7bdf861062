package dev.tutti.blocks.directory;

import dev.tutti.GroupBuilder;
import dev.tutti.Snapshot;
import dev.tutti.Subscription;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.directory.DirectoryCommand.Outcome;
import dev.tutti.blocks.directory.DirectoryCommand.Wish;
import dev.tutti.blocks.directory.DirectoryException.Reason;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.blocks.internal.LostSide;
import dev.tutti.blocks.internal.LostSides;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.internal.block.ReplicatedBlock;
import dev.tutti.blocks.internal.block.Upkeep;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.blocks.merge.Side;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A tree of names that all members of a group share: values, and contexts that hold names. It has a group to itself.
 *
 * <p><b>Changes</b> are executed at all members in one order, once or not at all, and return when they were executed
 * here. So of two members that bind one name at a time, one is refused. <b>Look-ups</b> are local and wait for nothing;
 * they see every change that has returned here, and after {@link #sync} every one that had returned to any member
 * before.
 *
 * <p><b>Partition.</b> Each side continues, and one name may be bound on both. <b>Merge.</b> The names of the largest
 * side become those of all members, and a moment later the others' names are added unless they are bound already
 * ({@link DirectoryBuilder#merge} for other rules): a name that one side has removed and another has not is there again
 * if the largest side still had it, or the other one adds it. {@link DirectoryBuilder#onlyInPrimary} prevents that.
 *
 * <p>Values are shared with the readers of this process and must not be changed. All methods may be called from any
 * thread; listeners of groups must not call those that wait.
 *
 * @param <V> values, by their codec
 */
public final class Directory<V> implements AutoCloseable {

    /**
     * An entry of a context.
     *
     * @param value null if it is a context
     */
    public record Entry<V>(String name, @Nullable V value) {

        public boolean isContext() {
            return value == null;
        }
    }

    private record Listener<V>(DirectoryPath subtree, Consumer<DirectoryEvent<V>> consumer) {}

    private final DirectoryBuilder<V> settings;
    private final String name;
    private final ReplicatedBlock<DirectoryCommand<V>, Outcome, DirectoryEvent<V>> block;
    private final Upkeep upkeep;
    private final CopyOnWriteArrayList<Listener<V>> listeners = new CopyOnWriteArrayList<>();

    // Guarded by the lock of the upkeep.
    private Tree<V> tree;
    private final LostSides<List<Wish<V>>> lostSides = new LostSides<>();

    private Directory(DirectoryBuilder<V> settings) {
        this.settings = settings;
        this.name = settings.group().name();
        this.tree = new Tree<>(settings.namesMax());
        this.block = new ReplicatedBlock<>(
                settings.group(), "directory", "this member can't tell what is to be merged", new Contents());
        this.upkeep = block.upkeep();
    }

    /** Returns a builder on a group that is still to be joined: its listeners, its state and its order are set here. */
    public static <V> DirectoryBuilder<V> on(GroupBuilder group, Codec<V> values) {
        return new DirectoryBuilder<>(group, values);
    }

    static <V> Directory<V> join(DirectoryBuilder<V> settings) {
        Directory<V> directory = new Directory<>(settings);
        directory.block.join(settings.merge(), DirectoryCommand.codec(settings.values()), settings::prepared);
        return directory;
    }

    // ------------------------------------------------------------------ looking up

    /**
     * Returns the value under a path.
     *
     * @throws DirectoryException if there is none, or it is a context
     */
    public V lookup(DirectoryPath path) {
        V value = find(path).value();
        if (value == null) {
            throw refusal(new Outcome(Reason.IS_A_CONTEXT, path.names().size()), path);
        }
        return value;
    }

    /** Returns the entry under a path. Its name is empty for the root. */
    public Entry<V> find(DirectoryPath path) {
        Arguments.required(path, "find: the path");
        upkeep.lock().lock();
        try {
            if (path.isRoot()) {
                return new Entry<>("", null);
            }
            Outcome parentless = tree.parentless(path);
            if (parentless != null) {
                throw refusal(parentless, path);
            }
            Binding<V> found = tree.find(path);
            if (found == null) {
                throw refusal(new Outcome(Reason.NOT_FOUND, path.names().size() - 1), path);
            }
            return new Entry<>(path.name(), found.value());
        } finally {
            upkeep.lock().unlock();
        }
    }

    /**
     * Returns the entries of a context, by name.
     *
     * @throws DirectoryException if there is no context under this path
     */
    public List<Entry<V>> list(DirectoryPath context) {
        Arguments.required(context, "list: the path");
        upkeep.lock().lock();
        try {
            if (!find(context).isContext()) {
                throw refusal(new Outcome(Reason.NOT_A_CONTEXT, context.names().size()), context);
            }
            return tree.children(context).stream()
                    .map(each -> new Entry<>(each.path().name(), each.value()))
                    .toList();
        } finally {
            upkeep.lock().unlock();
        }
    }

    /** Returns all values, by path. */
    public Map<DirectoryPath, V> values() {
        upkeep.lock().lock();
        try {
            return values(tree);
        } finally {
            upkeep.lock().unlock();
        }
    }

    private static <V> Map<DirectoryPath, V> values(Tree<V> tree) {
        Map<DirectoryPath, V> values = new LinkedHashMap<>();
        for (Binding<V> each : tree.all()) {
            V value = each.value();
            if (value != null) {
                values.put(each.path(), value);
            }
        }
        return values;
    }

    /** Returns the number of names, contexts included. */
    public int size() {
        upkeep.lock().lock();
        try {
            return tree.size();
        } finally {
            upkeep.lock().unlock();
        }
    }

    /** Waits until this member has all changes that had returned to any member before this call. */
    public void sync() {
        block.sync(settings.timeout());
    }

    /**
     * Reports changes in a subtree, the context itself included: one at a time and in order, on the group's thread,
     * which must not wait.
     */
    public Subscription listen(DirectoryPath subtree, Consumer<DirectoryEvent<V>> consumer) {
        Arguments.required(subtree, "listen: the path");
        Arguments.required(consumer, "listen: the listener");
        Listener<V> listener = new Listener<>(subtree, consumer);
        listeners.add(listener);
        return () -> listeners.removeIf(each -> each == listener);
    }

    // ------------------------------------------------------------------ changing

    /** Binds a value to a name that is free. */
    public void bind(DirectoryPath path, V value) {
        Arguments.required(path, "bind: the path");
        checkValue(path, value);
        execute(new DirectoryCommand.Bind<>(path, value, false), path);
    }

    /** Binds a value to a name, in place of the previous value if there is one; not of a context. */
    public void rebind(DirectoryPath path, V value) {
        Arguments.required(path, "rebind: the path");
        checkValue(path, value);
        execute(new DirectoryCommand.Bind<>(path, value, true), path);
    }

    /** Removes a value. Does nothing if there is none, as long as the context exists that it would be in. */
    public void unbind(DirectoryPath path) {
        Arguments.required(path, "unbind: the path");
        execute(new DirectoryCommand.Unbind<>(path), path);
    }

    /** Creates a context in an existing one. */
    public void createContext(DirectoryPath path) {
        Arguments.required(path, "createContext: the path");
        execute(new DirectoryCommand.Create<>(path), path);
    }

    /** Removes an empty context. Does nothing if there is none, as long as the context exists that it would be in. */
    public void destroyContext(DirectoryPath path) {
        Arguments.required(path, "destroyContext: the path");
        execute(new DirectoryCommand.Destroy<>(path), path);
    }

    /** Moves a value, or a context with all that is in it, to a name that is free. */
    public void rename(DirectoryPath from, DirectoryPath to) {
        Arguments.required(from, "rename: the present path");
        Arguments.required(to, "rename: the new path");
        execute(new DirectoryCommand.Rename<>(from, to), from);
    }

    private void checkValue(DirectoryPath path, @Nullable V value) {
        if (value == null) {
            throw new NullPointerException("directory " + name + ": the value for '" + path
                    + "' is null; unbind(path) removes a value, createContext(path) makes a context");
        }
    }

    private void execute(DirectoryCommand<V> command, DirectoryPath path) {
        Outcome outcome = block.call(command);
        if (outcome.refusal() != null) {
            throw refusal(outcome, path);
        }
    }

    private DirectoryException refusal(Outcome outcome, DirectoryPath path) {
        Reason reason = Objects.requireNonNull(outcome.refusal(), "it was done");
        return new DirectoryException(
                reason,
                outcome.resolved(),
                "directory " + name + ": '" + path + "': "
                        + switch (reason) {
                            case NOT_FOUND -> "there is no such name";
                            case ALREADY_BOUND -> "there is something under this name";
                            case NOT_A_CONTEXT -> "there is a value where a context should be";
                            case IS_A_CONTEXT -> "there is a context where a value should be";
                            case NOT_EMPTY -> "there is something in the context";
                            case FULL -> "there are " + settings.namesMax() + " names, or the path is too long";
                            case REFUSED, UNKNOWN, CLOSED -> reason;
                        });
    }

    // ------------------------------------------------------------------ state

    /** Returns this member. */
    public Member self() {
        return upkeep.self();
    }

    /** Returns the view that the directory has reached. */
    public View view() {
        return upkeep.view();
    }

    /** Returns counters by name; for people. */
    public Map<String, Long> status() {
        return block.status();
    }

    /** Leaves the group. Idempotent. */
    @Override
    public void close() {
        block.close();
    }

    // ------------------------------------------------------------------ the machine

    private final class Contents implements ReplicatedBlock.Contents<DirectoryCommand<V>, Outcome, DirectoryEvent<V>> {

        @Override
        public Outcome apply(Member member, DirectoryCommand<V> command) {
            return switch (command) {
                case DirectoryCommand.Bind<V>(DirectoryPath path, V value, boolean isRebind) ->
                    tree.bind(path, value, isRebind);
                case DirectoryCommand.Unbind<V>(DirectoryPath path) -> tree.unbind(path);
                case DirectoryCommand.Create<V>(DirectoryPath path) -> tree.bind(path, null, false);
                case DirectoryCommand.Destroy<V>(DirectoryPath path) -> tree.destroy(path);
                case DirectoryCommand.Rename<V>(DirectoryPath from, DirectoryPath to) -> tree.rename(from, to);
                case DirectoryCommand.Again<V> again -> bringIn(again);
            };
        }

        @Override
        public void onView(View view, Member self) {
            lostSides.onView(view, self);
        }

        @Override
        public void clear() {
            Tree<V> empty = new Tree<>(settings.namesMax());
            empty.addEventsSince(tree);
            tree = empty;
        }

        @Override
        public Snapshot snapshot(Blocks.Origin origin) {
            DirectoryImage<V> image = new DirectoryImage<>(origin, tree.changes(), tree.all());
            return out -> image.write(settings.values(), out);
        }

        @Override
        public Runnable read(InputStream in, @Nullable View from) throws IOException {
            return replacement(DirectoryImage.read(settings.values(), in), from);
        }

        @Override
        public List<DirectoryEvent<V>> takeEvents() {
            return tree.takeEvents();
        }

        @Override
        public void tell(DirectoryEvent<V> event) {
            for (Listener<V> each : listeners) {
                if (event.path().isIn(each.subtree())) {
                    upkeep.callbacks().call("listener", each.consumer(), event);
                }
            }
        }

        @Override
        public void attend(View view, Member self) {
            lostSides.takeDue(view, self).forEach(side -> bringIn(side, view));
        }

        @Override
        public void putStatus(Map<String, Long> status) {
            status.put("names", (long) tree.size());
            status.put("to-bring-in", lostSides.count(List::size));
        }

        @Override
        public RuntimeException exception(CommandException failure, String message) {
            Reason reason =
                    switch (failure.reason()) {
                        case CLOSED -> Reason.CLOSED;
                        case MALFORMED -> throw failure;
                        default ->
                            failure.execution() == CommandException.Execution.NEVER ? Reason.REFUSED : Reason.UNKNOWN;
                    };
            return new DirectoryException(reason, message, failure);
        }

        @Override
        public void onClosed(String reason) {
            settings.closedListener().accept(reason);
        }
    }

    private Runnable replacement(DirectoryImage<V> image, @Nullable View from) {
        Tree<V> next = image.tree(settings.namesMax());
        List<Wish<V>> wishes = from == null ? List.of() : wishes(image.origin(), next, from);
        return () -> {
            next.addEventsSince(tree);
            tree = next;
            if (from != null && !wishes.isEmpty()) {
                lostSides.add(new LostSide<>(from, wishes));
            }
        };
    }

    // ------------------------------------------------------------------ merges

    /** Returns the wishes of this side, which is given up, for changes to the state that goes on. */
    private List<Wish<V>> wishes(Blocks.Origin origin, Tree<V> kept, View from) {
        Merge<Map<DirectoryPath, V>> rule = settings.merge();
        List<Wish<V>> wishes = new ArrayList<>();
        if (rule.kind() == Merge.Kind.UNION) {
            for (Binding<V> own : tree.all()) {
                if (kept.find(own.path()) == null) {
                    wishes.add(new Wish<>(new Binding<>(own.path(), own.value(), 0), false));
                }
            }
        } else if (rule.kind() == Merge.Kind.OWN) {
            Map<DirectoryPath, V> keptValues = values(kept);
            Map<DirectoryPath, V> result = rule.merge(List.of(
                    new Side<>(origin.view(), origin.members(), new LinkedHashMap<>(keptValues)),
                    new Side<>(from.id(), from.members(), new LinkedHashMap<>(values(tree)))));
            new TreeMap<>(result).forEach((path, value) -> {
                if (!Objects.deepEquals(keptValues.get(path), value)) {
                    wishes.add(new Wish<>(new Binding<>(path, value, kept.versionOf(path)), false));
                }
            });
            keptValues.keySet().forEach(path -> {
                if (!result.containsKey(path)) {
                    wishes.add(new Wish<>(new Binding<>(path, null, kept.versionOf(path)), true));
                }
            });
        }
        return wishes;
    }

    private Outcome bringIn(DirectoryCommand.Again<V> again) {
        if (again.view() == view().id().number()) {
            again.wishes().forEach(tree::bringIn);
            if (again.isLast()) {
                lostSides.onBroughtIn(again.side());
            }
        }
        return Outcome.DONE;
    }

    private void bringIn(LostSide<List<Wish<V>>> side, View present) {
        List<Wish<V>> wishes = side.wanted();
        for (int from = 0; from < wishes.size(); from += BATCH) {
            int to = Math.min(from + BATCH, wishes.size());
            DirectoryCommand<V> again = new DirectoryCommand.Again<>(
                    side.id(), present.id().number(), to == wishes.size(), wishes.subList(from, to));
            block.announce(again, side::onUnsent);
        }
    }

    private static final int BATCH = 256;

    @Override
    public String toString() {
        return block.block() + " of " + size() + " names, " + upkeep.reached();
    }
}
