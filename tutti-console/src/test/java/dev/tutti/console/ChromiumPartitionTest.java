package dev.tutti.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.internal.Json;
import dev.tutti.internal.diagnostics.Diagnostics;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory;
import dev.tutti.internal.diagnostics.DiagnosticsDirectory.Entry;
import dev.tutti.testing.Chromium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A partition of real processes on the page, in a real Chromium: nothing passes between the sides, and the page shows both, because the members
 * of the other one can be asked on this machine. Pictures are in {@code target/screenshots}.
 */
@Tag("slow")
@Timeout(240)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ChromiumPartitionTest {

    private static final Lateness lateness = new Lateness();
    private static final Path PICTURES = Path.of("target", "screenshots");
    private static final List<String> HERE = List.of("score", "cello");
    private static final List<String> THERE = List.of("oboe", "viola");
    private static final String SPLIT = "2 groups are split.";

    private static final String WHOLE = "4 members, in agreement.";

    @TempDir
    private static Path directory;

    private static Wall wall;
    private static Node node;
    private static Console console;
    private static Chromium chromium;
    private static Chromium.Page page;
    private static final Map<String, Process> members = new LinkedHashMap<>();

    @BeforeAll
    static void start() throws IOException {
        wall = new Wall(List.of("score", "cello", "oboe", "viola"), Set.copyOf(THERE));
        Wall.Place own = wall.place("score");
        node = Node.tcp(own.port())
                .name("score")
                .cluster("orchestra")
                .set("bind.advertise", own.address())
                .start();
        console = Console.on(node).port(0).start();
        for (String name : List.of("cello", "oboe", "viola")) {
            Wall.Place place = wall.place(name);
            members.put(name, MemberProcess.start(
                    name, place.port(), own.address(), "bind.advertise=" + place.address(), "diagnostics.enabled=true"));
        }
        chromium = new Chromium(directory.resolve("profile"), Json::parse, Json::write);
        page = chromium.page(1440, 900, false);
        page.go(console.link());
        page.await("document.querySelector('h1') && document.querySelector('h1').textContent === '" + WHOLE + "'");
        // When each heading was there first.
        page.evaluate("window.headings = {}; setInterval(() => { const now = document.querySelector('h1').textContent;"
                + " window.headings[now] ??= Date.now(); }, 5); true");
    }

    @AfterAll
    static void stop() {
        members.values().forEach(Process::destroyForcibly);
        chromium.close();
        console.close();
        node.close();
        wall.close();
        lateness.close();
    }

    /** Returns the time within which the page has to show something, on a machine that may be late itself. */
    private static long shownMillisMax() {
        return Lateness.SHOWN_MILLIS_MAX + 2 * lateness.takeMillis();
    }

    /** When a member has got its latest view of a group, as it says itself. */
    private static long viewMillis(String name, String group) throws IOException {
        long latest = 0;
        for (Object each : (List<?>) events(name).get("events")) {
            Map<?, ?> event = (Map<?, ?>) each;
            if (event.get("kind").equals("view") && group.equals(event.get("group"))) {
                latest = ((Number) event.get("epochMillis")).longValue();
            }
        }
        return latest;
    }

    private static Map<?, ?> events(String name) throws IOException {
        if (name.equals("score")) {
            return node.events(0).document();
        }
        for (Entry entry : DiagnosticsDirectory.ofUser().entries()) {
            if (entry.pid() == members.get(name).pid()) {
                return (Map<?, ?>) Json.parse(Diagnostics.ask(entry.socket(), "events 0", Duration.ofSeconds(5)));
            }
        }
        throw new IllegalStateException(name + " can't be asked");
    }

    /** From when the last of these had its view until the page said so. */
    private static void assertShownInTime(String heading, List<String> those) throws IOException {
        long happened = 0;
        for (String name : those) {
            happened = Math.max(happened, viewMillis(name, "orders"));
        }
        long millis = ((Number) page.evaluate("window.headings['" + heading + "']")).longValue() - happened;
        Files.createDirectories(PICTURES);
        Files.writeString(
                PICTURES.resolve("shown.txt"), heading + ": " + millis + " ms\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        assertThat(millis).as(heading).isLessThanOrEqualTo(shownMillisMax());
    }

    @Test
    @Order(1)
    void bothSidesOfAPartitionAreShownWithinASecond() throws Exception {
        wall.shut(true);
        page.await("document.querySelector('h1').textContent === '" + SPLIT + "'");
        page.await("document.querySelectorAll('.map .hull').length === 2");
        assertShownInTime(SPLIT, List.of("cello", "oboe", "viola"));
        String attention = String.valueOf(page.evaluate("document.querySelector('.attention').textContent"));
        assertThat(attention).contains("Group orders is split", "Group chat is split").doesNotContain("does not answer the console", "is not heard");
        page.screenshot(PICTURES.resolve("split.png"));
    }

    @Test
    @Order(2)
    void aMemberOfTheOtherSideIsShownInFull() {
        page.go(console.address() + "#/member/viola");
        page.await("document.querySelectorAll('.layers > li').length > 5");
        page.go(console.address() + "#/group/orders");
        page.await("document.body.textContent.includes('Split in 2')");
        page.screenshot(PICTURES.resolve("split-group.png"));
        page.go(console.address() + "#/");
        page.await("document.querySelector('.map .inside')");
    }

    @Test
    @Order(3)
    void theMergeIsShownWithinASecond() throws Exception {
        page.evaluate("window.headings = {}; true");
        wall.shut(false);
        page.await("document.querySelector('h1').textContent === '" + WHOLE + "'");
        assertShownInTime(WHOLE, List.of("cello", "oboe", "viola"));
        page.await("[...document.querySelectorAll('.story .what')].some((each) => each.textContent.includes('Sides met'))");
        page.await("document.querySelectorAll('.map .hull').length === 1");
        page.screenshot(PICTURES.resolve("merged.png"));
    }

    @Test
    @Order(4)
    void whatHappensOnTheOtherSideIsShownWithinASecond() throws Exception {
        wall.shut(true);
        page.await("document.querySelector('h1').textContent === '" + SPLIT + "'");
        members.get("viola").destroyForcibly();
        // Lost or silent, whichever was found first: nobody hears it, its own side neither.
        page.await("[...document.querySelectorAll('.story .what')].some((each) => /^viola (was lost|fell silent), as oboe saw it/.test("
                + "each.textContent))");
        long shown = ((Number) page.evaluate("Date.now()")).longValue();
        assertThat(shown - viewMillis("oboe", "orders")).isLessThanOrEqualTo(shownMillisMax());
    }
}
