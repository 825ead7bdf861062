package dev.tutti.draw;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Opens the reader of a board to the fuzzer. */
public final class BoardBytes {

    private BoardBytes() {}

    /** Applies lines to a board, and checks that the lines of a board make the same board again. */
    public static String lines(byte[] input) {
        Board board = new Board(1_000);
        board.apply(new String(input, StandardCharsets.UTF_8));
        if (board.cost() > 2_000) {
            throw new IllegalStateException("a board of " + board.cost() + " points, at most 2000");
        }
        String told = String.join("", board.image().lines(true));
        Board again = new Board(1_000);
        again.apply(told);
        if (!String.join("", again.image().lines(true)).equals(told) || again.ignored() != 0) {
            throw new IllegalStateException("a board is another one when it is read again: " + told);
        }
        return told.isEmpty() ? "nothing" : board.ignored() > 0 ? "some" : "all";
    }

    /** Returns lines of each kind, and some that are none. */
    public static List<byte[]> seeds() {
        return List.of(
                bytes("p 17.k3f9 0 2d6cdf 6 100 200 104 203\np 17.k3f9 2 2d6cdf 6 110 210\n"),
                bytes("u 17.k3f9\nf 3.a\nk 0123456789abcdef\np 4.b 0 000000 1\n"),
                bytes("p 1.a 0 2d6cdf 6 1 2\nu 1.a\nf 1.a\nf 2.a"),
                bytes("p 1.a 0 ffffff 64" + " 6400 4800".repeat(1_500) + "\n"),
                bytes("p 1.A 0 ffffff 65 1\nq\n\nu 1.\nf 0.a\nk a\n"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
