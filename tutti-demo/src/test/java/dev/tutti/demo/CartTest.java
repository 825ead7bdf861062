package dev.tutti.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.http.HttpSession;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CartTest {

    private final Map<String, Object> attributes = new TreeMap<>();
    private final List<String> written = new ArrayList<>();
    private final Cart cart = new Cart(session());

    /** A session that is nothing but its attributes. */
    private HttpSession session() {
        return (HttpSession) Proxy.newProxyInstance(
                CartTest.class.getClassLoader(), new Class<?>[] {HttpSession.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "getAttribute":
                            return attributes.get((String) arguments[0]);
                        case "getAttributeNames":
                            return Collections.enumeration(List.copyOf(attributes.keySet()));
                        case "setAttribute":
                            written.add((String) arguments[0]);
                            return attributes.put((String) arguments[0], arguments[1]);
                        case "removeAttribute":
                            return attributes.remove((String) arguments[0]);
                        default:
                            throw new UnsupportedOperationException(method.getName());
                    }
                });
    }

    @Test
    void hasAnAttributePerItemAndAListOfAll() {
        cart.put("tea", 2);
        cart.put("bread", 1);
        assertThat(attributes).containsOnlyKeys("item:tea", "item:bread", "order");
        assertThat(cart.items()).containsExactly(Map.entry("bread", 1), Map.entry("tea", 2));
        assertThat(cart.order()).containsExactly("tea", "bread");
    }

    @Test
    void writesNothingWhenNothingChanges() {
        cart.put("tea", 2);
        written.clear();
        cart.put("tea", 2);
        assertThat(written).isEmpty();
    }

    @Test
    void changesAQuantityWithoutTheList() {
        cart.put("tea", 2);
        written.clear();
        cart.put("tea", 3);
        assertThat(written).containsExactly("item:tea");
    }

    @Test
    void removesAnItemFromBoth() {
        cart.put("tea", 2);
        cart.put("bread", 1);
        cart.put("tea", 0);
        assertThat(cart.items()).containsOnlyKeys("bread");
        assertThat(cart.order()).containsExactly("bread");
    }

    @Test
    void refusesWhatCannotBe() {
        assertThatThrownBy(() -> cart.put("<script>", 1)).hasMessageContaining("an item is 1 to 40");
        assertThatThrownBy(() -> cart.put("", 1)).hasMessageContaining("an item is 1 to 40");
        assertThatThrownBy(() -> cart.put("tea", 100)).hasMessage("a quantity is 0 to 99, not 100");
        assertThatThrownBy(() -> cart.put("tea", -1)).hasMessageContaining("not -1");
        assertThat(attributes).isEmpty();
    }

    @Test
    void isFullAtItsLimit() {
        for (int i = 0; i < Cart.ITEMS_MAX; i++) {
            cart.put("item-" + i, 1);
        }
        assertThatThrownBy(() -> cart.put("tea", 1)).hasMessageContaining("at most 200 items");
        cart.put("item-7", 5);
        assertThat(cart.quantity("item-7")).isEqualTo(5);
    }
}
