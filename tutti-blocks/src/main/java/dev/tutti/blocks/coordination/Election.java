package dev.tutti.blocks.coordination;

import dev.tutti.Threads;
import dev.tutti.blocks.internal.Arguments;
import dev.tutti.blocks.machine.Replica;
import dev.tutti.core.Member;
import java.time.Duration;
import java.util.Optional;

/**
 * One of those who stand for it leads: who has stood the longest without a break. A lock that everybody waits for; under
 * partition, merge and crashes as {@link FencedLock}.
 */
public final class Election {

    /**
     * Who leads.
     *
     * @param token of its election
     */
    public record Leader(Member member, long token) {}

    private final Claims claims;
    private final Threads threads;
    private final Replica<Command, Answer> replica;
    private final String name;
    private final Duration timeout;

    Election(Claims claims, Threads threads, Replica<Command, Answer> replica, String name, Duration timeout) {
        this.claims = claims;
        this.threads = threads;
        this.replica = replica;
        this.name = name;
        this.timeout = timeout;
    }

    /** Stands for election from now on. */
    public Candidacy stand(Candidate candidate) {
        Arguments.required(candidate, "stand: the candidate");
        Candidacy candidacy = new Candidacy(claims, threads, name, timeout, candidate);
        candidacy.stand();
        return candidacy;
    }

    /** Who leads, as this member knows it: it may be behind. */
    public Optional<Leader> leader() {
        return replica.local(this::find);
    }

    /** Who leads, in order with everything: who was the leader at some time during this call. */
    public Optional<Leader> currentLeader() {
        return replica.ask(this::find, timeout);
    }

    private Optional<Leader> find() {
        Permits.Claim holder = claims.objects().holder(name);
        return holder == null ? Optional.empty() : Optional.of(new Leader(holder.member(), holder.token()));
    }
}
