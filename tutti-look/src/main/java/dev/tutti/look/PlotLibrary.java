package dev.tutti.look;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** The files of uPlot, which draws charts in browsers. */
public final class PlotLibrary {

    /** Name of the script. */
    public static final String SCRIPT = "uPlot.iife.min.js";

    /** Name of the style sheet. */
    public static final String STYLE = "uPlot.min.css";

    /** Name of the licence, which goes with every copy of the script. */
    public static final String LICENSE = "uPlot.LICENSE";

    /** Names of all files. */
    public static final List<String> NAMES = List.of(SCRIPT, STYLE, LICENSE);

    private PlotLibrary() {}

    /**
     * Returns the content of a file.
     *
     * @throws IOException if it can't be read
     * @throws IllegalArgumentException if {@code name} is none of {@link #NAMES}
     */
    public static byte[] read(String name) throws IOException {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException(name + " is none of " + NAMES);
        }
        try (InputStream in = PlotLibrary.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("the jar of tutti-look lacks " + name);
            }
            return in.readAllBytes();
        }
    }
}
