package dev.tutti;

import static java.util.Objects.requireNonNull;

import dev.tutti.core.View;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.LayerProvider;
import dev.tutti.internal.Host;
import dev.tutti.internal.delivery.Listeners;
import dev.tutti.internal.settings.LayerProviders;
import dev.tutti.protocols.node.GroupSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Configures a group and joins it. */
public final class GroupBuilder {

    private final Node node;
    private final String name;
    private Settings settings;
    private Function<Group, Consumer<Message>> onMessage = group -> message -> {};
    private @Nullable Function<Group, Consumer<List<Message>>> onMessages;
    private @Nullable Runnable onBatchEnd;
    private Function<Group, Consumer<View>> onView = group -> view -> {};
    private Consumer<String> onClosed = reason -> {};
    private Consumer<String> onSuspended = reason -> {};
    private Runnable onTransition = () -> {};
    private @Nullable GroupState state;
    private boolean isInline;
    private final TreeMap<String, LayerProvider> layers = new TreeMap<>();

    GroupBuilder(Node node, String name, Settings settings) {
        this.node = node;
        this.name = name;
        this.settings = settings;
    }

    /** Returns the node that is to join. */
    public Node node() {
        return node;
    }

    public String name() {
        return name;
    }

    Settings settings() {
        return settings;
    }

    /**
     * Returns the layers besides those of tutti, in the order in which the group lists them.
     *
     * @throws dev.tutti.core.settings.SettingException if there is no layer of a name, or the layers do not go together
     */
    List<LayerProvider> layers() {
        List<LayerProvider> all = LayerProviders.of(name, settings, layers);
        GroupSettings.checkLayers(name, settings, all);
        return all;
    }

    Listeners listeners(Group group, Host host) {
        if (onMessages != null && onBatchEnd != null) {
            throw new IllegalStateException("group " + name + " has onMessages and onBatchEnd: what onBatchEnd would do can be done at the end of"
                    + " onMessages");
        }
        Consumer<List<Message>> together = onMessages == null ? null : host.listener(name, onMessages.apply(group));
        return new Listeners(
                isInline,
                together == null ? host.listener(name, onMessage.apply(group)) : alone(together),
                together,
                onBatchEnd == null ? () -> {} : onBatchEnd,
                host.listener(name, onView.apply(group)),
                onTransition,
                host.listener(name, onSuspended),
                host.listener(name, onClosed));
    }

    /** Returns a listener that passes each message on in a batch of its own. */
    private static Consumer<Message> alone(Consumer<List<Message>> listener) {
        return message -> listener.accept(List.of(message));
    }

    /** Returns the state that members hand over; null if there is none. */
    @Nullable GroupState stateFor(Settings joined) {
        if (state != null && joined.get(GroupSettings.STACK) == GroupSettings.StackKind.UNRELIABLE) {
            throw new IllegalStateException("group " + name + " has a state, and its stack is unreliable: members that do not "
                    + "get the same messages have no state in common");
        }
        return state;
    }

    /**
     * Sets the listener for messages. It is called for every message, one at a time and in order. It may block, which
     * slows the senders down, and may send.
     *
     * <p>It runs on one of the node's threads, and not always on the same: on the thread that received the bytes if it
     * is quick, on a virtual thread if it takes longer than a millisecond. A listener that blocks delays the node's
     * other work by 10 milliseconds at most, once a second.
     *
     * <p>Messages that were sent with a {@link Scope} come on threads of their own, side by side.
     */
    public GroupBuilder onMessage(Consumer<Message> listener) {
        requireNonNull(listener, "listener");
        onMessage = group -> listener;
        onMessages = null;
        return this;
    }

    /**
     * Sets the listener for messages, which also gets the group: {@link #join} may not have returned it yet. See {@link
     * #onMessage(Consumer)}.
     *
     * @param listener gets the group and the message
     */
    public GroupBuilder onMessage(BiConsumer<? super Group, ? super Message> listener) {
        requireNonNull(listener, "listener");
        onMessage = group -> message -> listener.accept(group, message);
        onMessages = null;
        return this;
    }

