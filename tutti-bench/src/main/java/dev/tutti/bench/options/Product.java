package dev.tutti.bench.options;

import dev.tutti.bench.systems.SystemKind;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options for settings of tutti itself. */
public final class Product {

    private enum Transport {
        TCP,
        UDP,
        MULTICAST
    }

    private enum Delivery {
        VIRTUAL,
        INLINE
    }

    @Option(
            names = "--transport",
            paramLabel = "WHAT",
            split = ",",
            defaultValue = "tcp",
            description = "tcp, udp, or multicast (UDP, what goes to all goes once). Default: ${DEFAULT-VALUE}.")
    private List<Transport> transports = List.of();

    @Option(
            names = "--delivery",
            paramLabel = "WHERE",
            split = ",",
            defaultValue = "virtual",
            description = "Of listeners: virtual, on a thread that may block, or inline, on the loop. Default:"
                    + " ${DEFAULT-VALUE}.")
    private List<Delivery> deliveries = List.of();

    @Option(names = "--one-jvm", description = "All members in one process, instead of each in its own.")
    private boolean isOneProcess;

    public boolean isOneProcess() {
        return isOneProcess;
    }

    public List<SystemKind> systems() {
        List<SystemKind> systems = new ArrayList<>();
        for (Transport transport : transports) {
            for (Delivery delivery : deliveries) {
                boolean isInline = delivery == Delivery.INLINE;
                systems.add(
                        switch (transport) {
                            case TCP -> isInline ? SystemKind.TUTTI_INLINE : SystemKind.TUTTI;
                            case UDP -> isInline ? SystemKind.TUTTI_UDP_UNICAST_INLINE : SystemKind.TUTTI_UDP_UNICAST;
                            case MULTICAST -> isInline ? SystemKind.TUTTI_UDP_INLINE : SystemKind.TUTTI_UDP;
                        });
            }
        }
        return systems;
    }
}
