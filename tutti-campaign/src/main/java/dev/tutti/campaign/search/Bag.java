package dev.tutti.campaign.search;

import dev.tutti.internal.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Outcome of a {@link Hunt}: for each mutant the property that caught it, and the seed.
 *
 * @param seconds duration of the hunt, in real time
 */
record Bag(List<Hunt.Result> results, double seconds) {

    boolean isFull() {
        return caught() == results.size();
    }

    private long caught() {
        return results.stream().filter(Hunt.Result::isCaught).count();
    }

    String text() {
        StringBuilder text = new StringBuilder();
        text.append(line("mutant", "caught by", "seed", "mode", "schedules", "seconds", "bug"));
        for (Hunt.Result result : results) {
            Trial.Outcome failure = result.failure();
            text.append(line(
                    result.mutant().name(),
                    failure == null ? "NOT CAUGHT" : failure.property(),
                    failure == null ? "-" : Long.toString(failure.schedule().seed()),
                    failure == null ? "-" : failure.schedule().mode().toString(),
                    Long.toString(result.schedules()),
                    String.format(Locale.ROOT, "%.1f", result.seconds()),
                    result.mutant().bug() + (result.isHeldWithout() ? "" : " (BROKEN WITHOUT IT TOO)")));
        }
        text.append(String.format(
                Locale.ROOT, "%d of %d mutants caught in %.1f s%n", caught(), results.size(), seconds));
        return text.toString();
    }

    private static String line(
            String mutant, String property, String seed, String mode, String schedules, String seconds, String bug) {
        return String.format("%-20s %-10s %6s  %-8s %9s %8s  %s%n", mutant, property, seed, mode, schedules, seconds, bug);
    }

    String json() {
        List<Map<String, Object>> mutants = new ArrayList<>();
        for (Hunt.Result result : results) {
            Map<String, Object> mutant = new LinkedHashMap<>();
            mutant.put("name", result.mutant().name());
            mutant.put("bug", result.mutant().bug());
            mutant.put("caught", result.isCaught());
            Trial.Outcome failure = result.failure();
            if (failure != null) {
                mutant.put("property", failure.property());
                mutant.put("seed", failure.schedule().seed());
                mutant.put("mode", failure.schedule().mode().toString());
                mutant.put("heldWithout", result.isHeldWithout());
            }
            mutant.put("schedules", result.schedules());
            mutant.put("seconds", result.seconds());
            mutants.add(mutant);
        }
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("caught", caught());
        map.put("of", results.size());
        map.put("seconds", seconds);
        map.put("mutants", mutants);
        return Json.write(map) + "\n";
    }
}
