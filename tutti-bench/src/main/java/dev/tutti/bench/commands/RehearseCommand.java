package dev.tutti.bench.commands;

import dev.tutti.bench.process.BenchCluster;
import dev.tutti.bench.process.Child;
import dev.tutti.bench.process.Host;
import dev.tutti.bench.process.Line;
import dev.tutti.bench.systems.GroupSystem;
import dev.tutti.bench.systems.GroupSystem.Seat;
import dev.tutti.bench.systems.SystemKind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/**
 * Runs once the code of members, for each system, so that the launcher's JVM can keep the classes that it has loaded
 * and linked (JEP 514) for the members of all of them alike.
 */
@Command(
        name = "rehearse",
        hidden = true,
        description = "Lets three members of each system meet and talk, and one more of tutti come and be killed.")
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
        List<Integer> ports = BenchCluster.freePorts(MEMBERS + 1);
        CountDownLatch met = new CountDownLatch(MEMBERS);
        CountDownLatch heard = new CountDownLatch(MESSAGES * (MEMBERS - 1));
        CountDownLatch grown = new CountDownLatch(MEMBERS);
        CountDownLatch shrunk = new CountDownLatch(2 * MEMBERS);
        List<GroupSystem> systems = new ArrayList<>();
        try {
            for (int rank = 0; rank < MEMBERS; rank++) {
                GroupSystem system = kind.open(new Seat(rank, ports), new Listener(met, heard, grown, shrunk));
                systems.add(system);
                system.start();
                system.join();
            }
            boolean isDone = met.await(SECONDS_MAX, TimeUnit.SECONDS);
            for (int count = 0; count < MESSAGES; count++) {
                systems.getFirst().multicast(new byte[1024]);
            }
            isDone &= heard.await(SECONDS_MAX, TimeUnit.SECONDS);
            if (kind == SystemKind.TUTTI) {
                isDone &= rehearseCrash(ports, grown, shrunk);
            }
            return isDone;
        } finally {
            systems.forEach(GroupSystem::close);
        }
    }

    /** Rehearses the reaction to a crash of another process, which is rare and has to be fast. */
    private static boolean rehearseCrash(List<Integer> ports, CountDownLatch grown, CountDownLatch shrunk)
            throws InterruptedException {
        String all = ports.stream().map(String::valueOf).collect(Collectors.joining(","));
        List<String> member = List.of(SystemKind.TUTTI.name(), Integer.toString(MEMBERS), all);
        try (Host host = new Host("rehearsal", List.of(), List.of("-Xmx128m"), member, List.of(MEMBERS))) {
            Child victim = host.children().getFirst();
            victim.await("ready", Duration.ofSeconds(SECONDS_MAX));
            victim.say(Line.of("join"));
            boolean isGrown = grown.await(SECONDS_MAX, TimeUnit.SECONDS);
            victim.kill();
            return isGrown & shrunk.await(SECONDS_MAX, TimeUnit.SECONDS);
        }
    }

    /**
     * @param met counts members with a view of all
     * @param grown counts members with a view of one more
     * @param shrunk counts views of all, of which there are two per member in the end
     */
    private record Listener(CountDownLatch met, CountDownLatch heard, CountDownLatch grown, CountDownLatch shrunk)
            implements GroupSystem.Listener {

        @Override
        public void onMessage(byte[] bytes, int offset, int length) {
            heard.countDown();
        }

        @Override
        public void onMessage(ByteBuffer bytes, int offset, int length) {
            heard.countDown();
        }

        @Override
        public void onView(List<Integer> members, int coordinator, String id) {
            if (members.size() == MEMBERS) {
                met.countDown();
                shrunk.countDown();
            } else if (members.size() == MEMBERS + 1) {
                grown.countDown();
            }
        }
    }
}
