package dev.tutti.draw;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Real pages in real Chromiums, real members in processes of their own; one is killed. */
@Tag("slow")
@Tag("chromium")
class TwoBrowsersTest {

    /** Profiles are written to while Chromium ends. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private Browser browser(String name) throws Exception {
        return new Browser(Files.createDirectory(directory.resolve(name)), 1280, 860, false);
    }

    private static HttpResponse<String> board(String url, String key) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            String place = url.substring(0, url.indexOf('#'));
            return http.send(
                    HttpRequest.newBuilder(URI.create(place + "board?key=" + key)).build(), BodyHandlers.ofString());
        }
    }

    private static String lines(String url) throws Exception {
        return board(url, url.substring(url.indexOf('#') + 1)).body();
    }

    private static void scribble(Browser browser, long seed) throws InterruptedException {
        Random random = new Random(seed);
        double x = 300 + random.nextInt(600);
        double y = 200 + random.nextInt(400);
        browser.press(x, y);
        for (int step = 0; step < 15; step++) {
            x += random.nextInt(81) - 40;
            y += random.nextInt(81) - 40;
            browser.move(x, y);
        }
        browser.release(x, y);
    }

    private static void choose(Browser browser, int colour, int width) {
        browser.evaluate("document.getElementById('colours').children[" + colour + "].click()");
        browser.evaluate("document.getElementById('widths').children[" + width + "].click()");
    }

    private static int strokes(String lines) {
        return (int) Pattern.compile("^p \\S+ 0 ", Pattern.MULTILINE).matcher(lines).results().count();
    }

    private static void awaitSame(Browser one, Browser other) throws InterruptedException {
        one.awaitSettled();
        other.awaitSettled();
        Await.until("both have the same strokes", () -> one.lines().equals(other.lines()));
        one.awaitSettled();
        other.awaitSettled();
    }

    @Test
    void boardsAreTheSamePixelByPixelWhenTheMemberOfOneIsKilled() throws Exception {
        try (BoardProcess first = BoardProcess.start("first", "");
                BoardProcess second = BoardProcess.start("second", first.address);
                Browser ann = browser("ann");
                Browser bob = browser("bob")) {
            ann.open(first.url);
            bob.open(second.url);
            String empty = ann.pixels();
            for (int round = 0; round < 4; round++) {
                choose(ann, round, round);
                choose(bob, round + 3, 3 - round);
                scribble(ann, round);
                scribble(bob, 100 + round);
            }
            awaitSame(ann, bob);
            assertThat(ann.pixels()).isNotEqualTo(empty).isEqualTo(bob.pixels());

            // Strokes on both boards while the member of one of them dies, one of them under the pen.
            choose(ann, 5, 2);
            ann.press(400, 300);
            for (int step = 0; step < 60; step++) {
                ann.move(400 + 7 * step, 300 + 40 * Math.sin(step / 4.0));
                if (step == 25) {
                    first.kill();
                }
                if (step % 20 == 0) {
                    scribble(bob, 200 + step);
                }
            }
            ann.release(813, 300);
            scribble(ann, 300);
            awaitSame(ann, bob);

            assertThat(ann.pixels()).isEqualTo(bob.pixels());
            assertThat(ann.lines()).isEqualTo(lines(second.url));
            assertThat(strokes(ann.lines())).isEqualTo(4 + 4 + 1 + 3 + 1);
            assertThat(ann.evaluate("board.link.place")).isEqualTo(bob.evaluate("board.link.place"));

            // A later member has the whole board, and so has a page that it serves.
            try (BoardProcess third = BoardProcess.start("third", second.address)) {
                assertThat(lines(third.url)).isEqualTo(ann.lines());
                String before = bob.pixels();
                second.kill();
                ann.open(third.url);
                bob.awaitSettled();
                assertThat(ann.pixels()).isEqualTo(before).isEqualTo(bob.pixels());
            }
        }
    }

    @Test
    void drawsWithFingersAndTakesBackAndClears() throws Exception {
        try (BoardProcess member = BoardProcess.start("only", "");
                Browser desk = browser("desk");
                Browser phone = new Browser(Files.createDirectory(directory.resolve("phone")), 390, 844, true)) {
            desk.open(member.url);
            phone.open(member.url);
            String empty = desk.pixels();
            scribble(desk, 1);
            awaitSame(desk, phone);
            String one = desk.pixels();
            phone.touch("touchStart", 100, 400);
            for (int step = 1; step < 20; step++) {
                phone.touch("touchMove", 100 + 8 * step, 400 + 2 * step);
            }
            phone.touch("touchEnd");
            awaitSame(phone, desk);
            assertThat(strokes(desk.lines())).isEqualTo(2);
            assertThat(phone.pixels()).isEqualTo(desk.pixels()).isNotEqualTo(one);

            // Two fingers look closer, and draw nothing.
            phone.touch("touchStart", 150, 420, 250, 420);
            phone.touch("touchMove", 100, 420, 300, 420);
            phone.touch("touchEnd");
            phone.awaitSettled();
            assertThat(phone.is("board.view.scale > 1.5 * board.view.fit")).isTrue();

            phone.evaluate("document.getElementById('undo').click()");
            awaitSame(phone, desk);
            assertThat(desk.pixels()).isEqualTo(one);
            assertThat(phone.pixels()).isEqualTo(one);

            phone.evaluate("document.getElementById('clear').click(); document.getElementById('clear').click()");
            awaitSame(phone, desk);
            assertThat(desk.pixels()).isEqualTo(empty);
            scribble(desk, 2);
            awaitSame(desk, phone);
            assertThat(phone.pixels()).isEqualTo(desk.pixels()).isNotEqualTo(empty);
        }
    }

    @Test
    void opensOnlyWithItsKey() throws Exception {
        try (BoardProcess member = BoardProcess.start("only", "");
                Browser browser = browser("guest")) {
            browser.open(member.url);
            assertThat(board(member.url, "0123456789abcdef0123").statusCode()).isEqualTo(426);
            browser.evaluate("location.hash = 'wrongwrongwrongwrong'");
            Await.until("it says what is missing", () -> browser.is("document.readyState === 'complete' && window.board"
                    + " && !board.link.isReady && !document.getElementById('notice').hidden"));
        }
    }

    /** The page's strokes and the member's are two programs: equal lines make equal boards, in any order and twice. */
    @Test
    void pagesAndMembersMakeTheSameOfAnyLines() throws Exception {
        try (BoardProcess member = BoardProcess.start("only", "");
                Browser browser = browser("twin")) {
            browser.open(member.url);
            for (long seed = 0; seed < 20; seed++) {
                String script = RandomLines.of(new Random(seed), 200);
                Board board = new Board();
                board.apply(script);
                assertThat(browser.evaluate("import('/strokes.js').then(({Strokes}) => {"
                                + "const strokes = new Strokes(() => {}); strokes.apply(`" + script + "`); return strokes.lines(); })"))
                        .as("seed %d", seed)
                        .isEqualTo(String.join("", board.image().lines(false)));
            }
        }
    }
}
