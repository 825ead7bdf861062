package dev.tutti.cli;

/** The command {@code tutti}. */
public final class Tutti {

    private Tutti() {}

    public static void main(String[] arguments) {
        System.out.println("tutti " + String.join(" ", arguments));
    }
}
