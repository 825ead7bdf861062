package dev.tutti.bench;

import dev.tutti.bench.GroupSystem.Seat;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;

/**
 * Does once what members do, of each system, so that the launcher's JVM can keep what it has loaded and linked (JEP 514)
 * for the members of all of them alike.
 */
@Command(name = "rehearse", hidden = true, description = "Lets three members of each system meet and talk in one process.")
final class RehearseCommand implements Callable<Integer> {

    private static final int MEMBERS = 3;
    private static final int MESSAGES = 200;
    private static final long SECONDS_MAX = 20;

    @Override
    public Integer call() throws InterruptedException {
        boolean isDone = rehearse(SystemKind.TUTTI) & rehearse(SystemKind.JGROUPS);
        return isDone ? 0 : 1;
    }

    private static boolean rehearse(SystemKind kind) throws InterruptedException {
        List<Integer> ports = Cluster.freePorts(MEMBERS);
        CountDownLatch met = new CountDownLatch(MEMBERS);
        CountDownLatch heard = new CountDownLatch(MESSAGES * (MEMBERS - 1));
        List<GroupSystem> systems = new ArrayList<>();
        try {
            for (int rank = 0; rank < MEMBERS; rank++) {
                GroupSystem system = kind.open(new Seat(rank, ports), new Listener(met, heard));
                systems.add(system);
                system.start();
                system.join();
            }
            boolean isMet = met.await(SECONDS_MAX, TimeUnit.SECONDS);
            for (int count = 0; count < MESSAGES; count++) {
                systems.getFirst().multicast(new byte[1024]);
            }
            return isMet & heard.await(SECONDS_MAX, TimeUnit.SECONDS);
        } finally {
            systems.forEach(GroupSystem::close);
        }
    }

    private record Listener(CountDownLatch met, CountDownLatch heard) implements GroupSystem.Listener {

        @Override
        public void onMessage(byte[] bytes, int offset, int length) {
            heard.countDown();
        }

        @Override
        public void onMessage(ByteBuffer bytes, int offset, int length) {
            heard.countDown();
        }

        @Override
        public void onView(int members, int coordinator, String id) {
            if (members == MEMBERS) {
                met.countDown();
            }
        }
    }
}
