package dev.tutti;

import dev.tutti.core.View;
import dev.tutti.core.settings.Setting;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Says how a group is to be used, and joins it. */
public final class GroupBuilder {

    GroupBuilder() {}

    /**
     * Called for every message, one at a time and in order, on the group's virtual thread. May block: the senders are
     * slowed down then. May send.
     */
    public GroupBuilder onMessage(Consumer<Message> listener) {
        throw new UnsupportedOperationException();
    }

    /** Called for every view, in order with the messages. The first call comes before {@link #join} returns. */
    public GroupBuilder onView(Consumer<View> listener) {
        throw new UnsupportedOperationException();
    }

    /** Called once when the group is left or lost, with the reason. */
    public GroupBuilder onClosed(Consumer<String> listener) {
        throw new UnsupportedOperationException();
    }

    /** Calls listeners on the node's loop: the fastest, for listeners that never block. */
    public GroupBuilder inline() {
        throw new UnsupportedOperationException();
    }

    /** Messages are not repeated, ordered over views or flow-controlled; views are as in any group. */
    public GroupBuilder unreliable() {
        throw new UnsupportedOperationException();
    }

    public <T> GroupBuilder set(Setting<T> setting, T value) {
        throw new UnsupportedOperationException();
    }

    /** Sets by the name and with the text that a file would have: {@code set("window", "4 MiB")}. */
    public GroupBuilder set(String setting, String value) {
        throw new UnsupportedOperationException();
    }

    /**
     * Joins. Returns as soon as this member is in a view with those that were found; at once if there is nobody.
     *
     * @throws IllegalStateException if the node is closed or has joined the group already
     */
    public Group join() {
        throw new UnsupportedOperationException();
    }

    public CompletableFuture<Group> joinAsync() {
        throw new UnsupportedOperationException();
    }
}
