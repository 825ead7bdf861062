package dev.tutti.grid.mediator;

import dev.tutti.grid.internal.door.Doorkeeper;
import dev.tutti.grid.internal.door.Entrance;
import dev.tutti.grid.internal.page.PageContent;
import dev.tutti.internal.door.Places;
import dev.tutti.internal.door.Places.Place;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import java.net.URI;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The entrance of a mediator, and the parts that its connections share. */
final class Listener implements AutoCloseable {

    private static final int THREADS_MAX = 4;

    /** Connections of one address that are not clients yet. */
    private static final int HOST_CONNECTIONS_MAX = 1_000;

    private final Places places;
    private final Service service;
    private final Entrance entrance;

    /** @param numbers returns the numbers of the mediator */
    Listener(MediatorBuilder options, MediatorCounters counters, Supplier<Map<String, Long>> numbers) {
        Doorkeeper doorkeeper = new Doorkeeper("mediator", options.grid().name(), options.server());
        this.places = new Places(options.connectionsMax(), HOST_CONNECTIONS_MAX);
        this.service = new Service(options.settings(), new PageContent(options.grid()), doorkeeper, counters, numbers);
        int threads = Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, THREADS_MAX);
        this.entrance = new Entrance("mediator", doorkeeper, options.server(), places, threads, this::receive);
        entrance.everySecond(service::onTime);
    }

    private void receive(Channel accepted, Place place) {
        Intake intake = new Intake(service.receiving(), service.counters(), accepted);
        accepted.pipeline().addLast(
                intake, Entrance.codec(), new HttpObjectAggregator(Service.BODY_BYTES_MAX, true), new Front(service, place, intake));
    }

    int port() {
        return entrance.port();
    }

    URI url() {
        return entrance.url("");
    }

    Map<String, Long> numbers() {
        Map<String, Long> numbers = new TreeMap<>(service.sizes());
        numbers.putAll(Map.of(
                "connections", (long) places.taken(), "connections-evicted", places.evicted(), "connections-refused", places.refused()));
        return numbers;
    }

    @Override
    public void close() {
        service.onClosing();
        entrance.close();
    }
}
