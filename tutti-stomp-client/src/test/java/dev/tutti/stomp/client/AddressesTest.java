package dev.tutti.stomp.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AddressesTest {

    private static final URI GIVEN = URI.create("stomp://given:1");

    private static List<String> round(Addresses addresses) {
        List<String> hosts = new ArrayList<>();
        do {
            hosts.add(addresses.next().getHost());
        } while (!addresses.isRoundOver());
        return hosts;
    }

    @Test
    void thoseThatTheServerHasNamedComeFirstAndTheLastServerLast() {
        Addresses addresses = new Addresses(List.of(GIVEN), new Random(1));
        assertThat(round(addresses)).containsExactly("given");
        addresses.learn("stomp://a:1,ws://a:1/,stomp://b:1,ws://b:1/");
        addresses.beginWithout(GIVEN);
        assertThat(round(addresses)).hasSize(3).endsWith("given").contains("a", "b");
        addresses.beginWithout(URI.create("stomp://a:1"));
        assertThat(round(addresses)).containsExactly("b", "given", "a");
        addresses.learn("stomp://c:1");
        assertThat(round(addresses)).containsExactly("c", "given");
    }

    @Test
    void clientsOfOneServerDoNotAllGoToTheSameOther() {
        Set<String> firsts = new HashSet<>();
        for (int seed = 0; seed < 100; seed++) {
            Addresses addresses = new Addresses(List.of(GIVEN), new Random(seed));
            addresses.learn("stomp://a:1,stomp://b:1,stomp://c:1");
            firsts.add(addresses.next().getHost());
        }
        assertThat(firsts).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void hostileEndpointsAreLeftOut() {
        Addresses addresses = new Addresses(List.of(URI.create("stomps://given:1")), new Random(1));
        addresses.learn("stomp://plain:1,stomps://noport,stomps://:1,://,stomps://a b:1,,stomps://good:1,http://x:1");
        assertThat(round(addresses)).containsExactly("good", "given");
        addresses.learn("stomps://h0:1,".repeat(5_000));
        assertThat(round(addresses)).containsExactly("h0", "given");
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            many.append("stomps://h").append(i).append(":1,");
        }
        addresses.learn(many.toString());
        assertThat(round(addresses)).hasSize(65);
    }
}
