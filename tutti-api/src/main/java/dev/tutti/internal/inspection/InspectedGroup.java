package dev.tutti.internal.inspection;

import dev.tutti.NodeInspection.Part;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.settings.Settings;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Facts about a group that an inspection contains besides the report of its layers.
 *
 * @param member this member; null before the group is being joined
 * @param installed last view; null before the first
 * @param isReady whether the group is joined, with its state where it has one
 * @param settings settings in force
 * @param settingTexts the same as texts by name, without secret ones
 * @param parts counters of the API's side of the group
 * @param waitsFor cause that a send would wait for now; empty if it would proceed
 */
public record InspectedGroup(
        String name,
        @Nullable Member member,
        @Nullable View installed,
        boolean isReady,
        Settings settings,
        Map<String, String> settingTexts,
        List<Part> parts,
        String waitsFor) {}
