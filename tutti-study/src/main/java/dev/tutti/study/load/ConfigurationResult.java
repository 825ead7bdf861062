package dev.tutti.study.load;

import dev.tutti.study.setup.Configuration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Results of one configuration.
 *
 * @param closed the paper's requests, from a few clients, one after the other
 * @param atRate load at a fixed rate
 * @param faults loads with a fault
 * @param isDatabaseDurable whether the database promises that what it has committed survives its kill
 */
public record ConfigurationResult(
        Configuration configuration, LoadResult closed, LoadResult atRate, Map<Fault, FaultResult> faults, boolean isDatabaseDurable) {

    /** Returns the promises that were not kept, as sentences. */
    public List<String> broken() {
        List<String> broken = new ArrayList<>();
        checkServed(broken, "without a fault", closed);
        checkServed(broken, "at a fixed rate", atRate);
        check(broken, "without a fault", closed.lost(), true);
        check(broken, "at a fixed rate", atRate.lost(), true);
        faults.forEach((fault, result) -> check(
                broken, "after kill -9 of the " + fault, result.load().lost(), fault != Fault.DATABASE || isDatabaseDurable));
        return broken;
    }

    private void checkServed(List<String> broken, String when, LoadResult load) {
        if (2 * load.confirmed() < load.samples().size()) {
            broken.add(configuration.name() + " served only " + load.confirmed() + " of " + load.samples().size() + " requests " + when);
        }
    }

    private void check(List<String> broken, String when, LoadResult.Lost lost, boolean isDatabaseTrusted) {
        boolean isSessionTrusted = configuration.keeping().isPromised()
                && (isDatabaseTrusted || configuration.keeping().isReplicated());
        if (isSessionTrusted && lost.updates() > 0) {
            broken.add(configuration.name() + " lost " + lost.updates() + " session updates " + when);
        }
        if (isDatabaseTrusted && lost.rows() > 0) {
            broken.add(configuration.name() + " lost " + lost.rows() + " rows " + when);
        }
    }

    /** Returns the figures for programs. */
    public Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("configuration", configuration.name());
        map.put("paperMeanMillis", configuration.paperMillis());
        map.put("closedLoop", closed.map());
        map.put("fixedRate", atRate.map());
        Map<String, Object> all = new LinkedHashMap<>();
        faults.forEach((fault, result) -> all.put(fault.toString(), result.map()));
        map.put("faults", all);
        map.put("broken", broken());
        return map;
    }
}