    /**
     * Sets a listener for messages in batches, in place of {@link #onMessage}: for work that costs about the same for many messages as for one, such
     * as writing to a database.
     *
     * <p>A batch has the messages that have arrived meanwhile, of all senders, in order and within one view: one or more, at most 1,000. It does not
     * wait for more; so under little load it has one message, and under much load many. Batches end before 1 MiB and a packet, and at a message larger
     * than a packet. Messages that were sent with a {@link Scope} come alone. Messages, and the list, are valid while the listener runs; a window opens
     * for more when it has returned.
     *
     * <p>An exception is that of the whole batch: no message of it is given again. Threads, and what the listener may do, are those of {@link
     * #onMessage(Consumer)}.
     *
     * @param listener gets an unmodifiable list
     */
    public GroupBuilder onMessages(Consumer<List<Message>> listener) {
        requireNonNull(listener, "listener");
        onMessages = group -> listener;
        return this;
    }

    /**
     * Sets a listener for messages in batches, which also gets the group: {@link #join} may not have returned it yet. See {@link
     * #onMessages(Consumer)}.
     *
     * @param listener gets the group and an unmodifiable list
     */
    public GroupBuilder onMessages(BiConsumer<? super Group, ? super List<Message>> listener) {
        requireNonNull(listener, "listener");
        onMessages = group -> messages -> listener.accept(group, messages);
        return this;
    }

