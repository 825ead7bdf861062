package dev.tutti.blocks.map;

import dev.tutti.blocks.internal.Callbacks;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Creates the events for listeners. */
final class Changes {

    private Changes() {}

    /** @return null if there was no value and is none now */
    static <K, V> @Nullable EntryEvent<K, V> event(
            K key, @Nullable V before, @Nullable V after, EntryEvent.Kind reason) {
        if (after != null) {
            return new EntryEvent<>(before == null ? EntryEvent.Kind.ADDED : EntryEvent.Kind.UPDATED, key, before, after);
        }
        return before == null ? null : new EntryEvent<>(reason, key, before, null);
    }

    /** Returns the events of the change from one state to another one that replaces it. */
    static <K, V> List<EntryEvent<K, V>> between(Store<K, V> before, Store<K, V> after) {
        List<EntryEvent<K, V>> events = new ArrayList<>();
        for (Register<K, V> old : before.live()) {
            if (after.get(old.key()) == null) {
                add(events, event(old.key(), old.value(), null, EntryEvent.Kind.REMOVED));
            }
        }
        for (Register<K, V> each : after.live()) {
            V value = before.get(each.key());
            if (!Objects.equals(value, each.value())) {
                add(events, event(each.key(), value, each.value(), EntryEvent.Kind.REMOVED));
            }
        }
        return events;
    }

    private static <K, V> void add(List<EntryEvent<K, V>> events, @Nullable EntryEvent<K, V> event) {
        if (event != null) {
            events.add(event);
        }
    }

    static <K, V> void tell(Callbacks callbacks, List<EntryEvent<K, V>> events, Consumer<EntryEvent<K, V>> listener) {
        for (EntryEvent<K, V> event : events) {
            callbacks.call("onEntry", listener, event);
        }
    }
}
