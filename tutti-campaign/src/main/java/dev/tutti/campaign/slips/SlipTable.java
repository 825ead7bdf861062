package dev.tutti.campaign.slips;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The outcome of a {@link SlipHunt}: for people, for programs, and for docs/design/slips.md. */
public record SlipTable(List<SlipHunt.Result> results) {

    /** Whether every slip was noticed. */
    public boolean isFull() {
        return caught() == results.size();
    }

    private long caught() {
        return results.stream().filter(SlipHunt.Result::isCaught).count();
    }

    /** Returns one line for each slip. */
    public String text() {
        StringBuilder text = new StringBuilder();
        String format = "%-44s %-34s %8s %9s %8s  %s%n";
        text.append(String.format(Locale.ROOT, format, "slip", "caught by", "seed", "schedules", "seconds", "wrong"));
        for (SlipHunt.Result result : results) {
            text.append(String.format(
                    Locale.ROOT,
                    format,
                    result.slip().name(),
                    result.property().isEmpty() ? "NOT CAUGHT" : result.property(),
                    result.seed().isEmpty() ? "-" : result.seed(),
                    result.schedules() == 0 ? "-" : Long.toString(result.schedules()),
                    String.format(Locale.ROOT, "%.1f", result.seconds()),
                    result.slip().wrong() + (result.remark().isEmpty() ? "" : " (" + result.remark() + ")")));
        }
        return text.append(caught()).append(" of ").append(results.size()).append(" slips caught\n").toString();
    }

    /** Returns the table of docs/design/slips.md; without times, so that it changes only with what was caught. */
    public String markdown() {
        StringBuilder text = new StringBuilder("| slip | wrong | seen by | breaks | seed | schedules |\n|---|---|---|---|---|---|\n");
        for (SlipHunt.Result result : results) {
            boolean isSchedules = result.slip().seer() instanceof Slip.Seer.Schedules;
            text.append("| `").append(result.slip().name()).append("` | ").append(result.slip().wrong())
                    .append(" | `").append(result.slip().seer()).append("` | ")
                    .append(!result.isCaught() ? "**not caught**" : isSchedules ? result.property() : result.slip().breaks())
                    .append(" | ").append(result.seed()).append(" | ")
                    .append(isSchedules ? Long.toString(result.schedules()) : "").append(" |\n");
        }
        return text.toString();
    }

    /** Returns the same as a map that can be written as JSON. */
    public Map<String, Object> map() {
        List<Map<String, Object>> slips = new ArrayList<>();
        for (SlipHunt.Result result : results) {
            Map<String, Object> slip = new LinkedHashMap<>();
            slip.put("name", result.slip().name());
            slip.put("wrong", result.slip().wrong());
            slip.put("breaks", result.slip().breaks());
            slip.put("seenBy", result.slip().seer().toString());
            slip.put("caught", result.isCaught());
            slip.put("property", result.property());
            slip.put("seed", result.seed());
            slip.put("schedules", result.schedules());
            slip.put("seconds", result.seconds());
            slip.put("remark", result.remark());
            slips.add(slip);
        }
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("caught", caught());
        map.put("of", results.size());
        map.put("slips", slips);
        return map;
    }
}
