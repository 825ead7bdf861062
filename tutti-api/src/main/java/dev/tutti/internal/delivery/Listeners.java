package dev.tutti.internal.delivery;

import dev.tutti.GroupBuilder;
import dev.tutti.Message;
import dev.tutti.core.View;
import java.util.function.Consumer;

/**
 * The callbacks of a group, as {@link GroupBuilder} was given them.
 *
 * @param isInline whether they are called in the middle of a turn of the loop
 */
public record Listeners(
        boolean isInline,
        Consumer<Message> onMessage,
        Runnable onBatchEnd,
        Consumer<View> onView,
        Runnable onTransition,
        Consumer<String> onSuspended,
        Consumer<String> onClosed) {}
