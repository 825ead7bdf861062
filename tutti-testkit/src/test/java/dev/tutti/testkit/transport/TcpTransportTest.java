package dev.tutti.testkit.transport;

import dev.tutti.core.driver.DriverProvider;

class TcpTransportTest extends StreamDriverContract {

    @Override
    protected DriverProvider provider() {
        return found("tcp");
    }

    @Override
    protected String addressOfNobody() {
        return "127.0.0.1:1";
    }
}
