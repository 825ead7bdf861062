package dev.tutti.console.internal;

import dev.tutti.console.internal.plot.PlotLibrary;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Files of the page, all read at the start and found by their whole name only. */
final class Assets {

    /** @param tag changes when the content does */
    record Asset(String type, byte[] content, String tag) {}

    private static final List<String> NAMES = List.of(
            "index.html",
            "login.html",
            "console.css",
            "app.js",
            "dom.js",
            "format.js",
            "map.js",
            "charts.js",
            "pages.js",
            "sites.js",
            "timeline.js",
            "icon.svg",
            "inter.woff2",
            "inter.LICENSE");

    private final Map<String, Asset> assets = new TreeMap<>();

    Assets() {
        try {
            for (String name : NAMES) {
                assets.put(name, asset(name, read(name)));
            }
            for (String name : PlotLibrary.NAMES) {
                assets.put(name, asset(name, PlotLibrary.read(name)));
            }
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new IllegalStateException("the console's files can't be read: " + e.getMessage(), e);
        }
    }

    @Nullable Asset find(String name) {
        return assets.get(name);
    }

    Asset get(String name) {
        Asset asset = assets.get(name);
        if (asset == null) {
            throw new IllegalArgumentException("there is no asset " + name);
        }
        return asset;
    }

    private static byte[] read(String name) throws IOException {
        try (InputStream in = Assets.class.getResourceAsStream("assets/" + name)) {
            if (in == null) {
                throw new IOException("the jar of the console lacks " + name);
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