    /**
     * Sets the listener for ends of batches. It is called on the thread of {@link #onMessage}, after the messages that
     * arrived together were delivered, for work that is better done once for all of them than once for each, such as
     * flushing a file or waking threads. {@link #onMessages} gives the messages themselves together. With slow listeners it is called after each packet; after messages out of band
     * or in a scope, after each message.
     */
    public GroupBuilder onBatchEnd(Runnable listener) {
        onBatchEnd = requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Sets the listener for views, called in order with the messages. The first call comes before {@link #join}
     * returns.
     */
    public GroupBuilder onView(Consumer<View> listener) {
        requireNonNull(listener, "listener");
        onView = group -> listener;
        return this;
    }

    /**
     * Sets the listener for views, which also gets the group: {@link #join} may not have returned it yet. See {@link
     * #onView(Consumer)}.
     *
     * @param listener gets the group and the view
     */
    public GroupBuilder onView(BiConsumer<? super Group, ? super View> listener) {
        requireNonNull(listener, "listener");
        onView = group -> view -> listener.accept(group, view);
        return this;
    }

    /**
     * Sets the listener for transitions, in groups with safe delivery. It is called in order with messages. The
     * messages after it, up to the next view, were not known to be at all members of this view; the members that
     * continue together get them.
     */
    public GroupBuilder onTransition(Runnable listener) {
        onTransition = requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Sets the listener for suspensions, in groups with {@code partition: primary}. It is called in order with
     * messages, with the reason, when this member finds itself outside of the primary partition, and again when the
     * reason changes. Nothing is delivered, and sends wait, until the next view. By then, another member may own the
     * resources that the application holds under an epoch.
     */
    public GroupBuilder onSuspended(Consumer<String> listener) {
        onSuspended = requireNonNull(listener, "listener");
        return this;
    }

    /** Sets the listener for the end: called once when the group is left or lost, with the reason. */
    public GroupBuilder onClosed(Consumer<String> listener) {
        onClosed = requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Gives the group a state. Members that join get it before their first view is told and {@link #join} returns.
     * Members that come back from a partition get the state that continues, which the setting {@code state.of} selects:
     * that of the largest part by default. All members need a state then.
     */
    public GroupBuilder state(GroupState state) {
        this.state = requireNonNull(state, "state");
        return settings.get(GroupSettings.STATE) == GroupSettings.StateOf.NOBODY
                ? set(GroupSettings.STATE, GroupSettings.StateOf.LARGEST)
                : this;
    }

    /**
     * Calls listeners in the middle of a turn of the node's loop. They must never block, not in {@code send} either.
     */
    public GroupBuilder inline() {
        isInline = true;
        return this;
    }

    /** Turns off retransmission, order across views and flow control of messages; views are as in any group. */
    public GroupBuilder unreliable() {
        return set(GroupSettings.STACK, GroupSettings.StackKind.UNRELIABLE);
    }

    /** Delivers a message after all messages that its sender had received when it sent it. */
    public GroupBuilder causal() {
        return set(GroupSettings.STACK, GroupSettings.StackKind.CAUSAL);
    }

    /**
     * Lets only the part with a majority of the last primary view continue when members lose each other; see setting
     * {@code partition}.
     *
     * @param founders names of the nodes of which a majority forms the first primary view
     */
    public GroupBuilder primary(String... founders) {
        return set(GroupSettings.PARTITION, GroupSettings.Partition.PRIMARY)
                .set(GroupSettings.FOUNDERS, List.of(founders));
    }

    /**
     * Delivers messages in one order at all members; settings {@code total.by} and {@code total.delivery} select how.
     */
    public GroupBuilder total() {
        return set(GroupSettings.STACK, GroupSettings.StackKind.TOTAL);
    }

    /**
     * Adds a layer to the group's stack, at the lowest place where everything that it requires is provided. Its settings are
     * settings of the group from now on. See {@link LayerProvider}; layers found as services are added by their names, in the
     * setting {@code layers}.
     *
     * @throws IllegalArgumentException if the group has a layer of this name
     */
    public GroupBuilder layer(LayerProvider layer) {
        List<String> names = new ArrayList<>(settings.get(GroupSettings.LAYERS));
        if (names.contains(layer.name())) {
            throw new IllegalArgumentException("group " + name + " has a layer " + layer.name() + " already");
        }
        names.add(layer.name());
        layers.put(layer.name(), layer);
        settings = settings.withDefinitions(layer.settings());
        return set(GroupSettings.LAYERS, names);
    }

    public <T> GroupBuilder set(Setting<T> setting, T value) {
        settings = settings.with(setting, value);
        return this;
    }

    /** Sets a setting by its name, with the text that it would have in a file: {@code set("window", "4 MiB")}. */
    public GroupBuilder set(String setting, String value) {
        settings = settings.with(setting, value, Settings.Source.BUILDER, "builder of group " + name);
        return this;
    }

    /**
     * Joins. Returns as soon as this member is in a view with the members that were found; at once if there are none.
     *
     * @throws IllegalStateException if the node is closed or has joined the group already; if a callback has thrown an
     *     error meanwhile, which is the cause; or if called by a listener that runs on the loop
     * @throws StateException if the group has a state that no member could give
     * @throws dev.tutti.core.settings.SettingException if settings contradict each other
     */
    public Group join() {
        node.checkMayWait("join");
        try {
            return node.host().join(joinAsync());
        } catch (CompletionException e) {
            if (e.getCause() instanceof StateException failed) {
                throw new StateException(String.valueOf(failed.getMessage()), failed);
            }
            if (e.getCause() instanceof IllegalStateException known) {
                throw new IllegalStateException(known.getMessage(), known);
            }
            throw e;
        }
    }

    /**
     * Joins, and waits until the view has at least {@code atLeast} members: for processes that are of no use alone.
     *
     * @throws IllegalStateException if it has fewer after {@code within}; the group is left then. And as {@link #join}
     */
    public Group join(int atLeast, Duration within) {
        Group group = join();
        if (!group.awaitMembers(atLeast, within)) {
            View view = group.view();
            group.close();
            throw new IllegalStateException("group " + name + " has " + view.size() + " members after " + within.toMillis()
                    + " ms instead of at least " + atLeast + ": " + view.members() + "; the group is left. Node.health says what is"
                    + " in the way");
        }
        return group;
    }

    /**
     * Joins without waiting. The future completes on a thread of its own. Cancelling it before it is complete leaves
     * the group again.
     */
    public CompletableFuture<Group> joinAsync() {
        return node.join(this);
    }
}
