package dev.tutti.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.blocks.inspection.Inspection;
import dev.tutti.internal.Json;
import dev.tutti.rendezvous.RendezvousServer;
import dev.tutti.rendezvous.settings.RendezvousServerSettings;
import dev.tutti.testing.Chromium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Relayed pairs in a real Chromium. Pictures are in {@code target/screenshots}. */
@Tag("slow")
@Timeout(240)
class ChromiumRelaysTest {

    private static final Path PICTURES = Path.of("target", "screenshots");
    private static final String SECRET = "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0GjKx6Pu4EaSc";

    @TempDir
    private Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private <T extends AutoCloseable> T keep(T each) {
        open.add(each);
        return each;
    }

    /** @param advertised address that others can't dial; empty for that of the node */
    private Node node(String name, int server, String advertised) {
        return keep(Node.tcp(0)
                .name(name)
                .cluster("shop")
                .set("bind.advertise", advertised)
                .set("security.secret", SECRET)
                .set("rendezvous.servers", "tcp://127.0.0.1:" + server)
                .start());
    }

    @Test
    void pairsOfHiddenMembersAreShownWithTheirServer() throws IOException {
        RendezvousServer server = keep(RendezvousServer.open(RendezvousServer.defaults().with(RendezvousServerSettings.PORT, 0)));
        Node cello = node("cello", server.port(), "");
        Console console = keep(Console.on(cello).port(0).start());
        List<Group> groups = new ArrayList<>(List.of(cello.group("orders").join()));
        for (String name : List.of("alto", "bass", "tenor")) {
            Node hidden = node(name, server.port(), name + ".invalid:7800");
            keep(Inspection.open(hidden));
            groups.add(hidden.group("orders").join());
        }
        groups.getLast().send("x".repeat(100_000));
        Chromium chromium = keep(new Chromium(directory.resolve("profile"), Json::parse, Json::write));
        Chromium.Page page = chromium.page(1440, 900, false);
        page.go(console.link());
        page.await("document.querySelectorAll('.map .link.relayed').length === 3");
        page.await("document.getElementById('relays-title').closest('section').innerText.includes('alto and bass')");
        page.await("document.getElementById('relays-title').closest('section').innerText.includes('invalid')");
        Object shown = page.evaluate("document.getElementById('relays-title').closest('section').innerText");
        assertThat(String.valueOf(shown))
                .contains("127.0.0.1:" + server.port(), "alto and bass", "alto and tenor", "bass and tenor", "alto: ")
                .doesNotContain("cello and");
        Object links = page.evaluate("document.getElementById('links-title').closest('details').innerText");
        assertThat(String.valueOf(links)).contains("through 127.0.0.1:" + server.port(), "direct");
        page.screenshot(PICTURES.resolve("relays.png"));
        page.evaluate("document.getElementById('relays-title').scrollIntoView()");
        page.screenshot(PICTURES.resolve("relays-table.png"));
        page.shape(390, 844, true);
        page.evaluate("document.getElementById('relays-title').scrollIntoView()");
        page.screenshot(PICTURES.resolve("relays-phone.png"));
        // Only some ways to wait for sockets measure round trips, and each end only that to the server.
        assertThat(page.evaluate("import('/assets/map.js').then((map) => JSON.stringify(['', 'meet:1'].map((relay) => map.pairsOf(["
                        + "{ from: 'a', to: 'b', roundTripMicros: 40, relay, state: 'open', closes: [] },"
                        + "{ from: 'b', to: 'a', roundTripMicros: 50, relay, state: 'open', closes: [] }])[0].roundTrip)))"))
                .isEqualTo("[40,90]");
        assertThat(chromium.complaints()).isEmpty();
    }
}
