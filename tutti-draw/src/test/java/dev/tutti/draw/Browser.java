package dev.tutti.draw;

import dev.tutti.internal.Json;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A Chromium of its own with one page, driven by the protocol of its developer tools. */
final class Browser implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final HttpClient http = HttpClient.newHttpClient();
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final WebSocket socket;
    private int calls;

    /** @param directory empty, for its profile */
    Browser(Path directory, int width, int height, boolean isPhone) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "chromium",
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-extensions",
                "--remote-debugging-port=0",
                "--user-data-dir=" + directory,
                "--window-size=" + width + "," + height,
                "about:blank"));
        this.process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("chromium.log").toFile())
                .start();
        Path portFile = directory.resolve("DevToolsActivePort");
        Await.until("Chromium tells its port", () -> Files.exists(portFile) && size(portFile) > 0);
        String port = Files.readAllLines(portFile).getFirst();
        this.socket = http.newWebSocketBuilder()
                .buildAsync(URI.create(pageOf(port)), new Listener())
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        call("Page.enable", Map.of());
        call("Emulation.setDeviceMetricsOverride", Map.of(
                "width", width, "height", height, "deviceScaleFactor", isPhone ? 2 : 1, "mobile", isPhone));
        if (isPhone) {
            call("Emulation.setTouchEmulationEnabled", Map.of("enabled", true));
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return 0;
        }
    }

    private String pageOf(String port) throws Exception {
        String body = http.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list")).build(),
                        BodyHandlers.ofString())
                .body();
        for (Object each : (List<?>) Json.parse(body)) {
            Map<?, ?> target = (Map<?, ?>) each;
            if ("page".equals(target.get("type"))) {
                return (String) target.get("webSocketDebuggerUrl");
            }
        }
        throw new AssertionError("Chromium has no page: " + body);
    }

    /** The page that was asked is no longer there: it loads again, or another one is opened. */
    private static final class PageReplaced extends AssertionError {
        private static final long serialVersionUID = 1;

        PageReplaced(String answer) {
            super(answer);
        }
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean isLast) {
            text.append(part);
            if (isLast) {
                if (text.toString().startsWith("{\"id\"")) {
                    answers.add(text.toString());
                }
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    private Map<?, ?> call(String method, Map<String, Object> parameters) throws InterruptedException {
        Map<String, Object> call = new LinkedHashMap<>();
        call.put("id", ++calls);
        call.put("method", method);
        call.put("params", parameters);
        socket.sendText(Json.write(call), true).join();
        String answer = answers.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (answer == null) {
            throw new AssertionError("no answer from Chromium to " + call);
        }
        Map<?, ?> whole = (Map<?, ?>) Json.parse(answer);
        if (whole.get("result") instanceof Map<?, ?> result) {
            return result;
        }
        throw answer.contains("Inspected target navigated or closed") ? new PageReplaced(answer) : new AssertionError(method + ": " + answer);
    }

    // ------------------------------------------------------------------ the page

    void open(String url) throws InterruptedException {
        call("Page.navigate", Map.of("url", "about:blank"));
        call("Page.navigate", Map.of("url", url));
        Await.until("the board is ready at " + url, () -> is("window.board?.isSettled()"));
    }

    /** The value of an expression, which may be a promise. */
    Object evaluate(String expression) {
        try {
            Map<?, ?> result = call(
                    "Runtime.evaluate",
                    Map.of("expression", expression, "awaitPromise", true, "returnByValue", true));
            if (result.get("exceptionDetails") != null) {
                throw new AssertionError(expression + ": " + result.get("exceptionDetails"));
            }
            return ((Map<?, ?>) result.get("result")).get("value");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns whether an expression is true; false, too, if another page took the place of this one before it answered. */
    boolean is(String expression) {
        try {
            return Boolean.TRUE.equals(evaluate(expression));
        } catch (PageReplaced e) {
            return false;
        }
    }

    void awaitSettled() throws InterruptedException {
        Await.until("all is sent and painted: " + evaluate("JSON.stringify([board.link.isReady, board.link.reason, board.link.waiting.length])"),
                () -> is("board.isSettled()"));
    }

    /** All pixels of the board, without loss. */
    String pixels() {
        return (String) evaluate("document.getElementById('canvas').toDataURL('image/png')");
    }

    String lines() {
        return (String) evaluate("board.strokes.lines()");
    }

    void press(double x, double y) throws InterruptedException {
        mouse("mousePressed", x, y);
    }

    void move(double x, double y) throws InterruptedException {
        mouse("mouseMoved", x, y);
    }

    void release(double x, double y) throws InterruptedException {
        mouse("mouseReleased", x, y);
    }

    private void mouse(String type, double x, double y) throws InterruptedException {
        boolean isMove = type.equals("mouseMoved");
        call("Input.dispatchMouseEvent", Map.of(
                "type", type, "x", x, "y", y, "button", isMove ? "none" : "left", "buttons", 1, "clickCount", isMove ? 0 : 1));
    }

    /** @param places x and y of each finger; empty when the last one goes */
    void touch(String type, double... places) throws InterruptedException {
        List<Object> points = new ArrayList<>();
        for (int index = 0; index < places.length; index += 2) {
            points.add(Map.of("x", places[index], "y", places[index + 1], "id", index));
        }
        call("Input.dispatchTouchEvent", Map.of("type", type, "touchPoints", points));
    }

    void screenshot(Path file) throws IOException, InterruptedException {
        String data = (String) call("Page.captureScreenshot", Map.of("format", "png")).get("data");
        Files.write(file, Base64.getDecoder().decode(data));
    }

    /** Waits, looking again and again, for what other processes bring about. */
    @Override
    public void close() {
        socket.abort();
        http.shutdownNow();
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList().forEach(ProcessHandle::destroyForcibly);
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
