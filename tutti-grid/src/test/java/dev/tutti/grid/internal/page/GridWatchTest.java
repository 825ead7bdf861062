package dev.tutti.grid.internal.page;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.tutti.grid.Grid;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GridWatchTest {

    /** Whoever looks would wait for an answer that does not come, and hold one of the mediator's requests meanwhile. */
    @Test
    @Timeout(60)
    void anErrorOfTheGridIsToldToAllWhoLook() {
        Grid broken = (Grid) Proxy.newProxyInstance(Grid.class.getClassLoader(), new Class<?>[] {Grid.class}, (proxy, method, arguments) -> {
            throw new StackOverflowError("in " + method.getName());
        });
        GridWatch watch = new GridWatch(broken);
        assertThatIllegalStateException().isThrownBy(watch::look).withMessage("the grid can't be asked");
        assertThatIllegalStateException().isThrownBy(watch::look).withMessage("the grid can't be asked");
    }
}
