package dev.tutti.demo;

import jakarta.servlet.http.HttpSession;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The cart in a session: one attribute per item, its quantity, and one attribute that is a list, the order of adding.
 *
 * <p>Good replication of such a session handles both: a further item must not send all the others, and a list is sent
 * whole.
 */
final class Cart {

    static final int ITEMS_MAX = 200;
    static final int QUANTITY_MAX = 99;

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,39}");
    private static final String PREFIX = "item:";
    private static final String ORDER = "order";

    private final HttpSession session;

    Cart(HttpSession session) {
        this.session = session;
    }

    /** Returns quantities by item. */
    Map<String, Integer> items() {
        Map<String, Integer> items = new TreeMap<>();
        for (Enumeration<String> names = session.getAttributeNames(); names.hasMoreElements(); ) {
            String name = names.nextElement();
            if (name.startsWith(PREFIX) && session.getAttribute(name) instanceof Integer quantity) {
                items.put(name.substring(PREFIX.length()), quantity);
            }
        }
        return items;
    }

    /** Returns the items in the order in which they were first added. */
    List<String> order() {
        List<String> order = new ArrayList<>();
        if (session.getAttribute(ORDER) instanceof List<?> names) {
            names.forEach(name -> order.add(String.valueOf(name)));
        }
        return order;
    }

    int quantity(String item) {
        return session.getAttribute(PREFIX + item) instanceof Integer quantity ? quantity : 0;
    }

    /**
     * Sets the quantity of an item; idempotent.
     *
     * @throws IllegalArgumentException if the item or the quantity is not allowed, or the cart is full
     */
    void put(String item, int quantity) {
        if (!NAME.matcher(item).matches()) {
            throw new IllegalArgumentException(
                    "an item is 1 to 40 of a-z, 0-9 and -, and begins with a letter; this is '" + item + "'");
        }
        if (quantity < 0 || quantity > QUANTITY_MAX) {
            throw new IllegalArgumentException("a quantity is 0 to " + QUANTITY_MAX + ", not " + quantity);
        }
        List<String> order = order();
        boolean isListed = order.contains(item);
        if (quantity == 0) {
            session.removeAttribute(PREFIX + item);
            if (order.remove(item)) {
                session.setAttribute(ORDER, order);
            }
            return;
        }
        if (!isListed && order.size() >= ITEMS_MAX) {
            throw new IllegalArgumentException("a cart has at most " + ITEMS_MAX + " items, and this one is full");
        }
        if (quantity(item) != quantity) {
            session.setAttribute(PREFIX + item, quantity);
        }
        if (!isListed) {
            order.add(item);
            session.setAttribute(ORDER, order);
        }
    }
}
