package dev.tutti.jcache;

import dev.tutti.jcache.internal.Serializer;
import dev.tutti.jcache.internal.Stored;
import java.util.Optional;
import java.util.function.Function;
import javax.cache.processor.EntryProcessor;
import javax.cache.processor.EntryProcessorException;
import javax.cache.processor.MutableEntry;
import org.jspecify.annotations.Nullable;

/** The entry that an entry processor sees; what it does to the entry takes effect when it has returned. */
final class ProcessorEntry<K, V> implements MutableEntry<K, V> {

    private enum State {
        UNTOUCHED,
        READ,
        LOADED,
        SET,
        REMOVED
    }

    private final K key;
    private final @Nullable Stored present;
    private final Serializer serializer;
    private final Function<K, Optional<V>> loader;
    private State state = State.UNTOUCHED;
    private @Nullable V value;

    /**
     * @param present the entry; null for none
     * @param loader asked for the value if there is none
     */
    ProcessorEntry(K key, @Nullable Stored present, Serializer serializer, Function<K, Optional<V>> loader) {
        this.key = key;
        this.present = present;
        this.serializer = serializer;
        this.loader = loader;
    }

    @Override
    public K getKey() {
        return key;
    }

    @Override
    public boolean exists() {
        return switch (state) {
            case UNTOUCHED, READ -> present != null;
            case LOADED, SET -> true;
            case REMOVED -> false;
        };
    }

    @Override
    @SuppressWarnings("unchecked") // The entries of a cache have its types.
    public @Nullable V getValue() {
        if (state == State.UNTOUCHED) {
            Stored stored = present;
            value = stored == null ? loader.apply(key).orElse(null) : (V) stored.value(serializer);
            if (stored != null) {
                state = State.READ;
            } else if (value != null) {
                state = State.LOADED;
            }
        }
        return value;
    }

    @Override
    public void setValue(V next) {
        if (next == null) {
            throw new NullPointerException("setValue: the value of " + key + " is null; remove() removes the entry");
        }
        value = next;
        state = State.SET;
    }

    @Override
    public void remove() {
        boolean isOnlyHere = present == null && (state == State.SET || state == State.LOADED);
        value = null;
        state = isOnlyHere ? State.UNTOUCHED : State.REMOVED;
    }

    /** Runs a processor on this entry. */
    <T> @Nullable T process(EntryProcessor<K, V, T> processor, Object... arguments) {
        try {
            return processor.process(this, arguments);
        } catch (EntryProcessorException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new EntryProcessorException(e);
        }
    }

    /** Returns what is to be done, with the result that follows from it. */
    <R> Step<V, R> step(Function<Step.Action, R> result) {
        Step.Action action =
                switch (state) {
                    case UNTOUCHED -> Step.Action.KEEP;
                    case READ -> Step.Action.ACCESS;
                    case LOADED -> Step.Action.LOAD;
                    case SET -> Step.Action.PUT;
                    case REMOVED -> Step.Action.REMOVE;
                };
        return new Step<>(action, value, result.apply(action));
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        return Unwrapping.of(this, type);
    }
}
