package dev.tutti.internal.delivery;

import dev.tutti.GroupBuilder;
import dev.tutti.Message;
import dev.tutti.core.View;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The callbacks of a group, as {@link GroupBuilder} was given them.
 *
 * @param isInline whether they are called in the middle of a turn of the loop
 * @param onMessage takes one message: each, unless there is {@code onMessages}, or those in scopes and out of band
 * @param onMessages takes messages in order that have arrived together; null if they are taken one by one
 */
public record Listeners(
        boolean isInline,
        Consumer<Message> onMessage,
        @Nullable Consumer<List<Message>> onMessages,
        Runnable onBatchEnd,
        Consumer<View> onView,
        Runnable onTransition,
        Consumer<String> onSuspended,
        Consumer<String> onClosed) {

    /** Returns the name of the callback for messages. */
    String messageCallback() {
        return onMessages == null ? "onMessage" : "onMessages";
    }
}
