package dev.tutti.stomp.internal.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.stomp.internal.codec.Content;
import dev.tutti.stomp.internal.codec.Destination;
import dev.tutti.stomp.internal.codec.FrameException;
import dev.tutti.stomp.internal.codec.Headers;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryTest {

    private static Publication publication(String origin, long number, int index, int bytes) {
        try {
            return new Publication(
                    0, origin, number, index, new Content(Destination.exact("/a"), new Headers(), new byte[bytes]));
        } catch (FrameException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> ids(List<Publication> publications) {
        return publications.stream().map(Publication::id).toList();
    }

    @Test
    void givesWhatFollowsAPosition() {
        History history = new History(1_000_000);
        for (int number = 1; number <= 5; number++) {
            history.add(publication("o", number, 0, 10));
        }
        assertThat(ids(history.from(0, 2))).containsExactly("o-1", "o-2");
        assertThat(ids(history.from(3, 10))).containsExactly("o-4", "o-5");
        assertThat(history.from(5, 10)).isEmpty();
        assertThat(history.end()).isEqualTo(5);
    }

    @Test
    void forgetsTheOldestWhenThereIsNoRoomAndKnowsIt() {
        History history = new History(10_000);
        for (int number = 1; number <= 100; number++) {
            history.add(publication("o", number, 0, 1_000));
        }
        assertThat(history.start()).isBetween(90L, 99L);
        assertThat(history.from(0, 1).getFirst().position()).isEqualTo(history.start());
        assertThat(history.hasForgotten("o", history.start() - 1)).isTrue();
        assertThat(history.hasForgotten("o", history.start())).isFalse();
        assertThat(history.hasForgotten("unknown", 1)).isFalse();
    }

    @Test
    void knowsThatItWasNotThereAtTheBeginning() {
        History history = new History(1_000_000);
        history.add(publication("o", 50, 0, 10));
        assertThat(history.hasForgotten("o", 48)).isTrue();
        assertThat(history.hasForgotten("o", 49)).isFalse();
    }

    @Test
    void resumesAfterTheLastOfEachOrigin() throws FrameException {
        ResumePoint point = ResumePoint.parse("o-5, p-7.2");
        assertThat(point.hasSeen(publication("o", 5, 0, 1))).isTrue();
        assertThat(point.hasSeen(publication("o", 5, 1, 1))).isFalse();
        assertThat(point.hasSeen(publication("o", 6, 0, 1))).isFalse();
        assertThat(point.hasSeen(publication("p", 7, 2, 1))).isTrue();
        assertThat(point.hasSeen(publication("p", 7, 3, 1))).isFalse();
        assertThat(point.hasSeen(publication("q", 1, 0, 1))).isFalse();
        for (String wrong : List.of("x", "-1", "o-", "o-x", "o-1.x", "o-99999999999999999999")) {
            assertThatThrownBy(() -> ResumePoint.parse(wrong)).as(wrong).isInstanceOf(FrameException.class);
        }
    }

    @Test
    void refusesToResumeBehindWhatIsKept() throws FrameException {
        History history = new History(0);
        history.add(publication("o", 9, 0, 10));
        ResumePoint.parse("o-9").check(history);
        assertThatThrownBy(() -> ResumePoint.parse("o-8").check(history))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("stomp.history");
    }
}
