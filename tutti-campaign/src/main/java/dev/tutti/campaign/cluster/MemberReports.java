package dev.tutti.campaign.cluster;

import dev.tutti.core.Packet;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.node.GroupSettings;
import java.util.List;
import java.util.function.Consumer;

/** Finds faults in the nodes' reports of their own state. */
public final class MemberReports {

    private MemberReports() {}

    /** Describes the nodes that take another for silent; empty if there are none. */
    public static String suspected(List<SimulatedMember> seats) {
        List<String> names = seats.stream().map(seat -> seat.node.name()).toList();
        StringBuilder suspected = new StringBuilder();
        for (SimulatedMember seat : seats) {
            seat.machine().report(new SilentReport(0, silent -> {
                if (List.of(silent.split(", ")).stream().anyMatch(names::contains)) {
                    suspected.append(seat).append(" takes for silent: ").append(silent).append(' ');
                }
            }));
        }
        return suspected.toString();
    }

    /** Finds {@code detection.silent} in a report. */
    private record SilentReport(int depth, Consumer<String> found) implements Report {
        @Override
        public void put(String name, long value) {
            // It is text.
        }

        @Override
        public void put(String name, String value) {
            if (depth == 1 && name.equals("silent")) {
                found.accept(value);
            }
        }

        @Override
        public Report section(String name) {
            return new SilentReport(depth == 0 && name.equals("detection") ? 1 : Integer.MIN_VALUE, found);
        }
    }

    /** Describes the amounts by which a member holds more than its window allows; empty if there are none. */
    public static String excess(SimulatedMember seat, Settings group) {
        long windowBytes = group.get(GroupSettings.WINDOW).bytes();
        StringBuilder excess = new StringBuilder();
        if (group.get(GroupSettings.STACK) != GroupSettings.StackKind.UNRELIABLE) {
            seat.application.backlogs().forEach((sender, bytes) -> {
                if (bytes > 2 * (windowBytes + Packet.FRAME_MAX)) {
                    excess.append("its application has ").append(bytes).append(" bytes of ").append(sender)
                            .append(" to consume, and a window is ").append(windowBytes).append(' ');
                }
            });
        }
        seat.machine().report(new WindowReport(windowBytes + Packet.FRAME_MAX, excess));
        return excess.toString();
    }

    private record WindowReport(long bytesMax, StringBuilder excess) implements Report {
        /**
         * Amounts bounded by two windows: a backlog holds multicasts and unicasts, and copies exceed one window during
         * repairs, because these do not tell what is stable.
         */
        private static final List<String> TWICE = List.of("backlog-bytes", "copies-bytes");

        @Override
        public void put(String name, long value) {
            boolean isExcess = name.equals("unstable-bytes") && value > bytesMax
                    || TWICE.contains(name) && value > 2 * bytesMax;
            if (isExcess) {
                excess.append(name).append(' ').append(value).append(" of ").append(bytesMax).append(' ');
            }
        }

        @Override
        public void put(String name, String value) {
            // No amount.
        }

        @Override
        public Report section(String name) {
            return this;
        }
    }
}
