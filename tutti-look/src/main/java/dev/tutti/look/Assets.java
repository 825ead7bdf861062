package dev.tutti.look;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Files of a page, its own and those that all pages share, all read at the start and found by their whole name only. */
public final class Assets {

    /** Content of the page itself, and no embedding in other pages: the value of {@code Content-Security-Policy}. */
    public static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self';"
            + " img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    /** Headers of every answer to a browser. */
    public static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy", POLICY,
            "X-Content-Type-Options", "nosniff",
            "X-Frame-Options", "DENY",
            "Referrer-Policy", "same-origin",
            "Cross-Origin-Opener-Policy", "same-origin",
            "Cross-Origin-Resource-Policy", "same-origin",
            "Permissions-Policy", "camera=(), geolocation=(), microphone=()");

    private static final List<String> SHARED =
            List.of("console.css", "dom.js", "format.js", "charts.js", "theme.js", "icon.svg", "inter.woff2", "inter.LICENSE");

    /**
     * A file.
     *
     * @param content its bytes, which are not copied
     * @param tag changes when the content does
     */
    public record Asset(String type, byte[] content, String tag) {}

    /** Place of a page's own files. */
    @FunctionalInterface
    public interface Source {

        /** Returns a file; null if it is not there. */
        @Nullable InputStream open(String name);
    }

    private final Map<String, Asset> assets = new TreeMap<>();

    /**
     * @param names names of the page's own files
     * @throws IllegalStateException if a file can't be read
     */
    public Assets(List<String> names, Source source) {
        try {
            for (String name : names) {
                assets.put(name, asset(name, read(name, source)));
            }
            for (String name : SHARED) {
                assets.put(name, asset(name, read(name, Assets.class::getResourceAsStream)));
            }
            for (String name : PlotLibrary.NAMES) {
                assets.put(name, asset(name, PlotLibrary.read(name)));
            }
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new IllegalStateException("files of the page can't be read: " + e.getMessage(), e);
        }
    }

    /** Returns a file; null if there is none of this name. */
    public @Nullable Asset find(String name) {
        return assets.get(name);
    }

    /** Returns a file that is there. */
    public Asset get(String name) {
        Asset asset = assets.get(name);
        if (asset == null) {
            throw new IllegalArgumentException("there is no asset " + name);
        }
        return asset;
    }

    private static byte[] read(String name, Source source) throws IOException {
        try (InputStream in = source.open(name)) {
            if (in == null) {
                throw new IOException("the jar lacks " + name);
            }
            return in.readAllBytes();
        }
    }

    private static Asset asset(String name, byte[] content) throws NoSuchAlgorithmException {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
        return new Asset(type(name), content, '"' + HexFormat.of().formatHex(digest, 0, 8) + '"');
    }

    private static String type(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "html" -> "text/html; charset=utf-8";
            case "css" -> "text/css; charset=utf-8";
            case "js" -> "text/javascript; charset=utf-8";
            case "svg" -> "image/svg+xml";
            case "woff2" -> "font/woff2";
            default -> "text/plain; charset=utf-8";
        };
    }
}
