package dev.tutti.campaign.application;

import dev.tutti.Node;
import java.util.ArrayList;
import java.util.List;

/** The application of one process: its members in all groups, and its blocks. */
final class Application implements AutoCloseable {

    private final Context context;
    private final Node node;
    private final List<Talker> talkers = new ArrayList<>();
    private final List<Works.Work> works = new ArrayList<>();
    private boolean isClosed;
    private boolean isWorking;

    Application(Context context, Node node) {
        this.context = context;
        this.node = node;
        int process = context.cluster.numberOf(node);
        context.plan.groups().forEach(group -> talkers.add(new Talker(context, group, node, process)));
        context.plan.blocks().forEach(block -> node.threads().start("start " + block, () -> start(block)));
    }

    private void start(Block block) {
        try {
            works.add(Works.start(block, context, node));
            context.reached.count("block." + block);
        } catch (IllegalStateException e) {
            if (!isClosed) {
                context.reached.count("block-not-started." + block);
            }
        }
    }

    void work() {
        if (isClosed) {
            return;
        }
        if (!talkers.isEmpty()) {
            talkers.get(context.random.nextInt(talkers.size())).work();
        }
        if (!works.isEmpty() && !isWorking && !context.isQuiet) {
            isWorking = true;
            node.threads().start("work", () -> {
                try {
                    works.get(context.random.nextInt(works.size())).work();
                } finally {
                    isWorking = false;
                }
            });
        }
    }

    List<Works.Work> works() {
        return works;
    }

    List<Talker> talkers() {
        return talkers;
    }

    Node node() {
        return node;
    }

    /** Leaves the groups one by one, or lets the node leave them all. */
    @Override
    public void close() {
        isClosed = true;
        if (context.random.nextBoolean()) {
            works.forEach(Works.Work::close);
            talkers.forEach(Talker::close);
        }
    }
}
