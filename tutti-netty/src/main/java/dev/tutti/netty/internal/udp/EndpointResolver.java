package dev.tutti.netty.internal.udp;

import dev.tutti.address.HostPort;
import dev.tutti.address.Resolver;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.netty.internal.loop.Loop;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Finds the endpoints of {@code host:port}. Used on the loop only; names are looked up by workers. */
final class EndpointResolver {

    private final Loop loop;
    private final Predicate<Endpoint> isReached;
    private final BiConsumer<String, @Nullable Endpoint> answers;
    private final Logger log;

    /**
     * @param isReached whether the socket can send to an endpoint
     * @param answers takes the address and its endpoint, null if there is none
     */
    EndpointResolver(
            Loop loop, Predicate<Endpoint> isReached, BiConsumer<String, @Nullable Endpoint> answers, Logger log) {
        this.loop = loop;
        this.isReached = isReached;
        this.answers = answers;
        this.log = log;
    }

    void resolve(String address) {
        HostPort target;
        try {
            target = HostPort.parse(address);
        } catch (IllegalArgumentException e) {
            answers.accept(address, null);
            return;
        }
        if (target.port() < 1) {
            answers.accept(address, null);
            return;
        }
        InetAddress literal = Resolver.literal(target.host());
        if (literal != null) {
            answers.accept(address, choose(List.of(literal), target.port()));
        } else {
            Resolver.lookUp(loop.workers(), target.host(), found -> onFound(address, found, target.port()));
        }
    }

    /** Takes the result of a look-up. On any thread. */
    private void onFound(String address, List<InetAddress> found, int port) {
        try {
            loop.executor().execute(() -> answers.accept(address, choose(found, port)));
        } catch (RejectedExecutionException e) {
            log.debug("{} was found after the driver was closed", address);
        }
    }

    /** Returns the first address that the socket can send to. */
    private @Nullable Endpoint choose(List<InetAddress> found, int port) {
        for (InetAddress each : found) {
            Endpoint endpoint = Addresses.of(each, port);
            if (isReached.test(endpoint)) {
                return endpoint;
            }
        }
        return null;
    }
}
