package dev.tutti.campaign.chaos.process;

import dev.tutti.campaign.chaos.journal.Check;
import dev.tutti.campaign.chaos.network.Network;
import dev.tutti.campaign.chaos.network.ProxyNetwork;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.host.Shell;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The processes of a run, including those that have ended. */
public final class ProcessPool implements AutoCloseable {

    private static final List<String> JVM_OPTIONS = List.of(
            "-Xmx192m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            // A process that ends by itself leaves a trace in its log.
            "-XX:+ExitOnOutOfMemoryError");

    private final Network network;
    private final Path directory;
    private final Map<String, String> nodeSettings;
    private final long intervalMillis;
    private final IntFunction<Program> programs;
    private final Workload workload;
    private final Child[] present;
    private final List<Child> all = new ArrayList<>();
    private final Object news = new Object();
    private final Lateness own = new Lateness();
    private boolean isSending;

    /**
     * @param directory directory of journals and logs
     * @param nodeSettings settings of all nodes, besides those of the network
     * @param intervalMillis average time between two messages of a process
     * @param programs program that the next process in a slot runs
     * @param workload work of the processes
     */
    public ProcessPool(
            Network network,
            int processes,
            Path directory,
            Map<String, String> nodeSettings,
            long intervalMillis,
            IntFunction<Program> programs,
            Workload workload) {
        this.workload = workload;
        this.network = network;
        this.directory = directory;
        this.nodeSettings = nodeSettings;
        this.intervalMillis = intervalMillis;
        this.programs = programs;
        Lateness.watch(nanos -> own.add(System.nanoTime(), nanos));
        this.present = new Child[processes];
        for (int slot = 0; slot < processes; slot++) {
            present[slot] = launch(slot);
        }
    }

    private Child launch(int slot) {
        network.onStart(slot);
        String run = ProxyNetwork.name(slot) + "-" + all.size();
        Path journal = directory.resolve(run + ".journal");
        Map<String, String> settings = new TreeMap<>(network.settings(slot));
        settings.putAll(nodeSettings);
        settings.put("name", ProxyNetwork.name(slot));
        if (workload == Workload.COORDINATION) {
            settings.put("records.directory", directory.resolve(ProxyNetwork.name(slot) + ".records").toString());
        }
        settings.put("cluster", directory.getFileName().toString());
        String seeds = IntStream.range(0, present.length)
                .mapToObj(network::address)
                .filter(address -> !address.isEmpty())
                .collect(Collectors.joining(","));
        if (!seeds.isEmpty()) {
            settings.put("discovery.seeds", seeds);
        }
        List<String> arguments = new ArrayList<>(List.of(
                journal.toString(), Integer.toString(all.size()), Long.toString(intervalMillis)));
        settings.forEach((name, value) -> arguments.add(name + "=" + value));
        List<String> ofJvm = new ArrayList<>(JVM_OPTIONS);
        Program program = programs.apply(slot);
        ofJvm.addAll(program.options());
        Child child = new Child(
                slot,
                Shell.java(network.prefix(slot), ofJvm, program.classPath(), workload.mainClass(), arguments),
                journal,
                directory.resolve(run + ".log"),
                news);
        all.add(child);
        if (isSending) {
            child.say("send");
        }
        return child;
    }

    // ------------------------------------------------------------------ processes

    public int size() {
        return present.length;
    }

    public Child child(int slot) {
        return present[slot];
    }

    /** Returns the processes that are up and not stopped. */
    public List<Child> awake() {
        return List.of(present).stream()
                .filter(child -> child.killedAtNanos() == 0 && !child.isStopped())
                .toList();
    }

    /** Returns the latest process of each slot, even if it has ended. */
    public List<Child> present() {
        return List.of(present);
    }

    /** Returns all processes of the run. */
    public List<Child> all() {
        return all;
    }

    /** Returns the slot of the coordinator in the view of the first process that is awake. */
    public int coordinator() {
        for (Child child : awake()) {
            Child.Seen seen = child.seen();
            for (Child other : present) {
                if (seen != null && seen.members().getFirst().equals(other.self())) {
                    return other.slot();
                }
            }
        }
        return 0;
    }

    // ------------------------------------------------------------------ faults

    public void setSending(boolean sending) {
        isSending = sending;
        awake().forEach(child -> child.say(sending ? "send" : "quiet"));
    }

    /** Kills a process and waits for its end; returns the time of the kill. */
    public long kill(int slot) {
        network.onKill(slot);
        long nanos = present[slot].kill();
        present[slot].awaitEnd();
        Check.Source.noteKill(present[slot].journal(), nanos);
        return nanos;
    }

    /** Lets a process that has left the group end, and waits for its end. */
    public void end(int slot) {
        present[slot].end();
    }

    /** Starts a new process in the place of one that was killed or has ended. */
    public void restart(int slot) {
        if (present[slot].isAlive()) {
            throw new IllegalStateException(present[slot] + " is there");
        }
        present[slot] = launch(slot);
    }

