package dev.tutti.blocks.map;

import dev.tutti.blocks.merge.Merge;
import dev.tutti.blocks.merge.Side;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What this member had before it took over the state of another side, as far as it is to be brought in again. All members of
 * the side keep it; the one with the lowest rank in the view brings it in, and when that is delivered all forget it.
 */
final class LostSide<K, V> {

    private final View view;
    private final List<Register<K, V>> wanted;

    /** The view of the merge; 0 until it is told. */
    private long mergedIn;

    /** Those who have come from that side together; empty if that is not known here, and each brings it in for itself. */
    private List<Member> together = List.of();

    /** The number of the view in which this member has brought it in; 0 for none. */
    private long sentIn;

    private LostSide(View view, List<Register<K, V>> wanted) {
        this.view = view;
        this.wanted = wanted;
    }

    /**
     * What is to be changed in the state that goes on, as {@code rule} says; null if nothing is.
     *
     * @param view that this member comes from, with {@code own}
     * @param kept what goes on
     * @param keptStore the same
     */
    static <K, V> @Nullable LostSide<K, V> of(
            Merge<Map<K, V>> rule, View view, Store<K, V> own, Image<K, V> kept, Store<K, V> keptStore) {
        List<Register<K, V>> wanted =
                switch (rule.kind()) {
                    case KEEP -> List.of();
                    case LAST_WRITER -> later(own, keptStore);
                    case UNION -> own.live().stream()
                            .filter(each -> keptStore.get(each.key()) == null)
                            .toList();
                    case OWN -> asSaid(rule, view, own, kept, keptStore);
                };
        return wanted.isEmpty() ? null : new LostSide<>(view, wanted);
    }

    private static <K, V> List<Register<K, V>> later(Store<K, V> own, Store<K, V> kept) {
        List<Register<K, V>> later = new ArrayList<>();
        for (Register<K, V> each : Image.registers(own)) {
            if (each.version().isAfter(kept.versionOf(each.key()))) {
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
                new Side<>(kept.view(), kept.members(), new LinkedHashMap<>(keptEntries)),
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

    String id() {
        return view.id().toString() + view.id().proposer().node().incarnation();
    }

    int size() {
        return wanted.size();
    }

    /** This member has come to {@code present} with the state that goes on. */
    void onView(View present, Member self) {
        if (mergedIn != 0) {
            return;
        }
        mergedIn = present.id().number();
        for (View.Part part : present.parts()) {
            // Not so where there was a view in between that nobody was told because nobody knew whose state goes on.
            if (part.previous().equals(view.id()) && part.members().contains(self)) {
                together = part.members();
            }
        }
    }

    /** Whether {@code self} is to bring it in now. */
    boolean isDue(View present, Member self) {
        if (sentIn == present.id().number()) {
            return false;
        }
        for (Member member : present.members()) {
            if (together.contains(member)) {
                return member.equals(self);
            }
        }
        return true;
    }

    void onSent(View present) {
        sentIn = present.id().number();
    }

    void onUnsent() {
        sentIn = 0;
    }

    /** What nobody has written since the merge. */
    List<Register<K, V>> untouched(Store<K, V> store) {
        return wanted.stream()
                .filter(each -> store.versionOf(each.key()).view() < mergedIn)
                .toList();
    }
}
