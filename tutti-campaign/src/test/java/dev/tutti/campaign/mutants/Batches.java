package dev.tutti.campaign.mutants;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Compiles mutants together that change different files: most of a compiler's work is for the classes that the changed
 * ones use. Mutants of a batch that does not compile are compiled one by one, so that the error names the one.
 */
final class Batches {

    private final Workshop workshop;
    private final Map<String, RuntimeException> failures = new TreeMap<>();

    Batches(Workshop workshop, Path home, List<Mutant> mutants, Path directory) {
        this.workshop = workshop;
        List<String> files = mutants.stream().flatMap(mutant -> mutant.patch().files().stream()).distinct().toList();
        Map<String, String> originals = workshop.classesOf(files, directory.resolve("originals"));
        int number = 0;
        for (List<Mutant> batch : disjoint(mutants)) {
            compile(batch, home, originals, directory.resolve("batch" + number++));
        }
    }

    private static List<List<Mutant>> disjoint(List<Mutant> mutants) {
        List<List<Mutant>> batches = new ArrayList<>();
        List<Set<String>> changed = new ArrayList<>();
        for (Mutant mutant : mutants) {
            int batch = 0;
            while (batch < batches.size() && mutant.patch().files().stream().anyMatch(changed.get(batch)::contains)) {
                batch++;
            }
            if (batch == batches.size()) {
                batches.add(new ArrayList<>());
                changed.add(new HashSet<>());
            }
            batches.get(batch).add(mutant);
            changed.get(batch).addAll(mutant.patch().files());
        }
        return batches;
    }

    private void compile(List<Mutant> batch, Path home, Map<String, String> originals, Path directory) {
        Map<String, String> sources = new TreeMap<>();
        Map<String, String> classes;
        try {
            batch.forEach(mutant -> sources.putAll(mutant.patch().applyTo(home)));
            classes = workshop.compile(batch.toString(), sources, directory);
        } catch (IllegalArgumentException e) {
            batch.forEach(mutant -> compileAlone(mutant, directory.resolve(mutant.name())));
            return;
        }
        for (Mutant mutant : batch) {
            if (mutant.patch().files().stream().allMatch(file -> of(file, classes).equals(of(file, originals)))) {
                failures.put(mutant.name(), new IllegalArgumentException("mutant " + mutant.name() + " changes no bytecode"));
            }
        }
    }

    private void compileAlone(Mutant mutant, Path directory) {
        try {
            workshop.build(mutant, directory);
        } catch (IllegalArgumentException e) {
            failures.put(mutant.name(), e);
        }
    }

    /** Returns the classes of a source file, which has one of the outermost level. */
    private static Map<String, String> of(String file, Map<String, String> classes) {
        String name = file.replaceFirst("^.*src/main/java/", "").replaceFirst("\\.java$", "");
        Map<String, String> own = classes.entrySet().stream()
                .filter(each -> each.getKey().startsWith(name + ".") || each.getKey().startsWith(name + "$"))
                .collect(Collectors.toMap(Map.Entry::getKey, each -> Objects.requireNonNull(each.getValue())));
        if (own.isEmpty()) {
            throw new IllegalStateException(file + " has no class " + name);
        }
        return own;
    }

    /** @throws IllegalArgumentException if the mutant's patch does not apply, does not compile or changes no bytecode */
    void check(Mutant mutant) {
        RuntimeException failure = failures.get(mutant.name());
        if (failure != null) {
            throw failure;
        }
    }
}
