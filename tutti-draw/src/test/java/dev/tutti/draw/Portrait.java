package dev.tutti.draw;

import dev.tutti.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Draws something on the board and takes pictures of it, on a desktop and a phone: for docs, and for changes of the
 * page.
 */
final class Portrait {

    private static Browser ann;
    private static double left;
    private static double top;
    private static double scale;

    private Portrait() {}

    /** Arguments: a directory for desk.png and phone.png. */
    public static void main(String[] arguments) throws Exception {
        Path out = Files.createDirectories(Path.of(arguments[0]));
        try (BoardProcess first = BoardProcess.start("ann", "");
                BoardProcess second = BoardProcess.start("bob", first.address);
                Browser desk = new Browser(Files.createTempDirectory("desk"), 1280, 860, false);
                Browser phone = new Browser(Files.createTempDirectory("phone"), 390, 844, true)) {
            desk.open(first.url);
            phone.open(second.url);
            ann = desk;
            left = ((Number) desk.evaluate("document.getElementById('canvas').getBoundingClientRect().left")).doubleValue();
            top = ((Number) desk.evaluate("document.getElementById('canvas').getBoundingClientRect().top")).doubleValue();
            scale = ((Number) desk.evaluate("board.view.scale")).doubleValue();
            draw();
            phone.touch("touchStart", 322, 380);
            for (int step = 1; step < 30; step++) {
                phone.touch("touchMove", 300 + 22 * Math.cos(step / 4.0), 380 + 22 * Math.sin(step / 4.0));
            }
            phone.touch("touchEnd");
            desk.awaitSettled();
            phone.awaitSettled();
            Await.until("they see each other", () -> desk.is("document.querySelectorAll('#people li').length === 2")
                    && phone.is("document.querySelectorAll('#cursors div').length === 1"));
            Await.until("both have it", () -> desk.lines().equals(phone.lines()));
            desk.screenshot(out.resolve("desk.png"));
            phone.screenshot(out.resolve("phone.png"));
        }
    }

    private static void draw() throws InterruptedException {
        pen(2, 2);
        wave(120, 930, 1360, 34, 0);
        wave(160, 1010, 1280, 26, 2);
        pen(1, 1);
        for (int row = 0; row < 3; row++) {
            wave(420, 700 + 34 * row, 700, 9, row);
        }
        pen(3, 3);
        ring(1210, 260, 70);
        pen(4, 1);
        for (int ray = 0; ray < 12; ray++) {
            double angle = ray * Math.PI / 6;
            line(1210 + 130 * Math.cos(angle), 260 + 130 * Math.sin(angle), 1210 + 175 * Math.cos(angle), 260 + 175 * Math.sin(angle));
        }
        pen(0, 1);
        line(620, 640, 980, 640);
        line(620, 640, 660, 710);
        line(660, 710, 940, 710);
        line(940, 710, 980, 640);
        line(790, 640, 790, 330);
        pen(5, 1);
        line(806, 350, 806, 600);
        line(806, 600, 1000, 600);
        line(1000, 600, 806, 350);
        pen(6, 1);
        line(774, 390, 774, 600);
        line(774, 600, 640, 600);
        line(640, 600, 774, 390);
        pen(0, 0);
        for (int bird = 0; bird < 3; bird++) {
            double x = 330 + 110 * bird;
            double y = 300 - 40 * (bird % 2);
            ann.press(left + scale * x, top + scale * y);
            for (int step = 1; step <= 24; step++) {
                to(x + 3 * step, y - 26 * Math.abs(Math.sin(step * Math.PI / 12)));
            }
            ann.release(left + scale * (x + 72), top + scale * y);
        }
    }

    private static void pen(int colour, int width) {
        ann.evaluate("document.getElementById('colours').children[" + colour + "].click()");
        ann.evaluate("document.getElementById('widths').children[" + width + "].click()");
    }

    private static void to(double x, double y) throws InterruptedException {
        ann.move(left + scale * x, top + scale * y);
    }

    private static void line(double fromX, double fromY, double toX, double toY) throws InterruptedException {
        ann.press(left + scale * fromX, top + scale * fromY);
        to((fromX + toX) / 2 + 2, (fromY + toY) / 2 - 2);
        to(toX, toY);
        ann.release(left + scale * toX, top + scale * toY);
    }

    private static void wave(double x, double y, double length, double height, double phase) throws InterruptedException {
        ann.press(left + scale * x, top + scale * (y + height * Math.sin(phase)));
        for (int step = 1; step <= 60; step++) {
            to(x + length * step / 60, y + height * Math.sin(phase + step * 0.45));
        }
        ann.release(left + scale * (x + length), top + scale * (y + height * Math.sin(phase + 27)));
    }

    private static void ring(double x, double y, double radius) throws InterruptedException {
        ann.press(left + scale * (x + radius), top + scale * y);
        for (int step = 1; step <= 40; step++) {
            to(x + radius * Math.cos(step * Math.PI / 20), y + radius * Math.sin(step * Math.PI / 20));
        }
        ann.release(left + scale * (x + radius), top + scale * y);
    }
}
