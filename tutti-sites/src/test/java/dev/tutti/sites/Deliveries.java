package dev.tutti.sites;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Checks that stations have got each message once, in the order of its sender, and all of them. */
final class Deliveries {

    private Deliveries() {}

    /**
     * @param stations those that run at rest; a station that was restarted has only the messages since then, and a sender
     *     that was killed may have accepted messages that nobody got
     */
    static void check(List<Station> stations) {
        check(stations, stations);
    }

    /** @param whole stations of sites that were never divided: a part of a site misses what the others got meanwhile */
    static void check(List<Station> stations, List<Station> whole) {
        Map<String, Integer> last = new TreeMap<>();
        for (Station station : whole) {
            station.bySender().forEach((sender, numbers) -> {
                String what = sender + " at " + station.node().name();
                for (int i = 1; i < numbers.size(); i++) {
                    assertThat(numbers.get(i)).as("message of %s after %d", what, numbers.get(i - 1)).isEqualTo(numbers.get(i - 1) + 1);
                }
                Integer elsewhere = last.putIfAbsent(sender, numbers.getLast());
                if (elsewhere != null) {
                    assertThat(numbers.getLast()).as("last message of %s", what).isEqualTo(elsewhere);
                }
            });
        }
        for (Station sender : stations) {
            String name = sender.sites().site() + "/" + sender.node().name() + "#" + sender.node().id().incarnation();
            for (Station station : whole) {
                List<Integer> numbers = station.bySender().getOrDefault(name, List.of());
                int end = numbers.isEmpty() ? 0 : numbers.getLast();
                assertThat(end).as("last message of %s at %s", name, station.node().name()).isEqualTo(sender.sent());
            }
        }
        for (Station station : stations) {
            assertThat(station.group().status().get("retained"))
                    .as("messages that %s still keeps", station.node().name())
                    .isZero();
            assertThat(station.group().status().get("out-of-order")).isZero();
            assertThat(station.delivered()).doesNotHaveDuplicates();
        }
        for (Station station : whole) {
            assertThat(station.gaps()).isEmpty();
        }
    }
}
