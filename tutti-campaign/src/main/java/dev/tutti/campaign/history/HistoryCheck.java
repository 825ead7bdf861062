package dev.tutti.campaign.history;

import dev.tutti.campaign.history.Linearizability.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Looks for broken promises in the results of clients of coordination blocks: M3 to M6 of docs/guarantees.md.
 *
 * <p>Numbers are linearizable in each era, and no era comes back. Tokens rise with time, over all locks. A lock is not
 * granted while another client holds it, if that client kept it until it released it. No id is taken twice.
 */
public final class HistoryCheck {

    /**
     * Result of a check.
     *
     * @param undecided objects with more orders than could be searched
     * @param told number of operations with a known outcome
     * @param unknown number of operations with an unknown outcome
     * @param eras number of different eras
     * @param configurations number of configurations in the largest search
     */
    public record Result(
            List<String> violations,
            List<String> undecided,
            long told,
            long unknown,
            long grants,
            int objects,
            int eras,
            int configurations) {}

    /** Time for which a lock was held: from the return of the grant to the call of the release, if still held. */
    private record Holding(Operation grant, long untilNanos) {}

    private static final int CONFIGURATIONS_MAX = 500_000;

    private final List<Operation> operations;
    private final List<String> violations = new ArrayList<>();
    private final List<String> undecided = new ArrayList<>();
    private int configurations;

    private HistoryCheck(List<Operation> operations) {
        this.operations = operations;
    }

    /** Checks all operations of a run. */
    public static Result run(List<Operation> operations) {
        HistoryCheck check = new HistoryCheck(operations);
        int objects = check.numbers();
        TreeSet<Long> eras = check.eras();
        List<Operation> grants = check.told(Operation.Request.Grant.class);
        check.tokens(grants);
        check.exclusion(grants);
        check.ids();
        long told = operations.stream().filter(Operation::isTold).count();
        return new Result(
                check.violations,
                check.undecided,
                told,
                operations.size() - told,
                grants.size(),
                objects,
                eras.size(),
                check.configurations);
    }

    private List<Operation> told(Class<? extends Operation.Request> kind) {
        return operations.stream().filter(each -> each.isTold() && kind.isInstance(each.request())).toList();
    }

    private static boolean isNumber(Operation operation) {
        return operation.request() instanceof Operation.Request.Add
                || operation.request() instanceof Operation.Request.Exchange;
    }

    /** @return the number of objects, counted for each era */
    private int numbers() {
        Map<String, TreeMap<Long, List<Operation>>> known = new TreeMap<>();
        Map<String, List<Operation>> unknown = new HashMap<>();
        for (Operation operation : operations) {
            if (isNumber(operation) && operation.isTold()) {
                known.computeIfAbsent(operation.object(), name -> new TreeMap<>())
                        .computeIfAbsent(operation.era(), era -> new ArrayList<>())
                        .add(operation);
            } else if (isNumber(operation)) {
                unknown.computeIfAbsent(operation.object(), name -> new ArrayList<>()).add(operation);
            }
        }
        int objects = 0;
        for (Map.Entry<String, TreeMap<Long, List<Operation>>> object : known.entrySet()) {
            for (Map.Entry<Long, List<Operation>> era : object.getValue().entrySet()) {
                List<Operation> all = new ArrayList<>(era.getValue());
                all.addAll(unknown.getOrDefault(object.getKey(), List.of()));
                linearize(object.getKey(), all, era.getKey());
                objects++;
            }
        }
        return objects;
    }

    private void linearize(String object, List<Operation> all, long era) {
        Linearizability search = new Linearizability(all, era, CONFIGURATIONS_MAX);
        Verdict verdict = search.search();
        configurations = Math.max(configurations, search.configurations());
        switch (verdict) {
            case LINEARIZABLE -> {}
            case VIOLATED -> violations.add("M3: " + object + " is not linearizable: " + search.counterexample());
            case UNDECIDED -> undecided.add(object + " in era " + era + " has more than " + CONFIGURATIONS_MAX + " orders");
        }
    }

    /** Checks that eras rise: an operation invoked after one of an era has returned is of no earlier era. */
    private TreeSet<Long> eras() {
        List<Operation> known =
                operations.stream().filter(each -> isNumber(each) && each.isTold()).toList();
        rising(known, Operation::era, false, "M3: an era came back");
        TreeSet<Long> eras = new TreeSet<>();
        known.forEach(operation -> eras.add(operation.era()));
        return eras;
    }

    private void tokens(List<Operation> grants) {
        Map<Long, Operation> tokens = new HashMap<>();
        for (Operation grant : grants) {
            Operation before = tokens.put(grant.result(), grant);
            if (before != null) {
                violations.add("M5: one token was granted twice: " + before + "; " + grant);
            }
        }
        rising(grants, Operation::result, true, "M5: a later grant has a lower token");
    }

    private interface Number {
        long of(Operation operation);
    }

    /** Checks that an operation invoked after another returned has a higher number, or, if not strict, no lower one. */
    private void rising(List<Operation> known, Number number, boolean isStrict, String what) {
        List<Operation> invoked = new ArrayList<>(known);
        invoked.sort(Comparator.comparingLong(Operation::invokedNanos));
        List<Operation> returned = new ArrayList<>(known);
        returned.sort(Comparator.comparingLong(Operation::returnedNanos));
        Operation highest = null;
        int next = 0;
        for (Operation operation : invoked) {
            while (next < returned.size() && returned.get(next).returnedNanos() < operation.invokedNanos()) {
                Operation before = returned.get(next++);
                if (highest == null || number.of(before) > number.of(highest)) {
                    highest = before;
                }
            }
            boolean isLower = highest != null
                    && (number.of(operation) < number.of(highest)
                            || isStrict && number.of(operation) == number.of(highest));
            if (isLower) {
                violations.add(what + ": " + highest + "; " + operation);
            }
        }
    }

    private void exclusion(List<Operation> grants) {
        Map<Long, Operation> releases = new HashMap<>();
        for (Operation release : told(Operation.Request.Release.class)) {
            if (release.result() == 1 && release.request() instanceof Operation.Request.Release(long token)) {
                releases.put(token, release);
            }
        }
        Map<String, List<Holding>> byLock = new TreeMap<>();
        for (Operation grant : grants) {
            Operation release = releases.get(grant.result());
            if (release != null) {
                byLock.computeIfAbsent(grant.object(), name -> new ArrayList<>())
                        .add(new Holding(grant, release.invokedNanos()));
            }
        }
        byLock.forEach((lock, holdings) -> {
            holdings.sort(Comparator.comparingLong(holding -> holding.grant.returnedNanos()));
            for (int index = 1; index < holdings.size(); index++) {
                Holding before = holdings.get(index - 1);
                Holding after = holdings.get(index);
                if (after.grant.returnedNanos() < before.untilNanos) {
                    violations.add("M4: " + lock + " was held by two: " + before.grant + ", until "
                            + before.untilNanos / 1_000 + " us; " + after.grant);
                }
            }
        });
    }

    private void ids() {
        Map<String, Operation> taken = new HashMap<>();
        for (Operation take : told(Operation.Request.Take.class)) {
            Operation before = taken.put(take.object() + " " + take.result(), take);
            if (before != null) {
                violations.add("M6: an id was taken twice: " + before + "; " + take);
            }
        }
    }
}
