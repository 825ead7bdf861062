package dev.tutti.protocols.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.driver.Endpoint;
import org.junit.jupiter.api.Test;

class KeysTest {

    /** The key of the paper's own example; it gives a129ca6149be45e5 for its 15 bytes in the program this value is from. */
    private static final Keys KEYS = new Keys(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);

    @Test
    void hashIsSipHash24OfThirtyTwoBytes() {
        assertThat(KEYS.hash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L, 0x1716151413121110L, 0x1f1e1d1c1b1a1918L))
                .isEqualTo(0x7127512f72f27cceL);
    }

    @Test
    void cookieIsGoodForItsBearerAndForTwoSlots() {
        Endpoint bearer = new Endpoint(0, 0xffff_0a00_0001L, 7800);
        long cookie = KEYS.cookie(bearer, 5, 0);
        long slotNanos = 1;
        while (KEYS.cookie(bearer, 5, slotNanos) == cookie) {
            slotNanos <<= 1;
        }
        assertThat(KEYS.isCookie(cookie, bearer, 5, 2 * slotNanos - 1)).isTrue();
        assertThat(KEYS.isCookie(cookie, bearer, 5, 2 * slotNanos)).isFalse();
        assertThat(KEYS.isCookie(cookie, bearer, 6, 0)).isFalse();
        assertThat(KEYS.isCookie(cookie, new Endpoint(0, 0xffff_0a00_0001L, 7801), 5, 0)).isFalse();
        assertThat(KEYS.isCookie(cookie, new Endpoint(0, 0xffff_0a00_0002L, 7800), 5, 0)).isFalse();
    }
}
