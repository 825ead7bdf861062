package dev.tutti.cli;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.cli.terminal.ExitCodes;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;

/**
 * Runs the code of all commands once, so that the launcher's JVM can keep the classes that it has loaded and linked
 * (JEP 514): later starts take half the CPU.
 */
@Command(name = "rehearse", hidden = true, description = "Starts three nodes, lets them meet and talk, and closes them.")
final class RehearseCommand implements Callable<Integer> {

    private static final int MESSAGES = 200;
    private static final long SECONDS_MAX = 20;

    @Override
    public Integer call() throws InterruptedException {
        CountDownLatch heard = new CountDownLatch(3 * MESSAGES);
        CountDownLatch met = new CountDownLatch(3);
        try (Node first = Node.tcp(0).name("a").start();
                Node second = Node.tcp(0).name("b").seeds(first.address()).start();
                Node third = Node.tcp(0).name("c").seeds(first.address()).start();
                Group one = join(first, met, heard);
                Group two = join(second, met, heard);
                Group three = join(third, met, heard)) {
            boolean isMet = met.await(SECONDS_MAX, TimeUnit.SECONDS);
            for (int count = 0; count < MESSAGES; count++) {
                one.send("message " + count);
            }
            two.sendTo(three.self(), new byte[1_000]);
            boolean isHeard = heard.await(SECONDS_MAX, TimeUnit.SECONDS);
            first.inspection();
            return isMet && isHeard ? ExitCodes.DONE : ExitCodes.FAILED;
        }
    }

    private static Group join(Node node, CountDownLatch met, CountDownLatch heard) {
        return node.group("rehearsal")
                .onView(view -> {
                    if (view.size() == 3) {
                        met.countDown();
                    }
                })
                .onMessage(message -> heard.countDown())
                .join();
    }
}
