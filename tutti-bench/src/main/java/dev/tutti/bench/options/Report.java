package dev.tutti.bench.options;

import dev.tutti.bench.report.Page;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Results of one run of a command, which the commands that it runs as parts of itself add to. */
final class Report {

    final Map<String, Object> values = new LinkedHashMap<>();
    final List<String> failures = new ArrayList<>();
    final List<String> disqualified = new ArrayList<>();
    final List<String> missed = new ArrayList<>();
    final Page page = new Page();
    /** Where figures go: {@link #values}, or those of a section. */
    Map<String, Object> section = values;
    String title = "tutti bench";
    boolean hasTick;
}
