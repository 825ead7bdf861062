package dev.tutti.protocols.discovery;

import dev.tutti.core.stack.Report;
import dev.tutti.protocols.discovery.Discovery.Outcome;
import dev.tutti.protocols.discovery.Discovery.Unmet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The known addresses, for people. */
final class AddressReport {

    private AddressReport() {}

    /** Returns the addresses without a session, except the node's own. */
    static List<Unmet> unmet(Collection<Address> addresses) {
        List<Unmet> unmet = new ArrayList<>();
        for (Address address : addresses) {
            if (!address.isSelf && !address.isConnected) {
                unmet.add(new Unmet(address.text, address.isSeed, address.outcome, address.detail));
            }
        }
        return unmet;
    }

    static void write(Collection<Address> addresses, Report report) {
        writeSeeds(addresses, report);
        for (Address address : new ArrayList<>(addresses)) {
            report.section("addresses").put(address.text, address.state());
        }
    }

    private static void writeSeeds(Collection<Address> addresses, Report report) {
        long seeds = 0;
        long met = 0;
        long refusing = 0;
        for (Address address : addresses) {
            if (address.isSeed && !address.isSelf) {
                seeds++;
                met += address.isConnected ? 1 : 0;
                refusing += !address.isConnected && address.outcome == Outcome.NOBODY ? 1 : 0;
            }
        }
        report.put("seeds", seeds);
        report.put("seeds-met", met);
        report.put("seeds-refusing", refusing);
    }
}
