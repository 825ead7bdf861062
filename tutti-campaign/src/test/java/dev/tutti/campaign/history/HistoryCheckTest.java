package dev.tutti.campaign.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.history.Operation.Outcome;
import dev.tutti.campaign.history.Operation.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Histories that the checks reject, and histories that they accept. Times are in nanoseconds. */
@Tag("seeds")
class HistoryCheckTest {

    private static final int SEEDS = Math.min(100, Integer.getInteger("tutti.test.tries", 25));

    private final List<Operation> history = new ArrayList<>();

    private void add(long from, long to, long delta, long sum) {
        told("c", new Request.Add(delta), from, to, 1, sum);
    }

    private void exchange(long from, long to, long expected, long next, long found) {
        told("c", new Request.Exchange(1, expected, next), from, to, 1, found);
    }

    private void told(String object, Request request, long from, long to, long era, long result) {
        history.add(new Operation("p", object, request, from, to, Outcome.TOLD, era, result));
    }

    private void unknown(Request request, long from) {
        history.add(new Operation("q", "c", request, from, 0, Outcome.UNKNOWN, 0, 0));
    }

    private List<String> violations() {
        return HistoryCheck.run(history).violations();
    }

    private void assertSees(String property) {
        assertThat(violations()).hasSize(1).allMatch(text -> text.startsWith(property));
    }

    @Test
    void orderMayBeAnyThatAgreesWithTime() {
        add(0, 100, 1, 3);
        add(10, 90, 2, 2);
        add(200, 210, 0, 3);
        assertThat(violations()).isEmpty();
    }

    @Test
    void m3SeesAReadOfThePast() {
        add(0, 10, 1, 1);
        add(20, 30, 0, 0);
        assertSees("M3");
    }

    @Test
    void m3SeesALostUpdate() {
        add(0, 10, 1, 1);
        add(5, 30, 1, 1);
        assertSees("M3");
    }

    @Test
    void m3SeesTwoExchangesOfOneValue() {
        exchange(0, 10, 0, 5, 0);
        exchange(20, 30, 0, 7, 0);
        assertSees("M3");
    }

    @Test
    void exchangeThatFindsAnotherValueChangesNothing() {
        exchange(0, 10, 0, 5, 0);
        exchange(20, 30, 0, 7, 5);
        add(40, 50, 0, 5);
        assertThat(violations()).isEmpty();
    }

    @Test
    void unknownOperationMayHaveItsEffectLateOrNever() {
        unknown(new Request.Add(4), 0);
        unknown(new Request.Add(100), 0);
        add(10, 20, 1, 1);
        add(30, 40, 1, 6);
        assertThat(violations()).isEmpty();
    }

    @Test
    void unknownOperationHasItsEffectOnceAndNotBeforeItWasAskedFor() {
        unknown(new Request.Add(4), 0);
        add(10, 20, 1, 9);
        assertSees("M3");
        history.clear();
        add(10, 20, 1, 5);
        unknown(new Request.Add(4), 21);
        assertSees("M3");
    }

    @Test
    void eraBeginsAnewAndDoesNotComeBack() {
        told("c", new Request.Add(3), 0, 10, 1, 3);
        told("c", new Request.Add(3), 20, 30, 4, 3);
        told("c", new Request.Exchange(1, 3, 9), 40, 50, 4, 3);
        told("c", new Request.Add(0), 60, 70, 4, 3);
        assertThat(violations()).isEmpty();
        told("c", new Request.Add(0), 80, 90, 1, 3);
        assertSees("M3: an era came back");
    }

    private void grant(String lock, long from, long to, long token) {
        told(lock, new Request.Grant(), from, to, 0, token);
    }

    private void release(String lock, long from, long to, long token, boolean wasHeld) {
        told(lock, new Request.Release(token), from, to, 0, wasHeld ? 1 : 0);
    }

    @Test
    void m4SeesALockWithTwoHolders() {
        grant("a", 0, 10, 1);
        release("a", 50, 60, 1, true);
        grant("a", 20, 30, 2);
        release("a", 70, 80, 2, true);
        grant("b", 0, 30, 3);
        assertSees("M4");
    }

    @Test
    void lockThatWasLostMayHaveAnotherHolder() {
        grant("a", 0, 10, 1);
        release("a", 50, 60, 1, false);
        grant("a", 20, 30, 2);
        release("a", 70, 80, 2, true);
        grant("a", 72, 90, 3);
        release("a", 95, 99, 3, true);
        assertThat(violations()).isEmpty();
    }

    @Test
    void m5SeesATokenThatDoesNotRise() {
        grant("a", 0, 10, 5);
        grant("b", 20, 30, 4);
        assertSees("M5");
    }

    @Test
    void m5SeesATokenThatWasGrantedTwice() {
        grant("a", 0, 10, 5);
        grant("b", 5, 30, 5);
        assertSees("M5");
    }

    @Test
    void m6SeesAnIdThatWasTakenTwice() {
        told("i", new Request.Take(), 0, 1, 0, 7);
        told("j", new Request.Take(), 0, 1, 0, 7);
        assertThat(violations()).isEmpty();
        told("i", new Request.Take(), 2, 3, 0, 7);
        assertSees("M6");
    }

    /** Histories of a real counter, whose operations take effect somewhere between their two times. */
    @Test
    void everyHistoryOfACounterIsLinearizableAndAlmostNoneWithAWrongResult() {
        int seen = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            history.clear();
            SplittableRandom random = new SplittableRandom(seed);
            long value = 0;
            for (int index = 0; index < 200; index++) {
                long effect = index * 100L;
                long delta = random.nextInt(1, 1_000_000);
                long from = effect - random.nextInt(500);
                if (random.nextInt(20) == 0) {
                    unknown(new Request.Add(delta), from);
                    value += random.nextBoolean() ? delta : 0;
                } else {
                    value += delta;
                    add(from, effect + random.nextInt(500), delta, value);
                }
            }
            assertThat(HistoryCheck.run(history)).satisfies(result -> {
                assertThat(result.violations()).isEmpty();
                assertThat(result.undecided()).isEmpty();
            });
            Operation last = history.getLast();
            history.set(history.size() - 1, new Operation(
                    "p", "c", new Request.Add(0), last.invokedNanos(), Long.MAX_VALUE, Outcome.TOLD, 1, 17));
            HistoryCheck.Result wrong = HistoryCheck.run(history);
            seen += wrong.violations().isEmpty() ? 0 : 1;
            assertThat(wrong.violations().isEmpty()).isEqualTo(!wrong.undecided().isEmpty());
        }
        assertThat(seen).isPositive();
    }
}
