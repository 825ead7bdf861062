package dev.tutti.blocks.map;

import dev.tutti.blocks.internal.LostSide;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.blocks.merge.Side;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Computes the changes that a map brings in again from a side that was given up. */
final class Wanted {

    private Wanted() {}

    /**
     * Returns the changes to the state that goes on, as {@code rule} says; null if there are none.
     *
     * @param order that decides which of two writes is the later one
     * @param view that this member comes from, with {@code own}
     * @param kept the state that goes on
     * @param keptStore the same
     */
    static <K, V> @Nullable LostSide<List<Register<K, V>>> of(
            Merge<Map<K, V>> rule, WriteOrder order, View view, Store<K, V> own, Image<K, V> kept, Store<K, V> keptStore) {
        List<Register<K, V>> wanted =
                switch (rule.kind()) {
                    case KEEP -> List.of();
                    case LAST_WRITER -> later(own, keptStore, order);
                    case UNION -> own.live().stream()
                            .filter(each -> keptStore.get(each.key()) == null)
                            .toList();
                    case OWN -> asSaid(rule, view, own, kept, keptStore);
                };
        return wanted.isEmpty() ? null : new LostSide<>(view, wanted);
    }

    private static <K, V> List<Register<K, V>> later(Store<K, V> own, Store<K, V> kept, WriteOrder order) {
        List<Register<K, V>> later = new ArrayList<>();
        for (Register<K, V> each : Image.registers(own)) {
            if (each.version().isWrittenAfter(kept.versionOf(each.key()), order)) {
                later.add(each);
            }
        }
        return later;
    }

    private static <K, V> List<Register<K, V>> asSaid(
            Merge<Map<K, V>> rule, View view, Store<K, V> own, Image<K, V> kept, Store<K, V> keptStore) {
        Map<K, V> ownEntries = Image.entries(own.live());
        Map<K, V> keptEntries = Image.entries(keptStore.live());
        Map<K, V> result = rule.merge(List.of(
                new Side<>(kept.origin().view(), kept.origin().members(), new LinkedHashMap<>(keptEntries)),
                new Side<>(view.id(), view.members(), new LinkedHashMap<>(ownEntries))));
        List<Register<K, V>> wanted = new ArrayList<>();
        result.forEach((key, value) -> {
            if (!Objects.equals(keptEntries.get(key), value)) {
                Register<K, V> origin = own.find(key);
                if (origin == null || !Objects.equals(origin.value(), value)) {
                    Register<K, V> other = keptStore.find(key);
                    long timeToLiveNanos = other == null ? 0 : other.timeToLiveNanos();
                    long bornNanos = other == null ? 0 : other.bornNanos();
                    origin = new Register<>(key, value, 0, own.versionOf(key), timeToLiveNanos, bornNanos);
                }
                wanted.add(origin);
            }
        });
        keptEntries.forEach((key, value) -> {
            if (!result.containsKey(key)) {
                wanted.add(new Register<>(key, null, 0, own.versionOf(key), 0, 0));
            }
        });
        return wanted;
    }

    /** Returns the rest to be brought in: for keys that nobody has written since the merge, and as the rule says. */
    static <K, V> List<Register<K, V>> untouched(
            LostSide<List<Register<K, V>>> side, Store<K, V> store, Merge<Map<K, V>> rule, WriteOrder order) {
        return side.wanted().stream()
                .filter(each -> isUntouched(each, side.mergedIn(), store, rule, order))
                .toList();
    }

    private static <K, V> boolean isUntouched(
            Register<K, V> register, long mergedIn, Store<K, V> store, Merge<Map<K, V>> rule, WriteOrder order) {
        EntryVersion present = store.versionOf(register.key());
        return switch (rule.kind()) {
            case LAST_WRITER -> {
                // Another side may have brought in something later since, or this write itself.
                boolean isWrittenSince = present.view() >= mergedIn && present.sequence() != 0;
                yield !isWrittenSince && register.version().isWrittenAfter(present, order);
            }
            case UNION -> present.view() < mergedIn && store.get(register.key()) == null;
            case KEEP, OWN -> present.view() < mergedIn;
        };
    }
}
