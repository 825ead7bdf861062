package dev.tutti.campaign.mutants;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Outcome of a {@link MutantHunt}, as text and as JSON. {@link MutantPage} keeps outcomes. */
public record MutantTable(List<MutantHunt.Result> results) {

    /** Reports whether every mutant was caught. */
    public boolean isFull() {
        return caught() == results.size();
    }

    private long caught() {
        return results.stream().filter(MutantHunt.Result::isCaught).count();
    }

    /** Returns one line for each mutant. */
    public String text() {
        StringBuilder text = new StringBuilder();
        String format = "%-44s %-34s %8s %9s %8s  %s%n";
        text.append(String.format(Locale.ROOT, format, "mutant", "caught by", "seed", "schedules", "seconds", "wrong"));
        for (MutantHunt.Result result : results) {
            text.append(String.format(
                    Locale.ROOT,
                    format,
                    result.mutant().name(),
                    result.property().isEmpty() ? "NOT CAUGHT" : result.property(),
                    result.seed().isEmpty() ? "-" : result.seed(),
                    result.schedules() == 0 ? "-" : Long.toString(result.schedules()),
                    String.format(Locale.ROOT, "%.1f", result.seconds()),
                    result.mutant().wrong() + (result.remark().isEmpty() ? "" : " (" + result.remark() + ")")));
        }
        return text.append(caught()).append(" of ").append(results.size()).append(" mutants caught\n").toString();
    }

    /** Returns the same as a map that can be written as JSON. */
    public Map<String, Object> map() {
        List<Map<String, Object>> mutants = new ArrayList<>();
        for (MutantHunt.Result result : results) {
            Map<String, Object> mutant = new LinkedHashMap<>();
            mutant.put("name", result.mutant().name());
            mutant.put("wrong", result.mutant().wrong());
            mutant.put("breaks", String.join(", ", result.mutant().breaks()));
            mutant.put("seenBy", result.mutant().seer().toString());
            mutant.put("caught", result.isCaught());
            mutant.put("property", result.property());
            mutant.put("seed", result.seed());
            mutant.put("schedules", result.schedules());
            mutant.put("seconds", result.seconds());
            mutant.put("remark", result.remark());
            mutants.add(mutant);
        }
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("caught", caught());
        map.put("of", results.size());
        map.put("mutants", mutants);
        return map;
    }
}
