package dev.tutti.campaign.sites;

import dev.tutti.sites.Stable;
import dev.tutti.sites.WhenFull;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Plan that a seed has drawn: the sites and their processes, one site group, what is sent in it, and the faults.
 *
 * @param sizes number of processes of each site
 * @param late number of the last process if it starts when the others have worked for a while; 0 if all start at once
 * @param isSpilling whether messages for other sites are on disk
 * @param isExpecting whether members keep messages for all sites from the start
 * @param pause mean time from one message of a process to its next
 * @param worked time for which members send
 * @param troubles faults, in the order of their times
 */
record SitesPlan(
        long seed,
        List<Integer> sizes,
        int late,
        Duration latency,
        boolean isTotal,
        Stable stable,
        WhenFull whenFull,
        boolean isSpilling,
        boolean isExpecting,
        Duration pause,
        Duration worked,
        List<Trouble> troubles) {

    static final List<String> NAMES = List.of("berlin", "paris", "tokyo");

    SitesPlan {
        sizes = List.copyOf(sizes);
        troubles = List.copyOf(troubles);
    }

    static SitesPlan draw(long seed) {
        SplittableRandom random = new SplittableRandom(seed * 31 + 0x517E5);
        List<Integer> sizes = new ArrayList<>();
        int count = random.nextInt(3) == 0 ? 3 : 2;
        for (int site = 0; site < count; site++) {
            sizes.add(1 + random.nextInt(count == 2 ? 3 : 2));
        }
        int size = sizes.stream().mapToInt(Integer::intValue).sum();
        Duration latency = Duration.ofMillis(List.of(1, 5, 20, 60, 150).get(random.nextInt(5)));
        Stable stable = random.nextInt(2) == 0 ? Stable.ALL : Stable.values()[random.nextInt(Stable.values().length)];
        WhenFull whenFull = random.nextInt(3) == 0 ? WhenFull.DROP_OLDEST : WhenFull.WAIT;
        Duration worked = Duration.ofMillis(4_000 + random.nextInt(6_000));
        return new SitesPlan(
                seed,
                sizes,
                random.nextInt(3) == 0 && sizes.getLast() > 1 ? size : 0,
                latency,
                random.nextInt(3) == 0,
                stable,
                whenFull,
                random.nextInt(4) == 0,
                random.nextBoolean(),
                Duration.ofMillis(List.of(50, 100, 300).get(random.nextInt(3))),
                worked,
                troubles(random, sizes, (int) worked.toMillis()));
    }

    private static List<Trouble> troubles(SplittableRandom random, List<Integer> sizes, int millis) {
        List<Trouble> troubles = new ArrayList<>();
        int count = 1 + random.nextInt(6);
        for (int index = 0; index < count; index++) {
            Trouble.Kind kind = KINDS.get(random.nextInt(KINDS.size()));
            int site = random.nextInt(sizes.size());
            int member = random.nextInt(sizes.get(site));
            boolean isLong = random.nextInt(4) == 0;
            troubles.add(new Trouble(
                    kind, site, member, random.nextInt(millis), 1 + random.nextInt(isLong ? LONG_MILLIS : SHORT_MILLIS)));
        }
        troubles.sort(Comparator.comparingInt(Trouble::atMillis));
        return troubles;
    }

    int size() {
        return sizes.stream().mapToInt(Integer::intValue).sum();
    }

    String siteName(int site) {
        return NAMES.get(site);
    }

    /** Returns the names of all sites but one. */
    String[] others(String site) {
        return NAMES.subList(0, sizes.size()).stream().filter(other -> !other.equals(site)).toArray(String[]::new);
    }

    /** Returns the numbers of the processes of a site. */
    int[] numbers(int site) {
        int first = 1 + sizes.subList(0, site).stream().mapToInt(Integer::intValue).sum();
        return IntStream.range(first, first + sizes.get(site)).toArray();
    }

    SitesPlan withTroubles(List<Trouble> changed) {
        return new SitesPlan(
                seed, sizes, late, latency, isTotal, stable, whenFull, isSpilling, isExpecting, pause, worked, changed);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("seed ").append(seed).append("\nmode sites\n");
        for (int site = 0; site < sizes.size(); site++) {
            text.append(siteName(site));
            IntStream.of(numbers(site)).forEach(number -> text.append(" n").append(number));
            text.append('\n');
        }
        text.append(late == 0 ? "" : "n" + late + " starts late\n");
        text.append("links between sites take ").append(latency.toMillis()).append(" ms\n");
        text.append(isTotal ? "total" : "fifo").append(" group, acknowledged by ").append(stable).append(", ").append(whenFull)
                .append(isSpilling ? ", on disk" : ", in memory")
                .append(isExpecting ? ", kept for all sites from the start\n" : ", kept for sites that were seen\n");
        text.append("members send every ").append(pause.toMillis()).append(" ms for ").append(worked.toMillis()).append(" ms\n");
        troubles.forEach(trouble -> text.append(trouble.text(this)).append('\n'));
        return text.toString();
    }

    /** Kinds of faults; those that are listed more often are drawn more often. */
    private static final List<Trouble.Kind> KINDS;

    static {
        List<Trouble.Kind> kinds = new ArrayList<>(List.of(Trouble.Kind.values()));
        kinds.addAll(List.of(
                Trouble.Kind.CRASH_MASTER, Trouble.Kind.CRASH_MASTER, Trouble.Kind.CUT_SITE, Trouble.Kind.CUT_SITE,
                Trouble.Kind.CUT_MEMBER, Trouble.Kind.BURST));
        KINDS = List.copyOf(kinds);
    }

    private static final int SHORT_MILLIS = 3_000;
    private static final int LONG_MILLIS = 9_000;
}
