package shop;

import dev.tutti.Group;
import dev.tutti.Stability;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.blocks.coordination.Hold;
import dev.tutti.spring.TuttiListener;
import jakarta.servlet.http.HttpSession;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.web.bind.annotation.*;

@SpringBootApplication
@EnableCaching
@RestController
public class Shop {

    private final List<String> orders = new CopyOnWriteArrayList<>();
    private final Group ordersGroup;
    private final Coordination coordination;

    Shop(Group ordersGroup, Coordination coordination) {
        this.ordersGroup = ordersGroup;
        this.coordination = coordination;
    }

    @PostMapping("/cart/{item}")
    void add(@PathVariable String item, HttpSession session) {
        session.setAttribute(item, 1); // each attribute travels on its own
    }

    @GetMapping("/cart")
    List<String> cart(HttpSession session) {
        return Collections.list(session.getAttributeNames());
    }

    @Cacheable("prices")
    @GetMapping("/price/{item}")
    public String price(@PathVariable String item) {
        return item + " costs " + item.length() + ", computed at " + System.nanoTime();
    }

    @PostMapping("/order/{item}")
    String order(@PathVariable String item) {
        try (Hold hold = coordination.lock("stock").tryAcquire(Duration.ofSeconds(20)).orElseThrow()) {
            ordersGroup.sendStable((item + " " + hold.token()).getBytes(), Stability.ALL).join(); // all instances have it
            return item + " ordered";
        }
    }

    @TuttiListener(group = "orders")
    void onOrder(String order) {
        orders.add(order);
    }

    @GetMapping("/orders")
    List<String> orders() {
        return orders;
    }

    public static void main(String[] arguments) {
        SpringApplication.run(Shop.class, arguments);
    }
}
