package dev.tutti.campaign.chaos.journal;

import dev.tutti.campaign.chaos.journal.JournalReader.Life;
import dev.tutti.campaign.chaos.journal.JournalReader.Timed;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.ViewId;
import dev.tutti.sim.check.History;
import dev.tutti.sim.check.Promise;
import dev.tutti.sim.check.PropertyChecker;
import dev.tutti.sim.check.Violation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks for broken promises in the journals of all processes of a run. */
public final class Check {

    /**
     * A journal, and the fate of the process that wrote it.
     *
     * @param killedAtNanos time of its kill; 0 if it was not killed
     */
    public record Source(Path journal, long killedAtNanos) {

        private static final String JOURNAL = ".journal";
        private static final String KILLED = ".killed";

        /** Notes the kill of a process in a file beside its journal, for {@link #in}. */
        public static void noteKill(Path journal, long nanos) {
            try {
                Files.writeString(killed(journal), Long.toString(nanos));
            } catch (IOException e) {
                throw new UncheckedIOException("the kill can't be noted beside " + journal, e);
            }
        }

        private static Path killed(Path journal) {
            return journal.resolveSibling(journal.getFileName().toString().replace(JOURNAL, KILLED));
        }

        /** Returns the journals of a run that are kept in a directory. */
        public static List<Source> in(Path directory) {
            try (Stream<Path> files = Files.list(directory)) {
                List<Source> sources = new ArrayList<>();
                for (Path journal : files.filter(file -> file.toString().endsWith(JOURNAL)).sorted().toList()) {
                    Path killed = killed(journal);
                    sources.add(new Source(journal, Files.exists(killed) ? Long.parseLong(Files.readString(killed)) : 0));
                }
                return sources;
            } catch (IOException e) {
                throw new UncheckedIOException("the journals in " + directory + " can't be read", e);
            }
        }
    }

    /**
     * Result of a check.
     *
     * @param violations violations, each with the time since the start of the run at which it shows; empty if none
     * @param views number of different views
     * @param merges number of views that merge earlier views of two or more members
     * @param torn number of journals that end in the middle of a line
     */
    public record Result(
            List<String> violations, long entries, long views, long merges, long submitted, long delivered, int torn) {}

    private final PropertyChecker checker = new PropertyChecker(Promise.RELIABLE);
    private final Set<ViewId> views = new HashSet<>();
    private final List<String> violations = new ArrayList<>();
    private final long beganNanos;
    private int known;
    private long entries;
    private long merges;
    private long submitted;
    private long delivered;

    private Check(long beganNanos) {
        this.beganNanos = beganNanos;
    }

    /** Returns the time of the first line in these journals. */
    public static long beganNanos(List<Source> sources) {
        long first = Long.MAX_VALUE;
        for (Source source : sources) {
            try (Stream<String> lines = Files.lines(source.journal())) {
                first = Math.min(first, lines.findFirst().map(line -> Long.parseLong(line.split(" ")[0])).orElse(first));
            } catch (IOException e) {
                throw new UncheckedIOException("journal " + source.journal() + " can't be read", e);
            }
        }
        return first;
    }

    /** Checks a run that is over, all faults healed and everything delivered. */
    public static Result run(List<Source> sources, long beganNanos) {
        return run(sources, beganNanos, null);
    }

    /**
     * Checks the journals of members that are honest.
     *
     * @param liar journal of the lying node, which counts by its name only: it may have sent anything to anyone; null
     *     if there is none
     */
    public static Result run(List<Source> sources, long beganNanos, @Nullable Path liar) {
        JournalReader reader = new JournalReader();
        sources.forEach(source -> reader.learn(source.journal()));
        NodeId liarId = liar == null ? null : reader.learn(liar);
        List<Life> lives = new ArrayList<>();
        Map<Member, Long> killedAt = new TreeMap<>();
        List<Member> present = new ArrayList<>();
        for (Source source : sources) {
            for (Life life : reader.read(source.journal())) {
                life.entries().removeIf(timed -> timed.entry() instanceof History.Delivered delivered
                        && delivered.message().sender().node().equals(liarId));
                lives.add(life);
                boolean hasLeft = !life.entries().isEmpty() && life.entries().getLast().entry() instanceof History.Left;
                if (!hasLeft && source.killedAtNanos() != 0) {
                    killedAt.put(life.member(), source.killedAtNanos());
                } else if (!hasLeft) {
                    present.add(life.member());
                }
            }
        }
        Check check = new Check(beganNanos);
        new Merge(lives, killedAt).into(check::take);
        List<Violation> all = check.checker.violationsAtRest(present);
        all.subList(check.known, all.size()).forEach(violation -> check.violations.add("at rest: " + violation));
        reader.contradictions().forEach(text -> check.violations.add("API: " + text));
        return new Result(
                check.violations, check.entries, check.views.size(), check.merges, check.submitted, check.delivered,
                reader.torn());
    }

    /**
     * Returns the multicasts that a member has submitted and no other has delivered, for a run in which members leave
     * and are never alone: it delivers what it had accepted before it leaves.
     */
    public static List<String> lost(List<Source> sources) {
        JournalReader reader = new JournalReader();
        sources.forEach(source -> reader.learn(source.journal()));
        Map<Member, Long> submitted = new TreeMap<>();
        Map<Member, Long> delivered = new TreeMap<>();
        for (Source source : sources) {
            for (Life life : reader.read(source.journal())) {
                for (Timed timed : life.entries()) {
                    switch (timed.entry()) {
                        case History.Submitted(Member member, History.Message message) when message.receiver() == null ->
                            submitted.merge(member, message.index(), Math::max);
                        case History.Delivered(Member member, History.Message message)
                                when message.receiver() == null && !message.sender().equals(member) ->
                            delivered.merge(message.sender(), message.index(), Math::max);
                        default -> {
                            // Views and unicasts: the checker of guarantees looks at them.
                        }
                    }
                }
            }
        }
        List<String> lost = new ArrayList<>();
        submitted.forEach((member, index) -> {
            long last = delivered.getOrDefault(member, 0L);
            if (last < index) {
                lost.add(member + " has submitted " + index + " multicasts, and others have delivered " + last + " of them");
            }
        });
        return lost;
    }

    private void take(Timed timed) {
        entries++;
        switch (timed.entry()) {
            case History.Viewed(Member member, var view) -> {
                if (views.add(view.id()) && view.isMerge()) {
                    merges++;
                }
                for (Member other : view.members()) {
                    if (Notation.isUnknown(other)) {
                        violations.add(String.format(
                                Locale.ROOT, "at %.3f s: S1: %s installed view %s, of which a member was never started",
                                (timed.nanos() - beganNanos) / 1e9, member, view.id()));
                    }
                }
            }
            case History.Submitted ignored -> submitted++;
            case History.Delivered ignored -> delivered++;
            case History.Asked ignored -> {}
            case History.Told ignored -> {}
            case History.Joined ignored -> {}
            case History.Suspended ignored -> {}
            case History.Transition ignored -> {}
            case History.Left ignored -> {}
            case History.Crashed ignored -> {}
        }
        checker.take(timed.entry());
        if (checker.isBroken() && checker.violations().size() > known) {
            List<Violation> all = checker.violations();
            for (Violation violation : all.subList(known, all.size())) {
                violations.add(String.format(Locale.ROOT, "at %.3f s: %s", (timed.nanos() - beganNanos) / 1e9, violation));
            }
            known = all.size();
        }
    }
}
