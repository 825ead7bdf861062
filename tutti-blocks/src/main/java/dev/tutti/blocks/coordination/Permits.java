package dev.tutti.blocks.coordination;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.MemberCodec;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The permits of one name: their holders, and the waiting claims, the longest first. No claim is overtaken. */
final class Permits {

    /**
     * A member's claim for permits.
     *
     * @param token 0 as long as it waits
     */
    record Claim(Member member, long request, int count, long token) {

        boolean isOf(Member asking, long asked) {
            return request == asked && member.equals(asking);
        }
    }

    /** Draws tokens, and receives the claims that are granted after waiting. */
    interface Grants {

        /** Returns the next token; 0 if there is none left in this view. */
        long next();

        void onGranted(Claim claim);
    }

    private final int permits;
    private final List<Claim> holding;
    private final List<Claim> waiting;

    Permits(int permits) {
        this(permits, new ArrayList<>(), new ArrayList<>());
    }

    private Permits(int permits, List<Claim> holding, List<Claim> waiting) {
        this.permits = permits;
        this.holding = holding;
        this.waiting = waiting;
    }

    int permits() {
        return permits;
    }

    private int free() {
        return permits - holding.stream().mapToInt(Claim::count).sum();
    }

    boolean isUnused() {
        return holding.isEmpty() && waiting.isEmpty();
    }

    /** Returns the claims that are granted. */
    List<Claim> holding() {
        return holding;
    }

    /** Returns the claims that wait, the longest first. */
    List<Claim> waiting() {
        return waiting;
    }

    /** Returns the claim with the lowest token. */
    @Nullable Claim first() {
        return holding.isEmpty() ? null : holding.getFirst();
    }

    boolean contains(Member member, long request) {
        return holding.stream().anyMatch(claim -> claim.isOf(member, request))
                || waiting.stream().anyMatch(claim -> claim.isOf(member, request));
    }

    /** @return the token; 0 if it was not granted */
    long acquire(Member member, Command.Acquire asked, Grants grants) {
        long token = waiting.isEmpty() && asked.count() <= free() ? grants.next() : 0;
        if (token != 0) {
            holding.add(new Claim(member, asked.request(), asked.count(), token));
        } else if (asked.isWaiting()) {
            if (waiting.size() >= WAITING_MAX) {
                throw new IllegalStateException(WAITING_MAX + " wait for " + asked.name() + " already");
            }
            waiting.add(new Claim(member, asked.request(), asked.count(), 0));
        }
        return token;
    }

    /** @return whether it was held, or waited for */
    boolean release(Member member, long request, Grants grants) {
        boolean isFound = holding.removeIf(claim -> claim.isOf(member, request))
                || waiting.removeIf(claim -> claim.isOf(member, request));
        grant(grants);
        return isFound;
    }

    /** Removes the claims of members that are not in the primary view any more. */
    void onView(View view, Grants grants) {
        holding.removeIf(claim -> !view.contains(claim.member()));
        waiting.removeIf(claim -> !view.contains(claim.member()));
        grant(grants);
    }

    private void grant(Grants grants) {
        while (!waiting.isEmpty() && waiting.getFirst().count() <= free()) {
            long token = grants.next();
            if (token == 0) {
                return;
            }
            Claim claim = waiting.removeFirst();
            Claim granted = new Claim(claim.member(), claim.request(), claim.count(), token);
            holding.add(granted);
            grants.onGranted(granted);
        }
    }

    // ------------------------------------------------------------------ the state

    void put(ByteOutput out) {
        out.putInt(permits);
        put(holding, out);
        put(waiting, out);
    }

    private static void put(List<Claim> claims, ByteOutput out) {
        out.putInt(claims.size());
        for (Claim claim : claims) {
            MemberCodec.MEMBER.put(claim.member(), out);
            out.putLong(claim.request()).putInt(claim.count()).putLong(claim.token());
        }
    }

    /** @throws MalformedException also for a state that permits can't reach */
    static Permits take(ByteInput in) {
        Permits taken = new Permits(in.takeInt(), takeClaims(in), takeClaims(in));
        taken.check();
        return taken;
    }

    private void check() {
        long held = 0;
        for (Claim claim : holding) {
            held += claim.count();
            checkClaim(claim, claim.token() > 0);
        }
        for (Claim claim : waiting) {
            checkClaim(claim, claim.token() == 0);
        }
        if (held > permits || waiting.size() > WAITING_MAX) {
            throw new MalformedException(held + " of " + permits + " permits are held, and " + waiting.size() + " wait");
        }
    }

    private void checkClaim(Claim claim, boolean hasItsToken) {
        if (claim.count() < 1 || claim.count() > permits || !hasItsToken) {
            throw new MalformedException(claim + " of " + permits + " permits");
        }
    }

    private static List<Claim> takeClaims(ByteInput in) {
        int count = in.takeCount(MemberCodec.BYTES_MIN + 2 * Long.BYTES + Integer.BYTES);
        List<Claim> claims = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            claims.add(new Claim(MemberCodec.MEMBER.take(in), in.takeLong(), in.takeInt(), in.takeLong()));
        }
        return claims;
    }

    private static final int WAITING_MAX = 65_536;
}
