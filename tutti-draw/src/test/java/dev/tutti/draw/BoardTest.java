package dev.tutti.draw;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BoardTest {

    private static final String KEY = "k 0123456789abcdef\n";

    private static String text(Board board) {
        return String.join("", board.image().lines(true));
    }

    private static Board board(String lines) {
        Board board = new Board();
        board.apply(lines);
        return board;
    }

    @Test
    void tellsItselfInLinesThatMakeItAgain() {
        for (long seed = 0; seed < 100; seed++) {
            Board board = board(KEY + RandomLines.of(new Random(seed), 150));
            assertThat(text(board(text(board)))).as("seed %d", seed).isEqualTo(text(board));
            assertThat(board.ignored()).as("seed %d", seed).isZero();
        }
    }

    /** The lines of each stroke in their order, and otherwise in any. */
    @Test
    void isTheSameWhateverOrderStrokesComeIn() {
        for (long seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            List<String> lines = RandomLines.list(random, 150);
            List<List<String>> byStroke = new ArrayList<>();
            for (String line : lines) {
                String id = line.strip().split(" ")[1];
                byStroke.stream()
                        .filter(each -> each.getFirst().strip().split(" ")[1].equals(id))
                        .findFirst()
                        .orElseGet(() -> {
                            byStroke.add(new ArrayList<>(List.of(line)));
                            return new ArrayList<>();
                        })
                        .add(line);
            }
            StringBuilder shuffled = new StringBuilder();
            while (!byStroke.isEmpty()) {
                List<String> some = byStroke.get(random.nextInt(byStroke.size()));
                shuffled.append(some.removeFirst());
                if (some.isEmpty()) {
                    byStroke.remove(some);
                }
            }
            assertThat(text(board(shuffled.toString()))).as("seed %d", seed).isEqualTo(text(board(String.join("", lines))));
        }
    }

    @Test
    void isWholeWithWhatTheOtherLacks() {
        for (long seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            List<String> lines = RandomLines.list(random, 150);
            // Lines of both boards, then those of different authors on each.
            String common = String.join("", lines.subList(0, 75));
            Board one = board(common + KEY);
            Board other = board(common);
            lines.subList(75, 150).forEach(line -> (line.split(" ")[1].contains(".a") ? one : other).apply(line));
            List<String> beyond = one.linesBeyond(other);
            List<String> back = other.linesBeyond(one);
            beyond.forEach(other::apply);
            back.forEach(one::apply);
            assertThat(text(one)).as("seed %d", seed).isEqualTo(text(other));
            assertThat(one.linesBeyond(other)).as("seed %d", seed).isEmpty();
        }
    }

    @Test
    void keepsAnImageWhileItIsDrawnOn() {
        Board board = board("p 1.a 0 2d6cdf 3 1 2 3 4\n");
        Board.Image image = board.image();
        for (int point = 2; point < 500; point++) {
            board.apply("p 1.a " + point + " 2d6cdf 3 " + point + " 7");
        }
        board.apply("u 1.a\n");
        assertThat(String.join("", image.lines(true))).isEqualTo("p 1.a 0 2d6cdf 3 1 2 3 4\n");
    }

    @Test
    void ignoresWhatIsNoLineOfABoard() {
        List<String> bad = List.of(
                "", "p", "x 1.a", "p 1.a 0 2d6cdf 3 1", "p 1.a 0 2d6cdf 3 6401 1", "p 1.a 0 2d6cdf 3 -1 1", "p 1.a 0 red 3 1 1",
                "p 1.a 0 2d6cdf 0 1 1", "p 1.a 0 2d6cdf 65 1 1", "p 1.a 1 2d6cdf 3 1 1", "p 1.A 0 2d6cdf 3 1 1", "u 1.", "u .a",
                "f 0.a", "f 1000000000001.a", "f 99999999999999999999.a", "u 1.abcdefghijklmnopq", "k short", "k 0123456789abcde/",
                "p 1.a 2147483647 2d6cdf 3 1 1", "p 1.a 3999 2d6cdf 3 1 1 2 2", "u 1.a 2", "p 1.a zero 2d6cdf 3 1 1");
        Board board = new Board();
        bad.forEach(line -> board.apply(line + "\n"));
        assertThat(text(board)).isEmpty();
        assertThat(board.ignored()).isEqualTo(bad.size());
    }

    @Test
    void makesRoomByForgettingTheOldestAndTakesNothingBeyondTwiceTheLimit() {
        Board board = new Board(1_000);
        for (int stroke = 1; stroke <= 300; stroke++) {
            board.apply("p " + stroke + ".a 0 2d6cdf 3 1 2 3 4\n");
        }
        assertThat(board.cost()).isLessThanOrEqualTo(2_000);
        assertThat(board.ignored()).isEqualTo(100);
        String relief = board.relief();
        assertThat(relief).isEqualTo("f 125.a\n");
        board.apply(relief);
        assertThat(board.cost()).isEqualTo(750);
        assertThat(board.relief()).isNull();
        board.apply("p 100.a 0 2d6cdf 3 1 2 3 4\n");
        assertThat(board.cost()).isEqualTo(750);
    }

    @Test
    void hasKeysToALimit() {
        Board board = new Board();
        for (int number = 0; number < 20; number++) {
            board.apply("k 0123456789abcdef" + number + "\n");
        }
        assertThat(board.keys()).hasSize(Board.KEYS_MAX);
        assertThat(board.ignored()).isEqualTo(20 - Board.KEYS_MAX);
    }
}
