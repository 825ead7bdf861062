package dev.tutti.protocols.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.settings.SettingException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SeedsTest {

    @Test
    void aRangeOfPortsStandsForAllOfThem() {
        assertThat(Seeds.addresses(List.of("a:7800", "b:1-3", "[::1]:5", "b:3")))
                .containsExactly("a:7800", "b:1", "b:2", "b:3", "[::1]:5");
    }

    @ParameterizedTest
    @ValueSource(strings = {"host", ":7800", "host:", "host:x", "host:0", "host:65536", "host:9-3", "host:1-2000", "::1:7800"})
    void whatIsNoAddressIsRefusedWithWhatWouldBeRight(String seed) {
        assertThatThrownBy(() -> Seeds.addresses(List.of(seed)))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("'" + seed + "'")
                .hasMessageContaining("write host:7800");
    }

    @Test
    void moreAddressesThanAnybodyDialsAreRefused() {
        List<String> seeds = IntStream.rangeClosed(1, 11).mapToObj(host -> "h" + host + ":1-1000").toList();
        assertThat(Seeds.addresses(seeds.subList(0, 10))).hasSize(10_000);
        assertThatThrownBy(() -> Seeds.addresses(seeds))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("'h11:1-1000': with it there are more than 10000 addresses");
    }
}
