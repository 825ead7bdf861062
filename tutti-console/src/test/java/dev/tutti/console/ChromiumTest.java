package dev.tutti.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.internal.Json;
import dev.tutti.testing.Chromium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
 * The page in a real Chromium, and real processes that join, are killed, stop and go on: each is shown within a second after
 * it was known. Pictures of it are in {@code target/screenshots}. One story after the other, on one cluster.
 */
@Tag("slow")
@Timeout(240)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ChromiumTest {

    private static final Path PICTURES = Path.of("target", "screenshots");

    @TempDir
    private static Path directory;

    private static final String TOKEN = "let all of them play";

    private static Node node;
    private static Console console;
    private static Chromium chromium;
    private static Chromium.Page page;
    private static final Lateness lateness = new Lateness();
    private static final Map<String, Process> members = new LinkedHashMap<>();

    @BeforeAll
    static void start() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), TOKEN);
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        node = Node.tcp(0).name("score").cluster("orchestra").start();
        console = Console.on(node).port(0).set("console.token-file", token.toString()).start();
        chromium = new Chromium(directory.resolve("profile"), Json::parse, Json::write);
        page = chromium.page(1440, 900, false);
        page.go(console.link());
        page.await("document.querySelector('h1') && document.querySelector('h1').textContent.startsWith('One member')");
        // When each story was shown, beside when it happened.
        page.evaluate("window.late = 0; let last = Date.now(); setInterval(() => { window.late = Math.max(window.late, Date.now() - last);"
                + " last = Date.now(); }, 5)");
        page.evaluate("window.shown = {}; setInterval(() => document.querySelectorAll('.story').forEach((story) => { const what ="
                + " story.querySelector('.what').textContent + '@' + story.querySelector('time').getAttribute('datetime');"
                + " window.shown[what] ??= Date.now() - Date.parse(story.querySelector('time').getAttribute('datetime')); }), 5)");
    }

    @AfterAll
    static void stop() {
        members.values().forEach(Process::destroyForcibly);
        chromium.close();
        console.close();
        node.close();
        lateness.close();
    }

    private static void startMember(String name) throws IOException {
        members.put(name, MemberProcess.start(name, 0, node.address()));
    }

    private static void signal(String name, String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(members.get(name).pid())).start();
        assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(kill.exitValue()).isZero();
    }

    /** Waits until a story is told, and says how long after it happened; the latest of these words. */
    private static long awaitStory(String words) throws IOException {
        String found = "Object.keys(window.shown).filter((what) => what.includes('" + words + "'))";
        page.await(found + ".length > 0");
        long millis = ((Number) page.evaluate("window.shown[" + found + ".at(-1)]")).longValue();
        Files.createDirectories(PICTURES);
        Files.writeString(
                PICTURES.resolve("shown.txt"), words + ": " + millis + " ms\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return millis;
    }

    /** Waits until a story is told, and asserts that it was told in time on a machine that is not late itself. */
    private static void assertShown(String words) throws IOException {
        long millis = awaitStory(words);
        long late = lateness.takeMillis() + ((Number) page.evaluate("[window.late, window.late = 0][0]")).longValue();
        assertThat(millis).as("%s, with a machine that was %d ms late", words, late).isBetween(-50L, Lateness.SHOWN_MILLIS_MAX + 2 * late);
    }

    private static String heading() {
        return String.valueOf(page.evaluate("document.querySelector('h1').textContent"));
    }

    @Test
    @Order(1)
    void membersThatJoinAreShownWithinASecond() throws Exception {
        for (String name : List.of("cello", "oboe", "viola")) {
            startMember(name);
            assertShown(name + " joined");
        }
        page.await("document.querySelector('h1').textContent === '4 members, in agreement.'");
        page.await("document.querySelectorAll('.map .inside').length === 3");
        page.await("document.querySelectorAll('.map .hull').length === 1");
        assertThat(page.evaluate("[...document.querySelectorAll('#members-title')].length")).isEqualTo(1L);
        page.await("document.querySelectorAll('.chart canvas').length === 4");
        page.screenshot(PICTURES.resolve("overview-light.png"));
    }

    @Test
    @Order(2)
    void thePageFitsAPhoneAndTheDark() {
        page.shape(390, 844, false);
        page.await("document.documentElement.scrollWidth <= window.innerWidth");
        page.screenshot(PICTURES.resolve("overview-phone.png"));
        page.shape(320, 640, true);
        page.await("document.documentElement.scrollWidth <= window.innerWidth");
        page.shape(390, 844, true);
        page.screenshot(PICTURES.resolve("overview-phone-dark.png"));
        page.shape(1440, 900, true);
        page.await("getComputedStyle(document.body).backgroundColor === 'rgb(17, 20, 22)'");
        page.screenshot(PICTURES.resolve("overview-dark.png"));
        page.shape(1440, 900, false);
        page.await("getComputedStyle(document.body).backgroundColor === 'rgb(250, 249, 246)'");
    }

    @Test
    @Order(3)
    void wordsStandOutFromTheirGround() {
        for (boolean isDark : List.of(false, true)) {
            page.shape(1440, 900, isDark);
            page.await("matchMedia('(prefers-color-scheme: dark)').matches === " + isDark);
            Object worst = page.evaluate(CONTRAST);
            assertThat(((Number) worst).doubleValue()).as("dark " + isDark).isGreaterThanOrEqualTo(4.5);
        }
        page.shape(1440, 900, false);
    }

    @Test
    @Order(4)
    void whoHasNoMouseGetsEverywhere() {
        page.evaluate("document.activeElement.blur(), window.scrollTo(0, 0)");
        List<String> stops = new ArrayList<>();
        for (int stop = 0; stop < 16; stop++) {
            page.press("Tab", 9);
            stops.add(String.valueOf(page.evaluate("(document.activeElement.getAttribute('aria-label') ||"
                    + " document.activeElement.textContent || document.activeElement.value || '').trim().slice(0, 60)")));
        }
        assertThat(stops.getFirst()).isEqualTo("Skip to content");
        assertThat(stops).contains("Members", "Groups", "Time line", "Log out");
        assertThat(stops).anyMatch(stop -> stop.startsWith("cello, answers, "));
        page.evaluate("[...document.querySelectorAll('#nav a')].find((each) => each.textContent === 'Groups').focus()");
        page.press("Enter", 13);
        page.await("document.querySelector('h1').textContent.endsWith('groups')");
        // The focus has moved to the content that has changed.
        assertThat(page.evaluate("document.activeElement.id")).isEqualTo("main");
        page.go(console.address() + "#/");
        page.await("document.querySelector('.map .inside')");
    }

    @Test
    @Order(5)
    void whoDoesNotSeeIsToldAll() {
        List<String> told = new ArrayList<>();
        for (Object each : page.accessibility()) {
            Map<?, ?> node = (Map<?, ?>) each;
            if (node.get("role") instanceof Map<?, ?> role && node.get("name") instanceof Map<?, ?> name) {
                told.add(role.get("value") + " " + name.get("value"));
            }
        }
        assertThat(told).contains("heading 4 members, in agreement.", "heading What happened", "heading Members", "table Members");
        assertThat(told).anyMatch(each -> each.matches("link cello, answers, (coordinator of|rank [123] in) .*"));
        assertThat(told).anyMatch(each -> each.startsWith("rowheader cello"));
        assertThat(page.evaluate("document.getElementById('announcer').getAttribute('aria-live')")).isEqualTo("polite");
        assertThat(String.valueOf(page.evaluate("document.getElementById('announcer').textContent"))).contains("viola");
    }

    @Test
    @Order(6)
    void aGroupsStackIsShownLayerByLayer() {
        page.go(console.address() + "#/group/orders");
        page.await("[...document.querySelectorAll('.layers summary h3')].some((each) => each.textContent === 'reliability')");
        String layers = String.valueOf(
                page.evaluate("[...document.querySelectorAll('.layers summary h3')].map((each) => each.textContent).join()"));
        assertThat(layers).containsSubsequence("delivery", "packing", "reliability", "membership");
        page.await("[...document.querySelectorAll('.layers th')].some((each) => each.textContent === 'window-bytes')");
        page.await("[...document.querySelectorAll('.layers th')].some((each) => each.textContent === 'ack-delay')");
        assertThat(String.valueOf(page.evaluate("document.querySelector('.layers').innerText"))).contains("cello", "oboe", "viola");
        page.screenshot(PICTURES.resolve("group.png"));
        page.go(console.address() + "#/member/cello");
        page.await("document.querySelectorAll('.layers > li').length > 5");
        page.screenshot(PICTURES.resolve("member.png"));
        page.go(console.address() + "#/");
        page.await("document.querySelector('.map .inside')");
        page.shape(1440, 1190, false);
        page.await("window.innerHeight === 1190 && document.querySelectorAll('.map .hull').length === 1");
        page.screenshot(PICTURES.resolve("overview.png"));
        page.shape(1440, 900, false);
    }

    @Test
    @Order(7)
    void aMemberThatIsKilledIsShownWithinASecond() throws Exception {
        signal("viola", "KILL");
        assertShown("viola was lost");
        page.await("document.querySelector('h1').textContent === '3 members, in agreement.'");
        String why = String.valueOf(page.evaluate("document.querySelector('.story[data-kind=lost] .why').textContent"));
        assertThat(why).contains("Noticed first by", "all others agreed").contains("ms later");
        page.await("document.querySelector('.map .gone')");
        page.screenshot(PICTURES.resolve("killed.png"));
    }

    @Test
    @Order(8)
    void aPartitionAndItsEndAreShownWithinASecond() throws Exception {
        signal("oboe", "STOP");
        assertShown("oboe fell silent");
        page.await("document.querySelector('h1').textContent.includes('not heard')");
        page.await("document.querySelector('.attention').textContent.includes('oboe')");
        page.screenshot(PICTURES.resolve("silent.png"));
        signal("oboe", "CONT");
        assertShown("Sides met");
        page.await("document.querySelector('h1').textContent === '3 members, in agreement.'");
        page.screenshot(PICTURES.resolve("met.png"));
    }

    @Test
    @Order(9)
    void aMemberThatComesBackIsShownWithinASecond() throws Exception {
        startMember("viola");
        page.evaluate("window.shown = Object.fromEntries(Object.entries(window.shown).filter(([what]) => !what.includes('viola joined')))");
        page.await("document.querySelector('h1').textContent === '4 members, in agreement.'");
        page.go(console.address() + "#/timeline");
        page.await("document.querySelectorAll('.story').length > 8");
        page.screenshot(PICTURES.resolve("timeline.png"));
    }

    @Test
    @Order(10)
    void thePageAsksNobodyElseAndComplainsOfNothing() {
        assertThat(chromium.requests()).isNotEmpty().allMatch(url -> url.startsWith(console.address()) || url.startsWith("about:"));
        // A member that is killed while it is asked is not found.
        assertThat(chromium.complaints()).allMatch(each -> each.contains("/api/inspection"));
    }

    @Test
    @Order(11)
    void whoLogsOutSeesNothingMore() {
        page.evaluate("document.querySelector('form[action=\"/logout\"] button').click()");
        page.await("document.querySelector('h1') && document.querySelector('h1').textContent === 'Log in'");
        page.screenshot(PICTURES.resolve("login.png"));
        page.go(console.address());
        page.await("location.pathname === '/login' && document.querySelector('h1')");
        assertThat(heading()).isEqualTo("Log in");
        page.evaluate("document.getElementById('token').value = 'something else', document.forms[0].submit()");
        page.await("document.querySelector('.message')?.textContent.startsWith('That was not it')");
        page.evaluate("document.getElementById('token').value = '" + TOKEN + "', document.forms[0].submit()");
        page.await("document.querySelector('h1').textContent === '4 members, in agreement.'");
    }

    /** The least contrast of words with what lies behind them (WCAG 2.2, 1.4.3). */
    private static final String CONTRAST =
            """
            (() => {
              const parse = (colour) => { const p = colour.match(/[\\d.]+/g).map(Number); return colour.startsWith("color(")
                ? [p[0] * 255, p[1] * 255, p[2] * 255, p[3] ?? 1] : [p[0], p[1], p[2], p[3] ?? 1]; };
              const light = ([r, g, b]) => [r, g, b].map((c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; })
                .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
              let worst = 21;
              for (const element of document.querySelectorAll("main *, header *")) {
                const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
                if (!own || element.closest("svg") || !element.getClientRects().length || element.closest(".unseen")) continue;
                let ground = [255, 255, 255, 1];
                for (let at = element; at; at = at.parentElement) {
                  const behind = parse(getComputedStyle(at).backgroundColor);
                  if (behind[3] > 0.8) { ground = behind; break; }
                }
                const a = light(parse(getComputedStyle(element).color));
                const b = light(ground);
                worst = Math.min(worst, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
              }
              return worst;
            })()""";
}
