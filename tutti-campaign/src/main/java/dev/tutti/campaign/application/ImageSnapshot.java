package dev.tutti.campaign.application;

import dev.tutti.Snapshot;
import dev.tutti.Threads;
import dev.tutti.campaign.nodes.Findings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** A snapshot of an image, whose writer may be slow, fail, or write byte by byte. */
final class ImageSnapshot implements Snapshot {

    private final Context context;
    private final Threads threads;
    private final GroupPlan.StatePlan plan;
    private final Findings.Reporter reporter;
    private final Misbehaviour misbehaviour;
    private final Runnable onClose;
    private final byte[] bytes;
    private boolean isOver;

    ImageSnapshot(
            Context context,
            Threads threads,
            GroupPlan.StatePlan plan,
            Image image,
            Findings.Reporter reporter,
            Misbehaviour misbehaviour,
            Runnable onClose) {
        this.context = context;
        this.threads = threads;
        this.plan = plan;
        this.reporter = reporter;
        this.misbehaviour = misbehaviour;
        this.onClose = onClose;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            long seed = plan.isReproducible() ? image.hash() : context.random.nextLong();
            image.write(out, plan.ballastBytes() / 8 * 8, seed);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        bytes = out.toByteArray();
    }

    @Override
    public void write(OutputStream out) throws IOException {
        if (isOver) {
            reporter.report("S19", "is asked to write a snapshot that was closed");
        }
        GroupPlan.Manner manner = plan.writer();
        context.reached.count("writer." + manner);
        int failsAt = manner == GroupPlan.Manner.FAILING && context.random.nextInt(3) == 0
                ? context.random.nextInt(bytes.length)
                : Integer.MAX_VALUE;
        int at = 0;
        while (at < bytes.length) {
            if (at >= failsAt) {
                throw new IOException(Mischief.MARK + " in write");
            }
            int count = Math.min(bytes.length - at, step(manner));
            if (count == 1) {
                out.write(bytes[at]);
            } else {
                out.write(bytes, at, count);
            }
            at += count;
            if (manner == GroupPlan.Manner.SLOW) {
                Context.sleep(threads, 1 + context.random.nextLong(20_000_000));
            }
        }
        misbehaviour.at("write", true);
    }

    private int step(GroupPlan.Manner manner) {
        return manner == GroupPlan.Manner.BYTEWISE ? 1 : 1 + context.random.nextInt(50_000);
    }

    @Override
    public long bytes() {
        return plan.isHonest() ? bytes.length : bytes.length / 2;
    }

    @Override
    public void close() {
        if (isOver) {
            reporter.report("S19", "is asked to close a snapshot again");
        }
        isOver = true;
        onClose.run();
        misbehaviour.at("close-snapshot", true);
    }
}
