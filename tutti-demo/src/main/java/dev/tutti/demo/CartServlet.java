package dev.tutti.demo;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The shop: a cart, by HTTP.
 *
 * <pre>
 * GET    /shop/cart                  the cart
 * PUT    /shop/cart/tea?quantity=2   makes it two teas; may be repeated
 * POST   /shop/cart/tea              one tea more; must not be repeated
 * DELETE /shop/cart/tea              no tea; may be repeated
 * </pre>
 *
 * <p>Each answers with the cart: as text, or as JSON to clients that accept that.
 */
final class CartServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    private static final int LOCKS = 64;

    private final String node;
    private final transient LongAdder requests = new LongAdder();

    /** Locks that order the requests of one session, as long as they come to one node. */
    private final transient Object[] locks = new Object[LOCKS];

    CartServlet(String node) {
        this.node = node;
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new Object();
        }
    }

    /** Returns the number of requests that were answered. */
    long requests() {
        return requests.sum();
    }

    private interface Change {
        void on(Cart cart);
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        answer(request, response, cart -> {});
    }

    @Override
    protected void doPut(HttpServletRequest request, HttpServletResponse response) throws IOException {
        answer(request, response, cart -> cart.put(item(request), quantity(request)));
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        answer(request, response, cart -> cart.put(item(request), cart.quantity(item(request)) + 1));
    }

    @Override
    protected void doDelete(HttpServletRequest request, HttpServletResponse response) throws IOException {
        answer(request, response, cart -> cart.put(item(request), 0));
    }

    private void answer(HttpServletRequest request, HttpServletResponse response, Change change) throws IOException {
        HttpSession session = request.getSession();
        String id = withoutRoute(session.getId());
        Cart cart = new Cart(session);
        CartView view;
        try {
            synchronized (locks[Math.floorMod(id.hashCode(), LOCKS)]) {
                change.on(cart);
                view = new CartView(node, id, cart.items(), cart.order());
            }
        } catch (IllegalArgumentException e) {
            write(response, HttpServletResponse.SC_BAD_REQUEST, "text/plain", e.getMessage() + "\n");
            return;
        }
        requests.increment();
        response.setHeader("Cache-Control", "no-store");
        String accepted = request.getHeader("Accept");
        if (accepted != null && accepted.contains("application/json")) {
            write(response, HttpServletResponse.SC_OK, "application/json", view.json());
        } else {
            write(response, HttpServletResponse.SC_OK, "text/plain", view.text());
        }
    }

    private static void write(HttpServletResponse response, int status, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        response.setContentType(type + ";charset=utf-8");
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }

    private static String item(HttpServletRequest request) {
        String path = request.getPathInfo();
        return path == null ? "" : path.substring(1);
    }

    private static int quantity(HttpServletRequest request) {
        @Nullable String text = request.getParameter("quantity");
        try {
            return text == null ? 1 : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("quantity=" + text + " is not a number", e);
        }
    }

    private static String withoutRoute(String id) {
        int dot = id.indexOf('.');
        return dot < 0 ? id : id.substring(0, dot);
    }
}
