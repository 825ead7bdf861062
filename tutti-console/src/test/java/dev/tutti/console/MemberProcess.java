package dev.tutti.console;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.blocks.inspection.Inspection;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A process with a member: name, port, seeds, groups by commas, messages per second. It prints {@code ready}. */
public final class MemberProcess {

    private MemberProcess() {}

    public static void main(String[] arguments) throws Exception {
        int rate = Integer.parseInt(arguments[4]);
        try (Node node = Node.tcp(Integer.parseInt(arguments[1]))
                        .name(arguments[0])
                        .cluster("orchestra")
                        .seeds(arguments[2].split(","))
                        .start();
                Inspection _ = Inspection.open(node)) {
            for (String name : List.of(arguments[3].split(","))) {
                Group group = node.group(name).onMessage(message -> {}).join();
                if (rate > 0) {
                    Thread.ofVirtual().start(() -> send(group, rate));
                }
            }
            System.out.println("ready");
            // Until it is killed, or its parent ends.
            while (System.in.read() >= 0) {
                LockSupport.parkNanos(1);
            }
        }
    }

    private static void send(Group group, int rate) {
        byte[] message = new byte[200];
        long nanos = 1_000_000_000L / rate;
        long due = System.nanoTime();
        while (!Thread.currentThread().isInterrupted()) {
            group.send(message);
            due += nanos;
            LockSupport.parkNanos(due - System.nanoTime());
        }
    }
}
