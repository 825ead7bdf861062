package dev.tutti.campaign.application;

import dev.tutti.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Plan that a seed has drawn: the processes, their work, and the faults.
 *
 * @param size number of processes
 * @param groups groups that each process joins
 * @param blocks blocks that each process uses
 * @param thrown kinds of exceptions that callbacks throw
 * @param thrownOneIn number of callbacks of which one throws
 * @param late number of processes that start when the others have worked for a while
 * @param pause time from one piece of work of a process to the next
 */
record Plan(
        long seed,
        int size,
        List<GroupPlan> groups,
        EnumSet<Block> blocks,
        EnumSet<Mischief.Kind> thrown,
        int thrownOneIn,
        int late,
        boolean isLeaving,
        Duration pause,
        Duration latency,
        List<Fault> faults,
        Duration troubled) {

    static Plan draw(long seed) {
        SplittableRandom random = new SplittableRandom(seed * 31 + 0xA991);
        int size = 2 + random.nextInt(3);
        EnumSet<Block> blocks = EnumSet.noneOf(Block.class);
        if (random.nextInt(3) == 0) {
            blocks.add(Block.values()[random.nextInt(Block.values().length)]);
        }
        List<GroupPlan> groups = new ArrayList<>();
        int count = blocks.isEmpty() ? 1 + random.nextInt(3) : random.nextInt(2);
        for (int index = 0; index < count; index++) {
            groups.add(GroupPlan.draw(random, index));
        }
        EnumSet<Mischief.Kind> thrown = EnumSet.noneOf(Mischief.Kind.class);
        if (random.nextInt(2) == 0) {
            for (Mischief.Kind kind : Mischief.Kind.values()) {
                if (random.nextInt(3) == 0) {
                    thrown.add(kind);
                }
            }
        }
        List<Fault> faults = new ArrayList<>();
        // Applications of schedules are in one cluster, without sites.
        for (Fault fault : EnumSet.complementOf(EnumSet.of(Fault.SITE_CUT))) {
            if (random.nextInt(3) == 0) {
                faults.add(fault);
            }
        }
        return new Plan(
                seed,
                size,
                groups,
                blocks,
                thrown,
                List.of(50, 200, 1_000).get(random.nextInt(3)),
                random.nextInt(size),
                random.nextInt(3) == 0,
                Duration.ofMillis(List.of(2, 5, 20).get(random.nextInt(3))),
                Duration.ofNanos(1_000L * List.of(20, 200, 2_000).get(random.nextInt(3))),
                faults,
                Duration.ofMillis(500 + random.nextInt(3_000)));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("seed ").append(seed).append("\nmode application\n");
        text.append(size).append(" nodes, of which ").append(late).append(" start late\n");
        groups.forEach(group -> text.append(group).append('\n'));
        if (!blocks.isEmpty()) {
            text.append("blocks ").append(blocks).append('\n');
        }
        if (!thrown.isEmpty()) {
            text.append("callbacks throw ").append(thrown).append(", one in ").append(thrownOneIn).append('\n');
        }
        return text.append(isLeaving ? "members leave and join again\n" : "")
                .append("each node works every ").append(pause.toMillis()).append(" ms; frames take ")
                .append(latency.toNanos() / 1_000).append(" us\n")
                .append("faults ").append(faults).append(" for ").append(troubled.toMillis()).append(" ms\n")
                .toString();
    }
}
