package dev.tutti.protocols.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class IntMapTest {

    @Test
    void doesWhatAHashMapDoes() {
        SplittableRandom random = new SplittableRandom(1);
        IntMap<String> map = new IntMap<>();
        HashMap<Integer, String> reference = new HashMap<>();
        for (int step = 0; step < 200_000; step++) {
            int key = random.nextInt(300) * (random.nextBoolean() ? 1 : 65_536);
            if (random.nextInt(5) < 3) {
                map.put(key, "v" + step);
                reference.put(key, "v" + step);
            } else {
                assertThat(map.remove(key)).isEqualTo(reference.remove(key));
            }
            int probe = random.nextInt(300);
            assertThat(map.get(probe)).isEqualTo(reference.get(probe));
            assertThat(map.size()).isEqualTo(reference.size());
        }
        map.clear();
        assertThat(map.size()).isZero();
        assertThat(map.get(1)).isNull();
    }
}
