package dev.tutti.blocks.typed;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Message;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.core.View;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Configures a {@link TypedGroup}, and joins it. Order, state, layers and settings are those of the {@link GroupBuilder} that it is made of; its
 * listeners of messages and views are replaced.
 *
 * @param <T> the values
 */
public final class TypedGroupBuilder<T> {

    private final GroupBuilder group;
    private final Codec<T> codec;
    private BiConsumer<? super TypedGroup<T>, ? super TypedMessage<T>> onMessage = (joined, message) -> {};
    private @Nullable BiConsumer<? super TypedGroup<T>, ? super List<TypedMessage<T>>> onMessages;

    TypedGroupBuilder(GroupBuilder group, Codec<T> codec) {
        this.group = group;
        this.codec = codec;
    }

    /** Sets the listener for values; see {@link GroupBuilder#onMessage(Consumer)} for its threads. */
    public TypedGroupBuilder<T> onMessage(Consumer<? super TypedMessage<T>> listener) {
        Arguments.required(listener, "onMessage: the listener");
        return onMessage((joined, message) -> listener.accept(message));
    }

    /** Sets the listener for values, which also gets the group: {@link #join()} may not have returned it yet. */
    public TypedGroupBuilder<T> onMessage(BiConsumer<? super TypedGroup<T>, ? super TypedMessage<T>> listener) {
        onMessage = Arguments.required(listener, "onMessage: the listener");
        onMessages = null;
        return this;
    }

    /**
     * Sets a listener for values in batches, in place of {@link #onMessage}; see {@link GroupBuilder#onMessages(Consumer)}. A message that the codec
     * can't read is left out, counted and reported; the others of its batch are not affected.
     *
     * @param listener gets an unmodifiable list of one value or more, which it may keep
     */
    public TypedGroupBuilder<T> onMessages(Consumer<? super List<TypedMessage<T>>> listener) {
        Arguments.required(listener, "onMessages: the listener");
        return onMessages((joined, messages) -> listener.accept(messages));
    }

    /** Sets a listener for values in batches, which also gets the group: {@link #join()} may not have returned it yet. */
    public TypedGroupBuilder<T> onMessages(BiConsumer<? super TypedGroup<T>, ? super List<TypedMessage<T>>> listener) {
        onMessages = Arguments.required(listener, "onMessages: the listener");
        return this;
    }

    /** Sets the listener for views, called in order with the values; see {@link GroupBuilder#onView(Consumer)}. */
    public TypedGroupBuilder<T> onView(Consumer<View> listener) {
        group.onView(Arguments.required(listener, "onView: the listener"));
        return this;
    }

    /** Sets the listener for the end; see {@link GroupBuilder#onClosed}. */
    public TypedGroupBuilder<T> onClosed(Consumer<String> listener) {
        group.onClosed(Arguments.required(listener, "onClosed: the listener"));
        return this;
    }

    /** Joins, as {@link GroupBuilder#join()} does. */
    public TypedGroup<T> join() {
        Receiver<T> receiver = receiver();
        return receiver.joined(group.join());
    }

    /** Joins, and waits until the view has at least {@code atLeast} members, as {@link GroupBuilder#join(int, Duration)} does. */
    public TypedGroup<T> join(int atLeast, Duration within) {
        Receiver<T> receiver = receiver();
        return receiver.joined(group.join(atLeast, within));
    }

    private Receiver<T> receiver() {
        Receiver<T> receiver = new Receiver<>(codec);
        if (onMessages == null) {
            receiver.listen(group, onMessage);
        } else {
            receiver.listenToBatches(group, onMessages);
        }
        return receiver;
    }

    /** Reads messages, and passes their values on. */
    private static final class Receiver<T> {
        private final Codec<T> codec;
        private final AtomicReference<@Nullable TypedGroup<T>> joined = new AtomicReference<>();

        Receiver(Codec<T> codec) {
            this.codec = codec;
        }

        void listen(GroupBuilder builder, BiConsumer<? super TypedGroup<T>, ? super TypedMessage<T>> listener) {
            builder.onMessage((group, message) -> {
                TypedGroup<T> typed = joined(group);
                listener.accept(typed, value(typed, message));
            });
        }

        void listenToBatches(GroupBuilder builder, BiConsumer<? super TypedGroup<T>, ? super List<TypedMessage<T>>> listener) {
            builder.onMessages((group, messages) -> {
                TypedGroup<T> typed = joined(group);
                List<TypedMessage<T>> values = new ArrayList<>(messages.size());
                for (Message message : messages) {
                    // A message that is no value is reported, and the others go on.
                    group.fence().call("onMessages", each -> values.add(value(typed, each)), message);
                }
                if (!values.isEmpty()) {
                    listener.accept(typed, Collections.unmodifiableList(values));
                }
            });
        }

        /** Returns the one handle on the group; a message may come before the join has returned. */
        TypedGroup<T> joined(Group group) {
            TypedGroup<T> known = joined.get();
            if (known != null) {
                return known;
            }
            TypedGroup<T> made = new TypedGroup<>(group, codec);
            TypedGroup<T> other = joined.compareAndExchange(null, made);
            return other == null ? made : other;
        }

        private static <T> TypedMessage<T> value(TypedGroup<T> typed, Message message) {
            return new TypedMessage<>(message.sender(), message.view(), message.isUnicast(), typed.read(message));
        }
    }
}
