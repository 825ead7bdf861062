package dev.tutti.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/** A visitor of the shop, with a session and a ledger of the items that must be in the cart. One request at a time. */
final class Visitor {

    private static final Duration ANSWER_MAX = Duration.ofSeconds(12);
    private static final String COOKIE = "JSESSIONID=";

    private final HttpClient client;
    private final URI shop;
    private final Traffic traffic;
    private final CartLedger ledger;
    private String cookie = "";
    private int added;
    private int turn;

    Visitor(int number, HttpClient client, URI shop, Traffic traffic) {
        this.client = client;
        this.shop = shop;
        this.traffic = traffic;
        this.ledger = new CartLedger("visitor " + number);
    }

    CartLedger ledger() {
        return ledger;
    }

    /** Returns the node in the session's cookie; empty without a session. */
    String route() {
        return cookie.substring(cookie.indexOf('.') + 1);
    }

    /** Does one of three actions, in turn: an idempotent addition, one that is not idempotent, a look at the cart. */
    void act(int itemsMax) throws InterruptedException {
        turn++;
        if (added >= itemsMax || turn % 3 == 0) {
            look();
        } else {
            added++;
            add("item-" + added, turn % 3 == 1 ? "PUT" : "POST");
        }
    }

    void addFirst(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            added++;
            add("item-" + added, i % 2 == 0 ? "PUT" : "POST");
        }
    }

    private void add(String item, String method) throws InterruptedException {
        Optional<CartView> cart = request(shop.resolve("cart/" + item), method);
        cart.ifPresentOrElse(view -> ledger.onAdded(item, view), () -> ledger.onUnanswered(item));
    }

    private void look() throws InterruptedException {
        request(shop.resolve("cart"), "GET").ifPresent(view -> ledger.onCart(view, "a look at the cart"));
    }

    /** Checks the cart through the balancer when all survivors are in one view; a failure is not excused. */
    void checkSettled(URI balancer, String where) throws InterruptedException {
        check(balancer, where, true);
    }

    /**
     * Checks the cart at one node; a failure is not excused.
     *
     * @param isMoving whether the visitor stays with that node from then on, as if the balancer had decided so
     */
    void checkAt(URI node, String where, boolean isMoving) throws InterruptedException {
        String before = cookie;
        check(node, where, false);
        if (!isMoving) {
            cookie = before;
        }
    }

    private void check(URI at, String where, boolean isSettling) throws InterruptedException {
        Optional<CartView> cart = request(at.resolve(Front.SHOP + "cart"), "GET");
        if (cart.isEmpty()) {
            ledger.onMissingAnswer(where, "does not answer");
        } else if (isSettling) {
            ledger.onSettled(cart.get(), where);
        } else {
            ledger.onCart(cart.get(), where);
        }
    }

    private Optional<CartView> request(URI uri, String method) throws InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(ANSWER_MAX)
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (!cookie.isEmpty()) {
            request.header("Cookie", COOKIE + cookie);
        }
        String route = route();
        long sentNanos = System.nanoTime();
        try {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() == 200) {
                response.headers().allValues("Set-Cookie").forEach(this::onCookie);
                CartView view = CartView.parse(response.body());
                traffic.onAnswered(view.node(), sentNanos);
                return Optional.of(view);
            }
            traffic.onFailed(new FailedRequest(
                    route,
                    sentNanos,
                    System.nanoTime(),
                    method + " " + uri + " for " + route + ": status " + response.statusCode() + ", " + response.body().strip()));
        } catch (IOException | IllegalArgumentException e) {
            traffic.onFailed(new FailedRequest(
                    route, sentNanos, System.nanoTime(), method + " " + uri + " for " + route + ": " + e));
        }
        return Optional.empty();
    }

    private void onCookie(String header) {
        if (header.startsWith(COOKIE)) {
            int end = header.indexOf(';');
            cookie = header.substring(COOKIE.length(), end < 0 ? header.length() : end);
        }
    }
}
