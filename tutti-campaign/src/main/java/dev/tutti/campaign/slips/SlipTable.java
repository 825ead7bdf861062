package dev.tutti.campaign.slips;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Outcome of a {@link SlipHunt}, as text and as JSON. {@link SlipPage} keeps outcomes. */
public record SlipTable(List<SlipHunt.Result> results) {

    /** Reports whether every slip was caught. */
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
