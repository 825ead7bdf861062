package dev.tutti.cli;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.mediator.Mediator;
import dev.tutti.grid.member.GridMember;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;

/**
 * Runs the code of all commands once, so that the launcher's JVM can keep the classes that it has loaded and linked
 * (JEP 514): later starts take half the CPU.
 */
@Command(name = "rehearse", hidden = true, description = "Starts three nodes and a mediator with a client, lets them talk, and closes them.")
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
            return isMet && isHeard && rehearseGrid(first) ? ExitCodes.DONE : ExitCodes.FAILED;
        }
    }

    private static boolean rehearseGrid(Node node) throws InterruptedException {
        CountDownLatch arrived = new CountDownLatch(MESSAGES);
        try (GridMember member = GridMember.on(node).join();
                Mediator mediator = Mediator.on(member).port(0).open();
                GridClient client = GridClient.of(mediator.url()).open()) {
            client.subscribe(SubscriptionOptions.of("all", Filter.topic("rehearsal/#").where("value >= 0")), _ -> arrived.countDown());
            Producer producer = client.produce(ProducerOptions.of("one", "rehearsal/#"));
            for (int number = 0; number < MESSAGES; number++) {
                producer.publish("rehearsal/" + number, Body.of(number));
            }
            return arrived.await(SECONDS_MAX, TimeUnit.SECONDS);
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
