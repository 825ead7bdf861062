package dev.tutti.campaign.cluster;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.Receipt;
import dev.tutti.core.View;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.protocols.packing.LargeMessage;
import dev.tutti.protocols.packing.Marks;
import dev.tutti.protocols.packing.Outgoing;
import dev.tutti.protocols.packing.PacketSizes;
import dev.tutti.protocols.packing.Reassembly;
import dev.tutti.protocols.packing.Records;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import dev.tutti.sim.application.MessageReader;
import dev.tutti.sim.application.SimulatedApplication;
import dev.tutti.sim.check.History;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A node of a {@link SimulatedCluster} with its application, from a start to the end of that run. */
public final class SimulatedMember {

    /** A message that is still to be submitted. */
    private record Order(@Nullable Member receiver, int length, Band band, int scope, boolean isAsked) {}

    private static final long SUBMISSIONS_BYTES_MAX = 256 * 1024;
    private static final Duration RETRY = Duration.ofMillis(1);
    private static final int SCOPES = 5;

    private final Simulation simulation;
    private final History history;
    public final SimulatedNode node;
    public final SimulatedApplication application;
    private final Outgoing outgoing;
    private final ArrayDeque<Order> orders = new ArrayDeque<>();
    private final int run;
    private final int askedEvery;

    /** There are no receipts for messages to all. */
    private final boolean isCausal;

    private final String name;
    private boolean isRetrying;
    private boolean isLeaving;
    private boolean isStopping;
    private boolean isCrashed;
    private @Nullable String endedBecause;

    /** Large messages wait in the application, one at a time. */
    private @Nullable LargeMessage large;

    /** @param askedEvery asks for a receipt of each {@code askedEvery}th message of a call; of none if it is 0 */
    SimulatedMember(
            Simulation simulation,
            History history,
            SimulatedNode node,
            String name,
            Settings group,
            PacketSizes sizes,
            int askedEvery) {
        this.askedEvery = askedEvery;
        this.isCausal = group.get(GroupSettings.STACK) == GroupSettings.StackKind.CAUSAL;
        this.simulation = simulation;
        this.history = history;
        this.node = node;
        this.name = name;
        this.run = node.run();
        this.outgoing = new Outgoing(node.memory(), SUBMISSIONS_BYTES_MAX, sizes);
        this.application = new SimulatedApplication(
                simulation, node, history, SimulatedMember::reader, (now, self, packet) -> machine().onConsumed(now, self, packet));
        application.withEnd(this::onEnd);
        outgoing.tellUnsent(application::onUnsent);
        node.execute(now ->
                application.setSelf(machine().join(now, name, group, OptionalLayers.of(group), application, outgoing)));
    }

    private void onEnd(String reason) {
        endedBecause = reason;
        outgoing.close(reason);
    }

    /** Reports whether it has left, and the rest of a group with a primary partition no longer needs its vote. */
    public boolean isReleased() {
        return "left".equals(endedBecause);
    }

    public NodeMachine machine() {
        return (NodeMachine) node.machine();
    }

    public Member member() {
        return application.self();
    }

    public @Nullable View view() {
        return application.view();
    }

    boolean isUp() {
        return node.run() == run && node.life() != SimulatedNode.Life.DOWN && !application.isLeft();
    }

    /** Reports whether the member can be in a view: it is up and not paused. */
    boolean isPresent() {
        return isUp() && node.life() == SimulatedNode.Life.RUNNING;
    }

    /** Returns the number of messages that wait here because the node has not accepted earlier ones yet. */
    public int ordersWaiting() {
        return orders.size();
    }

    public String waitsFor() {
        return outgoing.waitsFor();
    }

    public void send(@Nullable Member receiver, int count, int length) {
        send(receiver, count, length, Band.ORDERED);
    }

    public void send(@Nullable Member receiver, int count, int length, Band band) {
        for (int index = 0; index < count; index++) {
            boolean isAsked = askedEvery > 0 && (receiver != null || !isCausal) && index % askedEvery == askedEvery - 1;
            orders.add(new Order(receiver, length, band, index % SCOPES, isAsked));
        }
        submit();
    }

    void forgetOrders() {
        orders.clear();
    }

    private void submit() {
        if (isUp()) {
            node.execute(now -> {
                boolean hasSubmitted = false;
                Order order = orders.peek();
                while (order != null && hasRoom(order)) {
                    orders.poll();
                    offer(order);
                    hasSubmitted = true;
                    order = orders.peek();
                }
                if (hasSubmitted && !application.isLeft()) {
                    machine().onSubmitted(now, member());
                }
                retryLater();
            });
        }
    }

    private boolean hasRoom(Order order) {
        if (!application.isMember() || application.isLeft()) {
            return false;
        }
        LargeMessage last = large;
        return isSmall(order)
                ? outgoing.bytes() + Math.max(order.length(), SimulatedApplication.MESSAGE_BYTES_MIN) <= SUBMISSIONS_BYTES_MAX
                : last == null || last.isTaken() || last.failure() != null;
    }

    private boolean isSmall(Order order) {
        return order.band() == Band.SCOPED ? outgoing.isSmallScoped(order.length()) : outgoing.isSmall(order.length());
    }

    private void offer(Order order) {
        Member receiver = order.receiver();
        int lane =
                switch (order.band()) {
                    case ORDERED -> SimulatedApplication.IN_ORDER;
                    case OUT_OF_BAND -> SimulatedApplication.OUT_OF_BAND;
                    case SCOPED -> SimulatedApplication.lane(order.scope());
                };
        byte[] message = application.nextMessage(receiver, order.length(), lane);
        Marks marks =
                switch (order.band()) {
                    case ORDERED -> Marks.NONE;
                    case SCOPED -> Marks.inScope(order.scope());
                    case OUT_OF_BAND -> Marks.OUT_OF_BAND;
                };
        if (!isSmall(order)) {
            large = outgoing.offerLarge(receiver, message, 0, message.length, marks);
            ask(order);
            return;
        }
        if (!outgoing.offer(receiver, message, 0, message.length, marks)) {
            throw new IllegalStateException("submissions of " + outgoing.bytes() + " bytes refused "
                    + message.length + " more");
        }
        ask(order);
    }

