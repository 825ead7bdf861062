package dev.tutti.campaign.rollout;

import dev.tutti.Node;
import dev.tutti.blocks.calls.CallException;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.Outcome;
import dev.tutti.blocks.calls.Outcomes;
import dev.tutti.blocks.calls.Procedure;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.campaign.host.Pause;
import dev.tutti.core.Member;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Calls of a pod to one other and to all, which must not fail. */
final class Caller {

    private static final Procedure<Integer, Integer> WORK = Procedure.of("work", Codec.INT, Codec.INT);
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration DRAIN_MAX = Duration.ofSeconds(10);
    private static final int WORK_MILLIS_MAX = 80;
    private static final int CHOICES_MAX = 50;

    private final String name;
    private final boolean isDraining;
    private final Consumer<String> findings;
    private final Calls calls;
    private final AtomicLong toOne = new AtomicLong();
    private final AtomicLong toAll = new AtomicLong();
    private final AtomicLong chosenAgain = new AtomicLong();

    /** @param isDraining whether it drains before it leaves; calls fail otherwise, which shows that the run can find it */
    Caller(Node node, boolean isDraining, Consumer<String> findings) {
        this.name = node.name();
        this.isDraining = isDraining;
        this.findings = findings;
        this.calls = Calls.on(node.group("calls"))
                .handle(WORK, (number, _) -> {
                    Pause.millis(ThreadLocalRandom.current().nextInt(WORK_MILLIS_MAX));
                    return number + 1;
                })
                .join();
    }

    /** Calls one member; a member that could not be called is replaced by another. */
    void callOne() {
        for (int choice = 0; choice < CHOICES_MAX; choice++) {
            List<Member> members = calls.callable();
            if (members.isEmpty()) {
                return;
            }
            Member member = members.get(ThreadLocalRandom.current().nextInt(members.size()));
            try {
                calls.to(member).within(TIMEOUT).call(WORK, choice);
                toOne.incrementAndGet();
                return;
            } catch (CallException e) {
                if (!(e.outcome() instanceof Outcome.Unreachable<?>)) {
                    findings.accept("a call of " + name + " to " + member.name() + " has failed: " + e.getMessage());
                    return;
                }
                chosenAgain.incrementAndGet();
            }
        }
        findings.accept("a call of " + name + " has found nobody in " + CHOICES_MAX + " attempts");
    }

    void callAll() {
        try {
            Outcomes<Integer> outcomes = calls.toAll().within(TIMEOUT).call(WORK, 1);
            if (outcomes.isSatisfied()) {
                toAll.incrementAndGet();
            } else {
                findings.accept("a call of " + name + " to all has failed: " + outcomes.byMember());
            }
        } catch (CallException e) {
            findings.accept("a call of " + name + " to all has failed: " + e.getMessage());
        }
    }

    void leave() {
        if (isDraining && !calls.drain(DRAIN_MAX)) {
            findings.accept(name + " has not drained within " + DRAIN_MAX.toSeconds() + " s");
        }
        calls.close();
    }

    long toOne() {
        return toOne.get();
    }

    long toAll() {
        return toAll.get();
    }

    /** Returns how often a chosen member was about to leave. */
    long chosenAgain() {
        return chosenAgain.get();
    }
}
