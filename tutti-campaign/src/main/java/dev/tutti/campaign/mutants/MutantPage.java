package dev.tutti.campaign.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A page of text with one table of mutants, such as docs/design/mutants.md. The row of a mutant is replaced as soon as its
 * hunt is over, so that an interrupted hunt continues with the mutants that are left. The text around the table is kept.
 */
public final class MutantPage {

    private static final String HEAD = "| mutant | layer | wrong | seen by | breaks | seed | schedules |";
    private static final String RULE = "|---|---|---|---|---|---|---|";
    private static final String NOT_CAUGHT = "**not caught**";

    private final Path file;
    private final List<String> before = new ArrayList<>();
    private final Map<String, String> rows = new TreeMap<>();
    private final List<String> after = new ArrayList<>();

    /**
     * Reads the page.
     *
     * @param file the file; if it does not exist, it is written with the table alone
     */
    public MutantPage(Path file) {
        this.file = file;
        boolean hasTable = false;
        for (String line : Files.exists(file) ? read(file) : List.<String>of()) {
            if (line.equals(HEAD) && !hasTable) {
                hasTable = true;
            } else if (line.startsWith("| `") && hasTable && after.isEmpty()) {
                rows.put(line.substring(3, line.indexOf('`', 3)), line);
            } else if (!(hasTable && after.isEmpty() && line.equals(RULE))) {
                (hasTable ? after : before).add(line);
            }
        }
    }

    private static List<String> read(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException("the page of mutants " + file + " cannot be read", e);
        }
    }

    /** Reports whether the page says that the mutant was caught. */
    public boolean hasCaught(Mutant mutant) {
        String row = rows.get(mutant.name());
        return row != null && !row.contains(NOT_CAUGHT);
    }

    /** Removes the rows of mutants that no longer exist. */
    public void retain(Collection<Mutant> mutants) {
        rows.keySet().retainAll(mutants.stream().map(Mutant::name).toList());
    }

    /** Replaces the row of the mutant, and writes the page. */
    public void put(MutantHunt.Result result) {
        rows.put(result.mutant().name(), row(result));
        List<String> lines = new ArrayList<>(before);
        lines.add(HEAD);
        lines.add(RULE);
        lines.addAll(rows.values());
        lines.addAll(after);
        try {
            Path written = file.resolveSibling(file.getFileName() + ".new");
            Files.write(written, lines);
            Files.move(written, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("the page of mutants " + file + " cannot be written", e);
        }
    }

    /** Returns the row of a mutant, without times, so that it changes only when something else catches the mutant. */
    private static String row(MutantHunt.Result result) {
        Mutant mutant = result.mutant();
        boolean isSchedules = mutant.seer() instanceof Mutant.Seer.Schedules;
        String broken = result.isCaught()
                ? isSchedules ? result.property() : String.join(", ", mutant.breaks())
                : NOT_CAUGHT + (result.remark().isEmpty() ? "" : ": " + result.remark().replace('|', '/'));
        return "| " + String.join(" | ", List.of(
                "`" + mutant.name() + "`",
                mutant.layer(),
                mutant.wrong(),
                "`" + mutant.seer() + "`",
                broken,
                result.seed(),
                isSchedules ? Long.toString(result.schedules()) : "")) + " |";
    }
}
