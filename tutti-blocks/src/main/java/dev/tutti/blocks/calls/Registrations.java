package dev.tutti.blocks.calls;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The procedures that are handled here, by number. Look-ups allocate nothing. */
final class Registrations {

    private final long[] ids;
    private final List<Registration<?, ?>> sorted;

    Registrations(Collection<Registration<?, ?>> all) {
        sorted = all.stream()
                .sorted(Comparator.comparingLong(each -> each.procedure().id()))
                .toList();
        ids = sorted.stream().mapToLong(each -> each.procedure().id()).toArray();
        for (int index = 1; index < ids.length; index++) {
            if (ids[index] == ids[index - 1]) {
                throw new IllegalArgumentException("procedures " + sorted.get(index - 1).procedure() + " and "
                        + sorted.get(index).procedure() + " have one number; give one of them another name");
            }
        }
    }

    @Nullable Registration<?, ?> find(long id) {
        int index = Arrays.binarySearch(ids, id);
        return index < 0 ? null : sorted.get(index);
    }

    /** Returns the names of the application's procedures. */
    List<String> names() {
        return sorted.stream().filter(each -> each.procedure() != Calls.DRAIN).map(each -> each.procedure().name()).sorted().toList();
    }
}
