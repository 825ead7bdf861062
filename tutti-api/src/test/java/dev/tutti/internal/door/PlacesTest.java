package dev.tutti.internal.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.internal.door.Places.Place;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlacesTest {

    private final List<String> evicted = new ArrayList<>();
    private final Places places = new Places(8, 4);

    private Place enter(String address, String name) {
        return places.enter(new InetSocketAddress(address, 1_000), () -> evicted.add(name));
    }

    @Test
    void whoDoesNothingMakesRoomForNewcomersOfItsOrigin() {
        for (int number = 0; number < 20; number++) {
            assertThat(enter("10.0.0.1", "a" + number)).isNotNull();
        }
        assertThat(places.taken()).isEqualTo(4);
        assertThat(evicted).hasSize(16).startsWith("a0", "a1").endsWith("a15");
        assertThat(places.evicted()).isEqualTo(16);
    }

    @Test
    void noOriginTakesTheLastPlaces() {
        for (int number = 0; number < 20; number++) {
            enter("10.0.0.1", "a");
        }
        evicted.clear();
        for (int number = 0; number < 4; number++) {
            assertThat(enter("10.0.0.2", "b")).isNotNull();
        }
        assertThat(evicted).isEmpty();
        // All are taken: the origin that has the most makes room.
        Place first = enter("10.0.0.3", "c");
        assertThat(first).isNotNull();
        assertThat(evicted).containsExactly("a");
    }

    @Test
    void whoIsServedKeepsItsPlace() {
        Place busy = enter("10.0.0.1", "busy");
        busy.onBusy();
        for (int number = 0; number < 10; number++) {
            enter("10.0.0.1", "idle");
        }
        assertThat(evicted).doesNotContain("busy");
        busy.onIdle();
        for (int number = 0; number < 3; number++) {
            enter("10.0.0.1", "idle");
        }
        assertThat(evicted).doesNotContain("busy");
        enter("10.0.0.1", "idle");
        assertThat(evicted).endsWith("busy");
    }

    @Test
    void newcomersAreRefusedWhenAllAreServed() {
        for (int number = 0; number < 4; number++) {
            enter("10.0.0.1", "a").onBusy();
        }
        assertThat(enter("10.0.0.1", "late")).isNull();
        assertThat(places.refused()).isEqualTo(1);
        assertThat(enter("10.0.0.2", "other")).isNotNull();
    }

    @Test
    void whoWasLetInStaysAndCountsForTheTotalAlone() {
        List<Place> residents = new ArrayList<>();
        for (int number = 0; number < 8; number++) {
            Place place = enter("10.0.0.1", "resident");
            place.onResident();
            place.onIdle();
            residents.add(place);
        }
        assertThat(evicted).isEmpty();
        assertThat(enter("10.0.0.1", "late")).isNull();
        residents.getFirst().leave();
        residents.getFirst().leave();
        assertThat(places.taken()).isEqualTo(7);
        assertThat(enter("10.0.0.1", "late")).isNotNull();
    }

    @Test
    void oneNetworkOfIpv6IsOneOrigin() {
        for (int number = 0; number < 10; number++) {
            enter("2001:db8::" + number, "six");
        }
        assertThat(places.taken()).isEqualTo(4);
        enter("2001:db8:0:1::1", "neighbour");
        assertThat(places.taken()).isEqualTo(5);
        assertThat(Origins.of(null)).isEqualTo("unknown");
    }
}
