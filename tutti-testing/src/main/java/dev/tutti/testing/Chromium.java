package dev.tutti.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A real browser without a window, spoken to in its own protocol (Chrome DevTools). */
public final class Chromium implements AutoCloseable {

    private static final List<String> PLACES = List.of(
            "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium",
            "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");

    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, CompletableFuture<Map<?, ?>>> open = new ConcurrentHashMap<>();

    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final Function<String, @Nullable Object> parse;
    private final Function<Object, String> write;

    /**
     * Starts it.
     *
     * @param directory for its profile
     * @param parse reader of JSON, which gives maps, lists, texts, numbers, truth values and null
     * @param write writer of the same
     */
    public Chromium(Path directory, Function<String, @Nullable Object> parse, Function<Object, String> write) throws IOException {
        this.parse = parse;
        this.write = write;
        String place = PLACES.stream()
                .filter(each -> Files.isExecutable(Path.of(each)))
                .findFirst()
                .orElseThrow(() -> new IOException("there is no Chromium at any of " + PLACES));
        this.process = new ProcessBuilder(
                        place,
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--force-color-profile=srgb",
                        "--hide-scrollbars",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + directory,
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        String address = "";
        BufferedReader errors = process.errorReader(StandardCharsets.UTF_8);
        String line = errors.readLine();
        while (line != null && address.isEmpty()) {
            if (line.startsWith("DevTools listening on ")) {
                address = line.substring("DevTools listening on ".length()).strip();
            } else {
                line = errors.readLine();
            }
        }
        if (address.isEmpty()) {
            process.destroyForcibly();
            throw new IOException(place + " does not start");
        }
        // Its pipe must not fill.
        Thread.ofVirtual().start(() -> errors.lines().forEach(each -> {}));
        this.socket = client.newWebSocketBuilder().buildAsync(URI.create(address), new Listener()).join();
    }

    private final class Listener implements WebSocket.Listener {

        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean isLast) {
            text.append(part);
            if (isLast) {
                on(map(parse.apply(text.toString())));
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    private static Map<?, ?> map(@Nullable Object value) {
        return (Map<?, ?>) Objects.requireNonNull(value);
    }

    private void on(Map<?, ?> message) {
        if (message.get("id") instanceof Long number) {
            CompletableFuture<Map<?, ?>> answer = open.remove(number);
            if (answer == null) {
                return;
            }
            if (message.get("error") != null) {
                answer.completeExceptionally(new IllegalStateException(message.get("error").toString()));
            } else {
                answer.complete(map(message.get("result")));
            }
            return;
        }
        Map<?, ?> parameters = map(message.get("params"));
        switch (String.valueOf(message.get("method"))) {
            case "Runtime.exceptionThrown" -> complaints.add(String.valueOf(parameters.get("exceptionDetails")));
            case "Log.entryAdded" -> complaints.add(String.valueOf(parameters.get("entry")));
            case "Network.requestWillBeSent" ->
                requests.add(String.valueOf(map(parameters.get("request")).get("url")));
            default -> {}
        }
    }

    private Map<?, ?> call(String session, String method, Map<String, ?> parameters) {
        long number = numbers.incrementAndGet();
        CompletableFuture<Map<?, ?>> answer = new CompletableFuture<>();
        open.put(number, answer);
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("id", number);
        message.put("method", method);
        message.put("params", parameters);
        if (!session.isEmpty()) {
            message.put("sessionId", session);
        }
        synchronized (numbers) {
            socket.sendText(write.apply(message), true).join();
        }
        return answer.orTimeout(60, TimeUnit.SECONDS).join();
    }

    /** Returns errors that pages have reported. */
    public List<String> complaints() {
        return complaints;
    }

    /** Returns the addresses that pages have requested. */
    public List<String> requests() {
        return requests;
    }

    /** Opens a page. */
    public Page page(int width, int height, boolean isDark) {
        Object target = call("", "Target.createTarget", Map.of("url", "about:blank")).get("targetId");
        Object session = call("", "Target.attachToTarget", Map.of("targetId", target, "flatten", true)).get("sessionId");
        Page page = new Page(String.valueOf(session));
        for (String domain : List.of("Page", "Runtime", "Log", "Network", "Accessibility")) {
            page.call(domain + ".enable", Map.of());
        }
        page.shape(width, height, isDark);
        return page;
    }

    /** A tab. */
    public final class Page {

        private final String session;

        private Page(String session) {
            this.session = session;
        }

        /** Calls a method of the protocol for this tab. */
        public Map<?, ?> call(String method, Map<String, ?> parameters) {
            return Chromium.this.call(session, method, parameters);
        }

        /** Sets size and colours. */
        public void shape(int width, int height, boolean isDark) {
            call("Emulation.setDeviceMetricsOverride", Map.of(
                    "width", width, "height", height, "deviceScaleFactor", width < 600 ? 2 : 1, "mobile", width < 600));
            call("Emulation.setEmulatedMedia", Map.of("features", List.of(
                    Map.of("name", "prefers-color-scheme", "value", isDark ? "dark" : "light"),
                    Map.of("name", "prefers-reduced-motion", "value", "reduce"))));
        }

        /** Opens an address. */
        public void go(String address) {
            call("Page.navigate", Map.of("url", address));
        }

        /** Returns the value of an expression, which may be a promise. */
        public @Nullable Object evaluate(String expression) {
            Map<?, ?> answer = call("Runtime.evaluate", Map.of(
                    "expression", expression, "returnByValue", true, "awaitPromise", true));
            if (answer.get("exceptionDetails") != null) {
                throw new IllegalStateException(expression + ": " + answer.get("exceptionDetails"));
            }
            return map(answer.get("result")).get("value");
        }

        /** Waits, in the page, until an expression is true. */
        public void await(String condition) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(45);
            while (true) {
                try {
                    Object met = evaluate("new Promise((resolve) => { const until = Date.now() + 2000; const look = () =>"
                            + " { if (" + condition + ") resolve(true); else if (Date.now() > until) resolve(false);"
                            + " else setTimeout(look, 10); }; look(); })");
                    if (Boolean.TRUE.equals(met)) {
                        return;
                    }
                } catch (IllegalStateException | CompletionException e) {
                    // The page has been replaced by another one meanwhile.
                    if (System.nanoTime() > end) {
                        throw e;
                    }
                }
                if (System.nanoTime() > end) {
                    throw new AssertionError("not within 45 s: " + condition + "; the page says "
                            + evaluate("document.body.innerText.slice(0, 1500)") + "; complaints " + complaints);
                }
            }
        }

        /** Presses a key. */
        public void press(String key, int code) {
            Map<String, ?> parameters = key.equals("Enter")
                    ? Map.of("type", "keyDown", "key", key, "code", key, "windowsVirtualKeyCode", code, "text", "\r")
                    : Map.of("type", "keyDown", "key", key, "code", key, "windowsVirtualKeyCode", code);
            call("Input.dispatchKeyEvent", parameters);
            call("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key, "code", key, "windowsVirtualKeyCode", code));
        }

        /** Returns the nodes that assistive technology sees. */
        public List<?> accessibility() {
            return (List<?>) Objects.requireNonNull(call("Accessibility.getFullAXTree", Map.of()).get("nodes"));
        }

        /** Writes a picture of the tab. */
        public void screenshot(Path file) {
            Object data = call("Page.captureScreenshot", Map.of("format", "png")).get("data");
            try {
                Files.createDirectories(file.getParent());
                Files.write(file, Base64.getDecoder().decode(String.valueOf(data)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Ends it, and waits for all of its processes: they write into the profile, which a test may delete then. */
    @Override
    public void close() {
        socket.abort();
        client.close();
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
        process.destroy();
        all.forEach(Chromium::awaitEnd);
    }

    private static void awaitEnd(ProcessHandle each) {
        each.onExit().completeOnTimeout(each, 10, TimeUnit.SECONDS).join();
        if (each.isAlive()) {
            each.destroyForcibly();
            each.onExit().completeOnTimeout(each, 10, TimeUnit.SECONDS).join();
        }
    }
}