    // ------------------------------------------------------------------ reports

    /** Waits until a condition on the processes' reports holds; returns false if it does not hold in time. */
    public boolean await(Duration timeout, BooleanSupplier condition) {
        long end = System.nanoTime() + timeout.toNanos();
        synchronized (news) {
            while (!condition.getAsBoolean()) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(news, Math.min(left, LOOK_NANOS));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new ChaosException("interrupted", e);
                }
            }
            return true;
        }
    }

    /** Reports whether these have joined and share one view of exactly themselves. */
    public static boolean isAgreed(Collection<Child> children) {
        Set<String> members = children.stream().map(Child::self).collect(Collectors.toSet());
        String id = null;
        for (Child child : children) {
            Child.Seen seen = child.seen();
            if (seen == null || !child.isJoined() || !Set.copyOf(seen.members()).equals(members)) {
                return false;
            }
            if (id != null && !id.equals(seen.id())) {
                return false;
            }
            id = seen.id();
        }
        return members.size() == children.size();
    }

    /** Returns the time at which the last of them got its present view. */
    public static long agreedAtNanos(Collection<Child> children) {
        return children.stream()
                .map(Child::seen)
                .mapToLong(seen -> seen == null ? Long.MAX_VALUE : seen.atNanos())
                .max()
                .orElse(Long.MAX_VALUE);
    }

    /** Returns the time when the last of {@code children} got a view without {@code gone}; null if one has not yet. */
    public static @Nullable Long parted(Collection<Child> children, Collection<String> gone, long sinceNanos) {
        long last = sinceNanos;
        for (Child child : children) {
            List<Child.Seen> since = child.seenSince(sinceNanos);
            Child.Seen without = since.stream()
                    .filter(seen -> seen.members().stream().noneMatch(gone::contains))
                    .findFirst()
                    .orElse(null);
            if (without == null) {
                return null;
            }
            last = Math.max(last, without.atNanos());
        }
        return last;
    }

    /** Returns the sum of the times for which these processes and this one were late between two times. */
    public long lateBetween(Collection<Child> children, long fromNanos, long toNanos) {
        long sum = own.between(fromNanos, toNanos);
        for (Child child : children) {
            sum += child.lateness().between(fromNanos, toNanos);
        }
        return sum;
    }

    public Lateness own() {
        return own;
    }

    /** Returns the longest time for which a process, or this one, was late. */
    public long longestLateNanos() {
        long longest = own.longestNanos();
        for (Child child : all) {
            longest = Math.max(longest, child.lateness().longestNanos());
        }
        return longest;
    }

    /**
     * Waits until processes that have stopped to send have delivered everything: until no number changes for a second.
     *
     * @return those that do not answer
     */
    public List<Child> rest(Collection<Child> children, Duration max) {
        long end = System.nanoTime() + max.toNanos();
        List<Child> silent = new ArrayList<>();
        List<Child.Count> before = List.of();
        List<Child.Count> now = counts(children, silent);
        while (silent.isEmpty() && !now.equals(before) && System.nanoTime() < end) {
            Pause.millis(1_000);
            before = now;
            now = counts(children, silent);
        }
        return silent;
    }

    private List<Child.Count> counts(Collection<Child> children, List<Child> silent) {
        children.forEach(child -> child.say("count"));
        List<Child.Count> counts = new ArrayList<>();
        for (Child child : children) {
            await(ANSWER_MAX, () -> child.count() != null || child.isOver());
            Child.Count count = child.count();
            if (count == null) {
                silent.add(child);
            } else {
                counts.add(count);
            }
        }
        return counts;
    }

    /** Describes the present view of each, for messages. */
    public String views() {
        StringBuilder text = new StringBuilder();
        Map<String, String> names = new TreeMap<>();
        for (Child child : all) {
            names.put(child.self(), child.toString());
        }
        for (Child child : present) {
            Child.Seen seen = child.seen();
            String state = child.killedAtNanos() != 0 ? " (killed)" : child.isStopped() ? " (stopped)" : "";
            List<String> members = new ArrayList<>();
            if (seen != null) {
                seen.members().forEach(member -> members.add(names.getOrDefault(member, member)));
            }
            text.append("\n  ").append(child).append(state).append(child.isJoined() ? "" : " (not joined)").append(": ")
                    .append(seen == null ? "no view" : seen.id() + " " + members);
        }
        return text.toString();
    }

    /** Ends all processes, and waits for their ends. */
    @Override
    public void close() {
        for (Child child : all) {
            if (child.killedAtNanos() == 0) {
                child.kill();
            }
        }
        all.forEach(Child::awaitEnd);
    }

    /** Interval of looks at a condition, which may depend on the time too. */
    private static final long LOOK_NANOS = 20_000_000;

    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
}
