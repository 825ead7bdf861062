package dev.tutti.cli.grid;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cli.grid.DemoMediator.Place;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.grid.Body;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.SubscriptionOptions;
import dev.tutti.grid.client.GridClient;
import dev.tutti.testing.Await;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Mediators as real processes at several sites, on loopback. */
@Tag("slow")
@Timeout(180)
class GridProcessesTest {

    @Test
    void clientsOfMediatorsAtTwoSitesGetEachOthersMeasurements(@TempDir Path directory) {
        List<Place> places = List.of(Place.of("berlin", "b1"), Place.of("paris", "p1"));
        try (DemoMediator berlin = DemoMediator.start("lab", places.getFirst(), places, directory);
                DemoMediator paris = DemoMediator.start("lab", places.getLast(), places, directory)) {
            berlin.awaitReady();
            paris.awaitReady();
            Queue<String> got = new ConcurrentLinkedQueue<>();
            try (GridClient here = GridClient.of(berlin.url()).open();
                    GridClient there = GridClient.of(paris.url()).open();
                    Producer rooms = there.produce(ProducerOptions.of("rooms", "rooms/#"))) {
                here.subscribe(
                        SubscriptionOptions.of("all", Filter.topic("rooms/#")), measurement -> got.add(measurement.topic() + " " + measurement.body()));
                Await.until("a measurement has come from the other site", () -> {
                    rooms.publish("rooms/1", Body.of("warm"));
                    return !got.isEmpty();
                });
                assertThat(got.peek()).isEqualTo("rooms/1 Text[text=warm]");
                assertThat(here.site()).isEqualTo("berlin");
                assertThat(there.site()).isEqualTo("paris");
                assertThat(here.find(Query.PRODUCERS.at("paris").on("rooms/#").within(Duration.ofSeconds(20))).items())
                        .extracting(entry -> entry.name() + " at " + entry.node())
                        .containsExactly("rooms at p1");
            }
        }
    }

    @Test
    void theDemonstrationEndsWithAVerdict() {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Terminal terminal = new Terminal(InputStream.nullInputStream(), new PrintWriter(out), new PrintWriter(err), false);
        CommandLine command = new CommandLine(new GridDemoCommand(terminal)).setErr(terminal.err());
        int code = command.execute("--smoke", "--seconds", "9");
        assertThat(out + "" + err).contains(
                "The grid in a browser: http://127.0.0.1:",
                "Mediator berlin-m1 is killed now",
                "Client berlin-1 has found mediator berlin-m2",
                "The registry has 5 of 5 producers.",
                "Verdict: nothing was lost without being told.");
        assertThat(code).isEqualTo(ExitCodes.DONE);
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
    }
}
