package dev.tutti.local.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.driver.TransportException;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import org.junit.jupiter.api.Test;

class LocalNetworkTest {

    private final LocalNetwork network = LocalNetwork.OF_PROCESS;

    /** Others dial what they find: a driver that is not complete would break their loops. */
    @Test
    void aPortThatIsTakenCanNotBeDialledBeforeItsDriverIsComplete() {
        int port = network.bind("cluster of this test", 0, 0);
        assertThat(network.find(LocalNetwork.address(port))).isNull();
        assertThat(network.addresses("cluster of this test")).isEmpty();
        assertThatThrownBy(() -> network.bind("another", port, port)).isInstanceOf(TransportException.class).hasMessageContaining("in use");
        LocalDriver driver = LocalDriver.open(Settings.of(TransportSettings.ALL));
        network.listen(port, driver);
        assertThat(network.find(LocalNetwork.address(port))).isSameAs(driver);
        assertThat(network.addresses("cluster of this test")).containsExactly(LocalNetwork.address(port));
        network.unbind(port, driver);
        assertThat(network.find(LocalNetwork.address(port))).isNull();
        driver.close();
    }
}
