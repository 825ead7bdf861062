package dev.tutti.testkit.transport;

import dev.tutti.core.driver.DriverProvider;

class LocalTransportTest extends StreamDriverContract {

    @Override
    protected DriverProvider provider() {
        return found("local");
    }

    @Override
    protected String addressOfNobody() {
        return "local:1";
    }
}
