package dev.tutti.campaign.application;

import dev.tutti.Threads;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A reader of a state that is slow, or fails. */
final class StateReader extends FilterInputStream {

    private final Context context;
    private final Threads threads;
    private final GroupPlan.Manner manner;
    private final int failsAt;
    private int at;

    StateReader(InputStream in, Context context, Threads threads, GroupPlan.StatePlan plan) {
        super(in);
        this.context = context;
        this.threads = threads;
        manner = plan.reader();
        failsAt = manner == GroupPlan.Manner.FAILING && context.random.nextInt(4) == 0
                ? context.random.nextInt(1 + plan.ballastBytes())
                : Integer.MAX_VALUE;
        context.reached.count("reader." + manner);
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (at >= failsAt) {
            throw new IllegalStateException(Mischief.MARK + " in install");
        }
        if (manner == GroupPlan.Manner.SLOW) {
            Context.sleep(threads, 1 + context.random.nextLong(20_000_000));
        }
        int count = super.read(bytes, offset, length);
        at += Math.max(0, count);
        return count;
    }
}