    private void ask(Order order) {
        if (order.isAsked()) {
            application.ask(outgoing.ask());
        }
    }

    private void retryLater() {
        if (!orders.isEmpty() && !isRetrying) {
            isRetrying = true;
            simulation.after(RETRY, () -> {
                isRetrying = false;
                submit();
            });
        }
    }

    void leave() {
        isLeaving = true;
        node.execute(now -> machine().leave(now, member()));
    }

    /** Reports whether the member was asked to leave, and has not been told that it has. */
    boolean isStillLeaving() {
        return isLeaving && !application.isLeft();
    }

    /** Reports whether the process has ended in order and the member was not told of the end of its group. */
    boolean hasMissedTheEnd() {
        boolean isOver = node.run() != run || node.life() == SimulatedNode.Life.DOWN;
        return isStopping && !isCrashed && isOver && application.isMember() && !application.isLeft();
    }

    /** Reports whether the member is outside of the primary partition and was not told so. */
    boolean isSuspendedInSilence() {
        boolean isRunning = node.run() == run && node.life() == SimulatedNode.Life.RUNNING && !application.isLeft();
        return isRunning && application.isMember() && !isLeaving && !application.isSuspended() && isOutside();
    }

    private boolean isOutside() {
        boolean[] isOutside = new boolean[1];
        machine().report(new OutsideReport(name, 0, isOutside));
        return isOutside[0];
    }

    /** Finds {@code groups.NAME.membership.outside} in a report. */
    private record OutsideReport(String group, int depth, boolean[] isOutside) implements Report {
        @Override
        public void put(String name, long value) {
            isOutside[0] |= depth == 3 && name.equals("outside") && value != 0;
        }

        @Override
        public void put(String name, String value) {
            // It is a number.
        }

        @Override
        public Report section(String name) {
            boolean isOnTheWay = depth < 3 && name.equals(List.of("groups", group, "membership").get(depth));
            return new OutsideReport(group, isOnTheWay ? depth + 1 : Integer.MAX_VALUE, isOutside);
        }
    }

    void stop() {
        isStopping = true;
        node.stop(now -> machine().stop(now));
    }

    void crash() {
        end();
        node.crash();
    }

    void powerOff() {
        end();
        node.powerOff();
    }

    /** Records that the process ends without a goodbye; another seat on it may have ended it. */
    void end() {
        isCrashed = true;
        if (application.isMember() && !application.isLeft()) {
            history.add(new History.Crashed(member()));
        }
    }

    private static MessageReader reader() {
        // A large multicast that a view change has withdrawn may be sent again, interleaved with a large unicast.
        Reassembly ofAll = new Reassembly();
        Reassembly ofOne = new Reassembly();
        return (Packet packet, Consumer<byte[]> messages) -> {
            Receipt receipt = packet.receipt();
            Reassembly reassembly = receipt != null && receipt.isUnicast() ? ofOne : ofAll;
            int lane = Records.isOutOfBand(packet) ? SimulatedApplication.OUT_OF_BAND : SimulatedApplication.IN_ORDER;
            boolean isReadable = Records.read(packet, new Records.Visitor() {
                @Override
                public void onMessage(ByteBuffer bytes, int offset, int length) {
                    take(bytes, offset, length, lane);
                }

                @Override
                public void onScoped(ByteBuffer bytes, int offset, int length, int scope) {
                    take(bytes, offset, length, SimulatedApplication.lane(scope));
                }

                private void take(ByteBuffer bytes, int offset, int length, int deliveredIn) {
                    byte[] message = new byte[length];
                    bytes.get(offset, message);
                    messages.accept(SimulatedApplication.delivered(message, deliveredIn));
                }

                @Override
                public void onPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece) {
                    takePiece(bytes, offset, length, piece, lane);
                }

                @Override
                public void onScopedPiece(ByteBuffer bytes, int offset, int length, Records.Piece piece, int scope) {
                    takePiece(bytes, offset, length, piece, SimulatedApplication.lane(scope));
                }

                private void takePiece(ByteBuffer bytes, int offset, int length, Records.Piece piece, int deliveredIn) {
                    ByteBuffer message = reassembly.add(bytes, offset, length, piece);
                    if (message != null) {
                        messages.accept(SimulatedApplication.delivered(message.array(), deliveredIn));
                    }
                }
            });
            if (!isReadable) {
                throw new IllegalStateException("a packet was delivered that can't be read: " + packet);
            }
        };
    }

    @Override
    public String toString() {
        return node.name();
    }

    /** Reports whether the member takes part in no view change now, or is no member any more. */
    public boolean isSteady() {
        StateReport state = new StateReport(new StringBuilder());
        machine().report(state);
        return state.states().isEmpty() || state.states().toString().equals("steady");
    }

    /** Finds the state of membership in the first group. */
    private record StateReport(StringBuilder states) implements Report {
        @Override
        public void put(String name, long value) {
            // No state.
        }

        @Override
        public void put(String name, String value) {
            boolean isState = value.equals("steady") || value.equals("answered") || value.equals("catching-up");
            if (isState && name.equals("state") && states.isEmpty()) {
                states.append(value);
            }
        }

        @Override
        public Report section(String name) {
            return this;
        }
    }
}
