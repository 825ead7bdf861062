package dev.tutti.blocks.coordination;

import dev.tutti.Threads;
import dev.tutti.blocks.internal.argument.Arguments;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.core.Member;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * An election that one of its candidates leads: the one that has been a candidate the longest without a break. It is a
 * lock that all candidates wait for; for partition, merge and crashes see {@link FencedLock}.
 */
public final class Election {

    /**
     * The leading member.
     *
     * @param token of its election
     */
    public record Leader(Member member, long token) {}

    private final Leases leases;
    private final Threads threads;
    private final Replica<Command, Answer> replica;
    private final String name;
    private final Duration timeout;

    Election(Leases leases, Threads threads, Replica<Command, Answer> replica, String name, Duration timeout) {
        this.leases = leases;
        this.threads = threads;
        this.replica = replica;
        this.name = name;
        this.timeout = timeout;
    }

    /** Makes this member a candidate from now on. */
    public Candidacy stand(Candidate candidate) {
        Arguments.required(candidate, "stand: the candidate");
        Candidacy candidacy = new Candidacy(leases, threads, name, timeout, candidate);
        candidacy.stand();
        return candidacy;
    }

    /**
     * Makes this member a candidate from now on.
     *
     * @param onElected gets the token when this member leads from now on, see {@link Candidate#onElected}
     * @param onDeposed gets the reason when it leads no longer, see {@link Candidate#onDeposed}
     */
    public Candidacy stand(LongConsumer onElected, Consumer<String> onDeposed) {
        Arguments.required(onElected, "stand: the listener of elections");
        Arguments.required(onDeposed, "stand: the listener of depositions");
        return stand(new Candidate() {
            @Override
            public void onElected(long token) {
                onElected.accept(token);
            }

            @Override
            public void onDeposed(String reason) {
                onDeposed.accept(reason);
            }
        });
    }

    /** Returns the leader as this member knows it; it may be out of date. */
    public Optional<Leader> leader() {
        return replica.local(this::find);
    }

    /** Returns the leader at some time during this call, in order with all commands. */
    public Optional<Leader> currentLeader() {
        return replica.ask(this::find, timeout);
    }

    private Optional<Leader> find() {
        Permits.Claim holder = leases.objects().holder(name);
        return holder == null ? Optional.empty() : Optional.of(new Leader(holder.member(), holder.token()));
    }
}
