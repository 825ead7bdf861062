package dev.tutti.announce.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.announce.message.AnnounceMessage.Announced;
import dev.tutti.announce.message.AnnounceMessage.Balancing;
import dev.tutti.announce.message.AnnounceMessage.Ordered;
import dev.tutti.announce.message.AnnounceMessage.Refused;
import dev.tutti.announce.message.AnnounceMessage.Settled;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AnnounceCodecTest {

    private static final Announcement NODE = new Announcement(
            "web1",
            "http",
            "10.0.0.1",
            8080,
            "north",
            List.of(WebContext.of("/shop").aliases("shop.example").version("2"), WebContext.of("/").in(ContextState.DRAINING)),
            new Load(0.25, Map.of("busy-threads", 0.25)),
            42);

    private static final List<AnnounceMessage> ALL = List.of(
            new Announced(7, NODE),
            new Balancing("http://127.0.0.1:7797"),
            new Settled(7),
            new Refused(7, "route web1 is taken"),
            new Ordered(Ordered.ALL, ContextState.STOPPED));

    @Test
    void readsBackWhatItWrites() {
        for (AnnounceMessage message : ALL) {
            assertThat(AnnounceCodec.decode(AnnounceCodec.encode(message))).isEqualTo(message);
        }
    }

    @Test
    void refusesEachMessageThatIsCutOrContinued() {
        for (AnnounceMessage message : ALL) {
            byte[] bytes = AnnounceCodec.encode(message);
            for (int length = 0; length < bytes.length; length++) {
                byte[] cut = Arrays.copyOf(bytes, length);
                assertThatThrownBy(() -> AnnounceCodec.decode(cut)).isInstanceOf(MalformedAnnouncementException.class);
            }
            assertThatThrownBy(() -> AnnounceCodec.decode(Arrays.copyOf(bytes, bytes.length + 1)))
                    .isInstanceOf(MalformedAnnouncementException.class)
                    .hasMessageContaining("after its end");
        }
    }

    @Test
    void readsAMessageOrRefusesItWhateverItsBytes() {
        Random random = new Random(4711);
        int read = 0;
        int refused = 0;
        for (int run = 0; run < 20_000; run++) {
            byte[] bytes = AnnounceCodec.encode(ALL.get(random.nextInt(ALL.size())));
            for (int change = random.nextInt(4); change >= 0; change--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                AnnounceCodec.encode(AnnounceCodec.decode(bytes));
                read++;
            } catch (MalformedAnnouncementException e) {
                refused++;
            }
        }
        assertThat(read).isPositive();
        assertThat(refused).isPositive();
    }

    @Test
    void refusesWhatIsTooLong() {
        assertThatThrownBy(() -> AnnounceCodec.decode(new byte[AnnounceCodec.BYTES_MAX + 1]))
                .isInstanceOf(MalformedAnnouncementException.class)
                .hasMessageContaining("at most " + AnnounceCodec.BYTES_MAX);
    }

    @Test
    void refusesContextsThatLeadElsewhere() {
        for (String path : List.of("shop", "/a/../b", "/a//b", "/a?b", "/a b", "/é")) {
            assertThatIllegalArgumentException().as(path).isThrownBy(() -> WebContext.of(path)).withMessageContaining(path);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> WebContext.of("/a").aliases("a/b"));
    }

    @Test
    void refusesNodesThatAreWrong() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Announcement("a;b", "http", "h", 80, "", List.of(), Load.none(), 0))
                .withMessageContaining("a;b");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Announcement("a", "ajp", "h", 80, "", List.of(), Load.none(), 0))
                .withMessageContaining("http or https");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Announcement("a", "http", "h/..", 80, "", List.of(), Load.none(), 0))
                .withMessageContaining("h/..");
        List<WebContext> many =
                IntStream.rangeClosed(0, Announcement.CONTEXTS_MAX).mapToObj(number -> WebContext.of("/" + number)).toList();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Announcement("a", "http", "h", 80, "", many, Load.none(), 0))
                .withMessageContaining("257");
        assertThatIllegalArgumentException().isThrownBy(() -> new Load(Double.NaN, Map.of()));
    }
}
