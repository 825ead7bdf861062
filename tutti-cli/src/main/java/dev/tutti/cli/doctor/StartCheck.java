package dev.tutti.cli.doctor;

import dev.tutti.Node;
import dev.tutti.core.driver.TransportException;
import java.time.Duration;
import java.util.List;

/** Checks that a node with this configuration starts; later checks use it as their probe. */
final class StartCheck implements Check {

    @Override
    public String name() {
        return "start";
    }

    @Override
    public Duration deadline() {
        return Duration.ofSeconds(10);
    }

    @Override
    public List<Finding> run(DoctorContext context) {
        try {
            Node probe = Doctor.probe(context.spec).onTrouble(context.troubles::add).start();
            context.probe = probe;
            return List.of(Finding.ok(name(), "a node starts at " + probe.address()));
        } catch (TransportException e) {
            return List.of(Finding.fault(
                    name(), String.valueOf(e.getMessage()), "change that setting; tutti config docs describes it"));
        }
    }
}
