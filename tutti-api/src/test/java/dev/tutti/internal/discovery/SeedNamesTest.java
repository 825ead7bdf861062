package dev.tutti.internal.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.settings.SettingException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SeedNamesTest {

    private final Map<String, List<String>> zone = new TreeMap<>();

    private DiscoverySource source(String self, String... seeds) throws Exception {
        DiscoverySource source = SeedNames.of(List.of(seeds), host -> zone.getOrDefault(host, List.of())).orElseThrow();
        source.start(new NodeEntry("shop", "n1", self));
        return source;
    }

    @Test
    void namesWithSeveralAddressesAreListedWithEachPort() throws Exception {
        zone.put("shop", List.of("10.0.0.1", "10.0.0.2"));
        zone.put("db", List.of("10.0.0.9"));
        assertThat(source("10.0.0.7:7800", "shop:7800", "shop:7801", "db:7800", "10.0.0.5:7800").addresses())
                .containsExactly("10.0.0.1:7800", "10.0.0.1:7801", "10.0.0.2:7800", "10.0.0.2:7801");
    }

    @Test
    void literalAddressesNeedNoSource() {
        assertThat(SeedNames.of(List.of("10.0.0.5:7800", "[::1]:7800"), host -> List.of())).isEmpty();
    }

    @Test
    void aNameThatLeadsToThisNodeIsListedFromThenOn() throws Exception {
        zone.put("shop", List.of("10.0.0.7"));
        DiscoverySource source = source("10.0.0.7:7800", "shop:7800");
        assertThat(source.addresses()).containsExactly("10.0.0.7:7800");
        zone.put("shop", List.of("10.0.0.8"));
        assertThat(source.addresses()).containsExactly("10.0.0.8:7800");
    }

    @Test
    void aNameWhoseAddressChangesIsListedFromThenOn() throws Exception {
        zone.put("shop", List.of("10.0.0.1"));
        DiscoverySource source = source("10.0.0.7:7800", "shop:7800");
        assertThat(source.addresses()).isEmpty();
        zone.put("shop", List.of("10.0.0.2"));
        assertThat(source.addresses()).containsExactly("10.0.0.2:7800");
        zone.clear();
        assertThat(source.addresses()).isEmpty();
    }

    @Test
    void ofBothVersionsOfIpThisNodesIsListed() throws Exception {
        zone.put("shop", List.of("10.0.0.1", "fd01::1", "10.0.0.2", "fd01::2"));
        zone.put("six", List.of("fd01::8", "fd01::9"));
        assertThat(source("10.0.0.7:7800", "shop:7800", "six:7800").addresses())
                .containsExactly("10.0.0.1:7800", "10.0.0.2:7800", "[fd01::8]:7800", "[fd01::9]:7800");
        assertThat(source("[fd01::7]:7800", "shop:7800").addresses()).containsExactly("[fd01::1]:7800", "[fd01::2]:7800");
        assertThat(source("pod-1:7800", "shop:7800").addresses()).hasSize(4);
    }

    @Test
    void onlyAThousandAddressesOfANameAreListed() throws Exception {
        zone.put("shop", IntStream.range(0, 5_000).mapToObj(n -> "10.0." + n / 256 + "." + n % 256).toList());
        assertThat(source("10.0.0.7:7800", "shop:7800").addresses()).hasSize(SeedNames.ADDRESSES_MAX);
    }

    @Test
    void aSeedThatIsNoAddressIsNamed() {
        assertThatThrownBy(() -> SeedNames.of(List.of("x".repeat(400) + ":7800"), host -> List.of()))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("discovery.seeds")
                .hasMessageContaining("at most");
    }
}
