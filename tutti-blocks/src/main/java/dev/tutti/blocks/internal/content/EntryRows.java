package dev.tutti.blocks.internal.content;

import dev.tutti.DataView;
import dev.tutti.blocks.codec.Codec;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Keys of a map as rows, with their values or only the types of these. Rows are found by the beginning of the key's text. A page takes time in
 * proportion to the number of entries; values are converted for its own rows only.
 */
public final class EntryRows<K, V> implements DataView {

    private static final List<String> KEY_COLUMNS = List.of("Key", "Type of the value");
    private static final List<String> ENTRY_COLUMNS = List.of("Key", "Value", "Type", "Size");

    private final List<String> columns;
    private final Supplier<Map<K, V>> entries;
    private final Function<Map.Entry<K, V>, List<String>> row;

    private EntryRows(List<String> columns, Supplier<Map<K, V>> entries, Function<Map.Entry<K, V>, List<String>> row) {
        this.columns = columns;
        this.entries = entries;
        this.row = row;
    }

    /** @param entries returns all entries between two changes */
    public static <K, V> EntryRows<K, V> ofKeys(Supplier<Map<K, V>> entries) {
        return new EntryRows<>(KEY_COLUMNS, entries, entry -> List.of(
                String.valueOf(entry.getKey()), entry.getValue().getClass().getSimpleName()));
    }

    /** @param values codec by which the size of values is known, and the text of those that have none of their own */
    public static <K, V> EntryRows<K, V> ofEntries(Supplier<Map<K, V>> entries, Codec<V> values) {
        return new EntryRows<>(ENTRY_COLUMNS, entries, entry -> {
            ShownValue shown = ShownValue.of(entry.getValue(), values);
            return List.of(String.valueOf(entry.getKey()), shown.text(), entry.getValue().getClass().getSimpleName(), shown.size());
        });
    }

    @Override
    public Page page(String after, int rowsMax) {
        return page(new Request("", after, rowsMax));
    }

    @Override
    public Page page(Request request) {
        int first = Page.index(request.after());
        String prefix = request.prefix();
        // One more than is shown, which tells whether there is a further page.
        List<Map.Entry<K, V>> found = entries.get().entrySet().stream()
                .filter(entry -> prefix.isEmpty() || String.valueOf(entry.getKey()).startsWith(prefix))
                .skip(first)
                .limit(request.rowsMax() + 1L)
                .toList();
        int shown = Math.min(found.size(), request.rowsMax());
        List<List<String>> rows = found.subList(0, shown).stream().map(row).toList();
        return new Page(columns, rows, found.size() > shown ? Integer.toString(first + shown) : "");
    }
}
