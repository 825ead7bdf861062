package dev.tutti.blocks.map;

import dev.tutti.core.View;
import java.util.Map;

/**
 * All entries between two changes of the map at one member.
 *
 * @param view that the member was in
 * @param change number of changes before it. In total order members that come from one view together have the same
 *     entries at the same change
 * @param entries from the first written to the last; unmodifiable
 */
public record MapSnapshot<K, V>(View view, long change, Map<K, V> entries) {}
