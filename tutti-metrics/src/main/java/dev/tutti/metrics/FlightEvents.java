package dev.tutti.metrics;

import dev.tutti.Event;
import dev.tutti.Node;
import dev.tutti.NodeInspection;
import dev.tutti.Subscription;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * Writes events of a node as events of the JDK's flight recorder, in category {@code tutti}: {@code
 * dev.tutti.ViewChange}, {@code Merge}, {@code Departure}, {@code Suspicion}, {@code StateTransfer}, {@code
 * SlowListener}, {@code CallbackFailed}, {@code SendWaited} and {@code Link}; and, if it is enabled in the recording,
 * {@code dev.tutti.Number} for every number, once in ten seconds.
 *
 * <p>Costs nothing while no recording runs.
 */
public final class FlightEvents implements AutoCloseable {

    private final Readings readings;
    private final Subscription listening;
    private final Runnable periodic = this::writeNumbers;

    private FlightEvents(Node node) {
        this.readings = new Readings(node);
        this.listening = node.onEvent(this::onEvent);
        FlightRecorder.addPeriodicEvent(NumberEvent.class, periodic);
    }

    /** Starts to write events. */
    public static FlightEvents start(Node node) {
        return new FlightEvents(node);
    }

    private void onEvent(Event event) {
        NodeEvent written =
                switch (event.kind()) {
                    case VIEW -> new ViewChangeEvent();
                    case MERGE -> new MergeEvent();
                    case DEPARTURE -> new DepartureEvent();
                    case SUSPICION -> new SuspicionEvent();
                    case STATE -> new StateTransferEvent();
                    case SLOW_LISTENER -> new SlowListenerEvent();
                    case SEND_WAITED -> new SendWaitedEvent();
                    case PROBLEM, PROBLEM_OVER -> new ProblemEvent();
                    case LINK_OPENED, LINK_CLOSED, LINK_RESUMED -> new LinkEvent();
                    case STARTED, REFUSED, UNREACHABLE, DISCOVERY, LATE, STACK_MISMATCH, JOINED, LEFT, UNREADABLE, FAILED, COMPONENT, OPERATION -> new OtherEvent();
                    case CALLBACK_FAILED -> new CallbackFailedEvent();
                };
        if (written.shouldCommit()) {
            written.kind = event.kind().text();
            written.number = event.number();
            written.node = readings.node().name();
            written.group = event.group();
            written.about = event.node();
            written.text = event.text();
            written.cause = event.cause();
            long amount = number(event, "millis");
            switch (written) {
                case SlowListenerEvent slow -> slow.millis = amount;
                case SendWaitedEvent waited -> waited.millis = amount;
                case StateTransferEvent state -> state.bytes = number(event, "bytes");
                default -> {
                    // The text is complete.
                }
            }
            written.commit();
        }
    }

    private static long number(Event event, String name) {
        return event.details().get(name) instanceof Number number ? number.longValue() : 0;
    }

    private void writeNumbers() {
        NodeInspection inspection = readings.inspection();
        if (inspection == null) {
            return;
        }
        for (NodeInspection.Sample sample : inspection.samples()) {
            NumberEvent event = new NumberEvent();
            event.node = inspection.id().name();
            event.metric = sample.metric().id();
            event.group = sample.labels().getOrDefault("group", "");
            event.other = other(sample.labels());
            event.value = sample.value();
            event.commit();
        }
    }

    private static String other(Map<String, String> labels) {
        return Stream.of("peer", "member", "site").map(labels::get).filter(Objects::nonNull).findFirst().orElse("");
    }

    /** Stops writing. Idempotent. */
    @Override
    public void close() {
        FlightRecorder.removePeriodicEvent(periodic);
        listening.close();
    }

    @Category("tutti")
    @StackTrace(false)
    private abstract static sealed class NodeEvent extends jdk.jfr.Event {
        @Label("Kind")
        String kind = "";

        @Label("Number")
        @Description("Of the node's event")
        long number;

        @Label("Node")
        String node = "";

        @Label("Group")
        String group = "";

        @Label("About")
        @Description("The other node")
        String about = "";

        @Label("Text")
        String text = "";

        @Label("Cause")
        String cause = "";
    }

    @Name("dev.tutti.ViewChange")
    @Label("View Change")
    private static final class ViewChangeEvent extends NodeEvent {}

    @Name("dev.tutti.Merge")
    @Label("Merge")
    private static final class MergeEvent extends NodeEvent {}

    @Name("dev.tutti.CallbackFailed")
    @Label("Callback Failed")
    private static final class CallbackFailedEvent extends NodeEvent {}

    @Name("dev.tutti.Departure")
    @Label("Departure")
    private static final class DepartureEvent extends NodeEvent {}

    @Name("dev.tutti.Suspicion")
    @Label("Suspicion")
    private static final class SuspicionEvent extends NodeEvent {}

    @Name("dev.tutti.StateTransfer")
    @Label("State Transfer")
    private static final class StateTransferEvent extends NodeEvent {
        @Label("Bytes")
        @DataAmount
        long bytes;
    }

    @Name("dev.tutti.Problem")
    @Label("Problem")
    private static final class ProblemEvent extends NodeEvent {}

    @Name("dev.tutti.SlowListener")
    @Label("Slow Listener")
    private static final class SlowListenerEvent extends NodeEvent {
        @Label("Time")
        @Timespan(Timespan.MILLISECONDS)
        long millis;
    }

    @Name("dev.tutti.SendWaited")
    @Label("Send Waited")
    private static final class SendWaitedEvent extends NodeEvent {
        @Label("Time")
        @Timespan(Timespan.MILLISECONDS)
        long millis;
    }

    @Name("dev.tutti.Link")
    @Label("Link")
    private static final class LinkEvent extends NodeEvent {}

    @Name("dev.tutti.Other")
    @Label("Other Event")
    private static final class OtherEvent extends NodeEvent {}

    @Name("dev.tutti.Number")
    @Label("Number")
    @Description("A counter or a gauge; docs/metrics.md")
    @Category("tutti")
    @StackTrace(false)
    @Enabled(false)
    @Period("10 s")
    private static final class NumberEvent extends jdk.jfr.Event {
        @Label("Node")
        String node = "";

        @Label("Metric")
        String metric = "";

        @Label("Group")
        String group = "";

        @Label("Other")
        @Description("The peer, the member or the site")
        String other = "";

        @Label("Value")
        long value;
    }
}
