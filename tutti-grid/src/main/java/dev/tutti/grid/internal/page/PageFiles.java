package dev.tutti.grid.internal.page;

import dev.tutti.look.Assets;
import dev.tutti.look.Assets.Asset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Files of the page of the grid. Thread-safe. */
public final class PageFiles {

    private static final String ASSETS = "/assets/";

    private final Assets assets = new Assets(
            List.of("grid.html", "grid.css", "grid.js", "sitemap.js"), name -> PageFiles.class.getResourceAsStream("files/" + name));

    /** Returns whether a path is one of the page, or of its files. */
    public static boolean knows(String path) {
        return path.equals("/") || path.startsWith(ASSETS);
    }

    /** Returns the file at a path; null if there is none. */
    public @Nullable Asset find(String path) {
        return assets.find(path.equals("/") ? "grid.html" : path.substring(ASSETS.length()));
    }
}
