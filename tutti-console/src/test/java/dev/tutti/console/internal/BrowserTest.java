package dev.tutti.console.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.console.internal.CounterTable.Counter;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BrowserTest {

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final CounterTable counters = new CounterTable();
    private final AtomicBoolean mayStay = new AtomicBoolean(true);
    private final Browser browser = new Browser(channel, mayStay::get, counters);

    @AfterEach
    void end() {
        channel.finishAndReleaseAll();
    }

    private void hasRoom(boolean hasRoom) {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, hasRoom);
        channel.runPendingTasks();
        if (hasRoom) {
            browser.onRoom();
        }
    }

    private List<String> read() {
        channel.runPendingTasks();
        List<String> texts = new ArrayList<>();
        while (channel.readOutbound() instanceof HttpContent content) {
            ByteBuf bytes = content.content();
            texts.add(bytes.toString(StandardCharsets.UTF_8));
            bytes.release();
        }
        return texts;
    }

    @Test
    void whoReadsGetsAllInOrder() {
        browser.push("a");
        browser.pushFigures("b");
        browser.push("c");
        assertThat(read()).containsExactly("a", "b", "c");
    }

    @Test
    void whoReadsSlowlyMissesFiguresButNotWhatHappened() {
        hasRoom(false);
        browser.pushFigures("1");
        browser.push("a");
        browser.pushFigures("2");
        browser.push("b");
        assertThat(read()).isEmpty();
        assertThat(counters.get(Counter.FIGURES_SKIPPED)).isEqualTo(2);
        hasRoom(true);
        browser.pushFigures("3");
        assertThat(read()).containsExactly("a", "b", "3");
    }

    @Test
    void whoDoesNotReadIsDisconnectedBeforeMuchWaits() {
        hasRoom(false);
        for (int each = 0; each < 300; each++) {
            browser.push("story " + each);
        }
        assertThat(read()).isEmpty();
        assertThat(channel.isActive()).isFalse();
        assertThat(counters.get(Counter.BROWSERS_TOO_SLOW)).isPositive();
    }

    @Test
    void whoMayNotStayIsToldNothing() {
        mayStay.set(false);
        browser.pushFigures("secret");
        browser.push("another");
        assertThat(read()).as("the end of the response").containsExactly("");
        assertThat(channel.isActive()).isFalse();
    }
}
