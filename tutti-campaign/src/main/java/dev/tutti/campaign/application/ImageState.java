package dev.tutti.campaign.application;

import dev.tutti.Snapshot;
import dev.tutti.Threads;
import dev.tutti.campaign.nodes.Findings;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The state of a member: an image of its messages, which is written and read in the manner of a plan. */
final class ImageState {

    private final Context context;
    private final GroupPlan.StatePlan plan;
    private final boolean isInOneOrder;
    private final Threads threads;
    private final Findings.Reporter reporter;
    private final Misbehaviour misbehaviour;
    private Image image;
    private int openSnapshots;

    /** @param isInOneOrder whether all members have all messages in one order */
    ImageState(
            Context context,
            GroupPlan.StatePlan plan,
            boolean isInOneOrder,
            Threads threads,
            Findings.Reporter reporter,
            Misbehaviour misbehaviour) {
        this.context = context;
        this.plan = plan;
        this.isInOneOrder = isInOneOrder;
        this.threads = threads;
        this.reporter = reporter;
        this.misbehaviour = misbehaviour;
        this.image = new Image(isInOneOrder);
    }

    GroupPlan.StatePlan plan() {
        return plan;
    }

    Image image() {
        return image;
    }

    Snapshot snapshot() {
        context.reached.count("snapshot");
        misbehaviour.at("snapshot", true);
        openSnapshots++;
        return new ImageSnapshot(context, threads, plan, image.copy(), reporter, misbehaviour, () -> openSnapshots--);
    }

    void install(InputStream in) throws IOException {
        if (!plan.isAtomic()) {
            image = new Image(isInOneOrder);
        }
        image = read(in);
    }

    private Image read(InputStream in) throws IOException {
        InputStream source = plan.reader() == GroupPlan.Manner.BYTEWISE
                ? in
                : new BufferedInputStream(new StateReader(in, context, threads, plan), 1 + context.random.nextInt(70_000));
        DataInputStream data = new DataInputStream(source);
        Image read;
        try {
            read = Image.read(data, isInOneOrder);
        } catch (IllegalStateException e) {
            if (!Mischief.isMeant(e)) {
                reporter.report("S19", "gets a state that nobody has written: " + e.getMessage());
            }
            throw e;
        }
        if (plan.isAtomic() || context.random.nextBoolean()) {
            if (data.read() >= 0) {
                reporter.report("S19", "gets more than was written");
            }
        } else {
            context.reached.count("install-ends-early");
        }
        misbehaviour.at("install", true);
        return read;
    }

    /** Checks, when nothing is under way, that all snapshots have been closed. */
    void checkRest() {
        if (openSnapshots > 0) {
            reporter.report("S23", "has " + openSnapshots + " snapshots that nobody needs and nobody closes");
        }
    }
}
