package dev.tutti.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.blocks.inspection.Inspection;
import dev.tutti.internal.Json;
import dev.tutti.sites.SiteGroup;
import dev.tutti.sites.Sites;
import dev.tutti.testing.Chromium;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * The page of sites in a real Chromium: three sites on loopback, of which one goes away and comes back. Pictures are in {@code
 * target/screenshots}. One story after the other.
 */
@Tag("slow")
@Timeout(240)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ChromiumSitesTest {

    private static final Path PICTURES = Path.of("target", "screenshots");

    /** A member of a site, with its part in the sites and in the group orders. */
    private record Place(Node node, Sites sites, SiteGroup orders) {

        void close() {
            sites.close();
            node.close();
        }
    }

    @TempDir
    private static Path directory;

    private static final Map<String, Place> places = new LinkedHashMap<>();
    private static final List<AutoCloseable> others = new ArrayList<>();
    private static Node meetingPoint;
    private static Node console;
    private static Chromium chromium;
    private static Chromium.Page page;
    private static String address;

    @BeforeAll
    static void start() throws IOException {
        meetingPoint = Node.tcp(0).name("meeting-point").cluster("bridge").start();
        console = Node.tcp(0).name("cello").cluster("berlin").start();
        Console served = Console.on(console).port(0).start();
        others.add(served);
        address = served.address();
        chromium = new Chromium(directory.resolve("profile"), Json::parse, Json::write);
        page = chromium.page(1440, 900, false);
        page.go(served.link());
        page.await("document.querySelector('h1') && document.querySelector('h1').textContent.startsWith('One member')");
    }

    @AfterAll
    static void stop() throws Exception {
        chromium.close();
        for (AutoCloseable other : others.reversed()) {
            other.close();
        }
        places.values().forEach(Place::close);
        console.close();
        meetingPoint.close();
    }

    private static void open(Node node, String site) {
        Sites sites = Sites.on(node)
                .site(site)
                .awayAfter(Duration.ofMillis(200))
                .bridge(() -> Node.tcp(0).cluster("bridge").seeds(meetingPoint.address()))
                .open();
        places.put(node.name(), new Place(node, sites, sites.group("orders").expect("berlin").expect("paris").join()));
    }

    private static Node node(String name, String site, String... seeds) {
        return Node.tcp(0).name(name).cluster(site).seeds(seeds).start();
    }

    private static String text(String selector) {
        return String.valueOf(page.evaluate("document.querySelector('" + selector + "').innerText"));
    }

    @Test
    @Order(1)
    void aClusterOfItsOwnHasNoEntryInTheMenuAndIsToldTheNextStep() {
        assertThat(page.evaluate("document.getElementById('nav-sites').hidden")).isEqualTo(true);
        page.go(address + "#/sites");
        page.await("document.querySelector('h1').textContent === 'No sites'");
        assertThat(text(".nothing")).contains("a cluster of its own", "Sites.on(node)", "docs/operating/sites.md");
        page.screenshot(PICTURES.resolve("sites-none.png"));
    }

    @Test
    @Order(2)
    void sitesTheirMembersAndLinksAreShown() {
        open(console, "berlin");
        Node oboe = node("oboe", "berlin", console.address());
        others.add(Inspection.open(oboe));
        open(oboe, "berlin");
        Node viola = node("viola", "paris");
        open(viola, "paris");
        open(node("harp", "paris", viola.address()), "paris");
        open(node("flute", "tokyo"), "tokyo");
        page.await("document.querySelector('h1').textContent === '3 sites, all connected.'");
        assertThat(page.evaluate("document.getElementById('nav-sites').hidden")).isEqualTo(false);
        places.get("cello").orders.send("everywhere");
        page.await("document.querySelectorAll('.map .busy').length === 2");
        page.await("[...document.querySelectorAll('.map .link-note')].filter((note) => note.textContent.includes('ms')"
                + " || note.textContent.includes('µs')).length === 2");
        page.await("document.querySelector('#sites-title').closest('.card').innerText.includes('viola and harp')");
        page.await("[...document.querySelectorAll('.story .what')].some((what) => what.textContent.includes('Site tokyo is up'))");
        assertThat(text("#site-groups-title")).isEqualTo("Groups across sites");
        page.screenshot(PICTURES.resolve("sites.png"));
    }

    @Test
    @Order(3)
    void aSiteThatIsAwayIsShownWithTheMessagesThatAreKeptForIt() {
        // The site may have announced that it has one member before that one left, too.
        places.remove("harp").close();
        places.remove("viola").close();
        page.await("document.querySelector('h1').textContent === 'Site paris is away.'");
        for (int number = 0; number < 500; number++) {
            places.get("oboe").orders.send(new byte[4_000]);
        }
        page.await("document.querySelector('.map .away') && document.querySelector('.map .link-cross[d^=M]')");
        page.await("document.querySelector('#sites-title').closest('.card').innerText.includes('500')");
        page.await("document.querySelector('#site-groups-title').closest('.card').innerText.includes('500 messages')");
        page.await("[...document.querySelectorAll('.map .link-note')].some((note) => note.textContent.startsWith('500 behind'))");
        page.await("[...document.querySelectorAll('.story[data-kind=sites-away] .what')].length === 1");
        String label = String.valueOf(page.evaluate("document.querySelector('.map .away a').getAttribute('aria-label')"));
        assertThat(label).matches("site paris, away · (1 member|2 members), 500 behind.*");
        page.screenshot(PICTURES.resolve("sites-away.png"));
    }

    @Test
    @Order(4)
    void thePageFitsAPhoneAndTheDark() {
        page.shape(1440, 900, true);
        page.await("matchMedia('(prefers-color-scheme: dark)').matches");
        page.screenshot(PICTURES.resolve("sites-away-dark.png"));
        page.shape(390, 844, false);
        page.await("document.documentElement.scrollWidth <= window.innerWidth && window.innerWidth === 390");
        page.screenshot(PICTURES.resolve("sites-phone.png"));
        page.shape(320, 640, true);
        page.await("document.documentElement.scrollWidth <= window.innerWidth && window.innerWidth === 320");
        page.shape(390, 844, true);
        page.screenshot(PICTURES.resolve("sites-phone-dark.png"));
        page.shape(1440, 900, false);
        page.await("window.innerWidth > 1400");
    }

    @Test
    @Order(5)
    void aSiteLinksToItsMembersAndItsStory() {
        page.evaluate("document.querySelector('.map .away a').dispatchEvent(new MouseEvent('click', {bubbles: true}))");
        page.await("location.hash === '#/site/paris' && document.querySelector('h1').textContent === 'paris'");
        page.await("document.querySelector('.names').innerText.includes('viola')");
        assertThat(text(".facts")).contains("away", "500");
        assertThat(page.evaluate("[...document.querySelectorAll('#nav a[aria-current]')].map((each) => each.textContent).join()"))
                .isEqualTo("Sites");
        page.screenshot(PICTURES.resolve("sites-site.png"));
        page.go(address + "#/site/berlin");
        page.await("[...document.querySelectorAll('.names a')].map((each) => each.textContent).join() === 'cello,oboe'");
        page.go(address + "#/");
        page.await("document.querySelector('.attention').innerText.includes('Site paris is away')");
        page.go(address + "#/sites");
    }

    @Test
    @Order(6)
    void aSiteThatIsBackGetsAllThatWasKept() {
        open(node("viola", "paris"), "paris");
        page.await("document.querySelector('h1').textContent === '3 sites, all connected.'");
        page.await("[...document.querySelectorAll('.story[data-kind=sites-back] .what')].length === 1");
        page.await("!document.querySelector('#site-groups-title').closest('.card').innerText.includes('500 messages')");
        assertThat(chromium.complaints()).isEmpty();
    }
}
