package dev.tutti.campaign;

import java.time.Duration;

/** Runs one large scenario and prints its figures, for whoever wants to know how far it goes. */
final class ScaleRun {

    private ScaleRun() {}

    /** {@code ScaleRun bootstrap|crashes|silence NODES SEED}: prints figures. */
    public static void main(String[] arguments) {
        int nodes = Integer.parseInt(arguments[1]);
        long began = System.nanoTime();
        Cluster cluster = Cluster.cluster(nodes, Long.parseLong(arguments[2]));
        Duration limit = Duration.ofSeconds(60);
        ScaleScenarios scenarios = new ScaleScenarios(cluster);
        Object result = scenarios.bootstrap(limit);
        print(result, began);
        if (!arguments[0].equals("bootstrap")) {
            cluster.advance(Duration.ofSeconds(1));
            began = System.nanoTime();
            result = arguments[0].equals("crashes") ? scenarios.crashes(10, limit) : scenarios.silence(nodes / 2, limit);
            print(result, began);
        }
    }

    private static void print(Object result, long began) {
        Runtime runtime = Runtime.getRuntime();
        System.out.println(result + ", " + (System.nanoTime() - began) / 1_000_000 + " ms of real time, "
                + (runtime.totalMemory() - runtime.freeMemory() >> 20) + " MiB of heap");
    }
}
