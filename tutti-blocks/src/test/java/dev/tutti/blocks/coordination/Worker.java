package dev.tutti.blocks.coordination;

import dev.tutti.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A component of a simulated process that takes part in coordination. */
final class Worker implements AutoCloseable {

    final Coordination coordination;
    final List<String> told = new ArrayList<>();

    Worker(Node node) {
        coordination = Coordination.on(node.group("coordination"))
                .founders("n1", "n2", "n3")
                .timeout(Duration.ofSeconds(5))
                .join();
    }

    FencedLock lock() {
        return coordination.lock("a");
    }

    Candidacy stand() {
        return coordination.election("leader").stand(new Candidate() {
            @Override
            public void onElected(long token) {
                told.add("elected");
            }

            @Override
            public void onDeposed(String reason) {
                told.add("deposed");
            }
        });
    }

    @Override
    public void close() {
        coordination.close();
    }
}
