package dev.tutti.grid.internal.wire;

import dev.tutti.blocks.Values;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.grid.Answer;
import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Query;
import dev.tutti.grid.Topic;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Messages between clients and mediators, in both directions. */
public final class ClientBytes {

    private static final Filter FILTER = Filter.topic("hosts/*/cpu/#").with("os", "linux").where("value > 1");
    private static final Measurement MEASUREMENT = new Measurement(
            "c-1", 7, Topic.of("hosts/web1/cpu"), Map.of("os", "linux"), Instant.ofEpochSecond(1), ClockQuality.UNKNOWN, Body.of(1.5, "ms"));

    private ClientBytes() {}

    /** The messages of a WebSocket message, up to the place where it is malformed. */
    public record Taken(List<ClientMessage> messages, boolean isMalformed) {

        /** Returns the kinds of the messages, after a check that they are the same when they are written and read again. */
        public Set<String> check() {
            Set<String> kinds = new TreeSet<>();
            for (ClientMessage each : messages) {
                Values.checkRoundTrip(ClientMessage.CODEC, each);
                kinds.add(each.getClass().getSimpleName());
            }
            if (isMalformed) {
                kinds.add("refused");
            }
            return kinds;
        }
    }

    /** Reads a WebSocket message. */
    public static Taken take(byte[] input) {
        List<ClientMessage> messages = new ArrayList<>();
        try {
            ClientMessage.read(input, messages::add);
            return new Taken(messages, false);
        } catch (MalformedException e) {
            return new Taken(messages, true);
        }
    }

    private static Entry entry(Entry.Kind kind, List<Filter> filters) {
        return new Entry("c-1", kind, "größe", "paris", "n1", "http://a/", filters, "cpu", "{}", 0.5, 3, Map.of("k", "v"));
    }

    /** Returns messages of each kind, and all of them in one. */
    public static List<byte[]> seeds() {
        List<ClientMessage> messages = List.of(
                new ClientMessage.Identify("0123456789abcdef0123456789abcdef"),
                new ClientMessage.Register(entry(Entry.Kind.PRODUCER, List.of(Filter.topic("hosts/#"))), 10),
                new ClientMessage.Register(entry(Entry.Kind.CONSUMER, List.of(FILTER, Filter.ALL)), 0),
                new ClientMessage.Withdraw("c-1"),
                new ClientMessage.Publish(MEASUREMENT),
                new ClientMessage.Load("c-1", 0.5),
                new ClientMessage.Find(1, Query.PRODUCERS.on("hosts/#").with("os", "linux").at("paris").within(Duration.ofMillis(1))),
                new ClientMessage.Ask(2, FILTER, Long.MIN_VALUE, Long.MAX_VALUE, true, 1_000),
                new ClientMessage.Welcome("paris", "n1", 20_000),
                new ClientMessage.Registered("c-1", 3),
                new ClientMessage.Refused("c-1", 3, "no more are possible"),
                new ClientMessage.Deliver("c-2", MEASUREMENT),
                new ClientMessage.Missing("c-2", new Gap("c-1", 300, "full")),
                new ClientMessage.Entries(1, new Answer<>(List.of(entry(Entry.Kind.PRODUCER, List.of(FILTER))), List.of("tokyo: no answer"))),
                new ClientMessage.Measurements(2, new Answer<>(List.of(MEASUREMENT, MEASUREMENT), List.of())));
        List<byte[]> seeds = new ArrayList<>();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ClientMessage each : messages) {
            seeds.add(ClientMessage.encode(each));
            all.writeBytes(ClientMessage.encode(each));
        }
        seeds.add(all.toByteArray());
        return seeds;
    }
}
