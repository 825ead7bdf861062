package dev.tutti.grid.bridges.prometheus;

import dev.tutti.internal.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A real Prometheus that takes remote write, on a free port. */
final class PrometheusProcess implements AutoCloseable {

    private static final Pattern LISTENING = Pattern.compile("msg=\"?Listening on\"? address=127\\.0\\.0\\.1:(\\d+)");

    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final int port;

    PrometheusProcess(Path directory, String configuration) throws Exception {
        Path file = Files.writeString(directory.resolve("prometheus.yml"), configuration);
        process = new ProcessBuilder(
                        "/usr/bin/prometheus",
                        "--config.file=" + file,
                        "--storage.tsdb.path=" + directory.resolve("tsdb"),
                        "--web.listen-address=127.0.0.1:0",
                        "--web.enable-remote-write-receiver")
                .redirectErrorStream(true)
                .start();
        CompletableFuture<Integer> listening = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> read(process.inputReader(StandardCharsets.UTF_8), listening));
        port = listening.get(60, TimeUnit.SECONDS);
    }

    /** Reads the log to its end, so that the process never waits for a reader. */
    private static void read(BufferedReader log, CompletableFuture<Integer> listening) {
        StringBuilder before = new StringBuilder();
        try {
            for (String line = log.readLine(); line != null; line = log.readLine()) {
                Matcher found = LISTENING.matcher(line);
                if (found.find()) {
                    listening.complete(Integer.valueOf(found.group(1)));
                }
                if (!listening.isDone()) {
                    before.append(line).append('\n');
                }
            }
        } catch (IOException e) {
            before.append(e);
        }
        listening.completeExceptionally(new IOException("Prometheus does not listen: " + before));
    }

    String writeUrl() {
        return "http://127.0.0.1:" + port + "/api/v1/write";
    }

    private Map<?, ?> ask(String path) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
            String text = client.send(request, BodyHandlers.ofString()).body();
            return text.startsWith("{") ? (Map<?, ?>) ((Map<?, ?>) Json.parse(text)).get("data") : Map.of();
        } catch (IOException e) {
            // It is not ready yet.
            return Map.of();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the label {@code producer} of each target that is up. */
    List<String> producersUp() {
        List<String> names = new ArrayList<>();
        if (ask("/api/v1/targets?state=active").get("activeTargets") instanceof List<?> targets) {
            for (Object each : targets) {
                Map<?, ?> target = (Map<?, ?>) each;
                if ("up".equals(target.get("health"))) {
                    names.add((String) ((Map<?, ?>) target.get("labels")).get("producer"));
                }
            }
        }
        return names;
    }

    /** Returns the values that an expression has now. */
    List<String> query(String expression) {
        List<String> values = new ArrayList<>();
        if (ask("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8)).get("result") instanceof List<?> series) {
            for (Object each : series) {
                values.add((String) ((List<?>) ((Map<?, ?>) each).get("value")).get(1));
            }
        }
        return values;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
