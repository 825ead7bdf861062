package dev.tutti.bench.systems;

import dev.tutti.bench.systems.GroupSystem.Seat;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jgroups.Address;
import org.jgroups.JChannel;
import org.jgroups.Message.Flag;
import org.jgroups.Receiver;
import org.jgroups.blocks.MethodCall;
import org.jgroups.blocks.RequestOptions;
import org.jgroups.blocks.ResponseMode;
import org.jgroups.blocks.RpcDispatcher;
import org.jgroups.util.Rsp;
import org.jgroups.util.RspList;

/**
 * The dispatcher of JGroups, methods by number. As in its own measurement of such a mix, UPerf in 5.5.7, by default: in
 * the order of each sender, with flow control; tuned: out of band, without flow control.
 */
public final class JGroupsRequests implements Requests {

    private static final short GET = 0;
    private static final short PUT = 1;
    private static final long TIMEOUT_MILLIS = 40_000;
    private static final Method[] METHODS = {method("onGet"), method("onPut")};

    private final RpcDispatcher dispatcher;
    private final Address[] members;
    private final Values values;
    private final RequestOptions one;
    private final RequestOptions several;

    JGroupsRequests(JChannel channel, Receiver receiver, int size, Values values, boolean isTuned) {
        this.values = values;
        Flag[] flags = isTuned ? new Flag[] {Flag.OOB, Flag.NO_FC} : new Flag[0];
        one = new RequestOptions(ResponseMode.GET_ALL, TIMEOUT_MILLIS).flags(flags);
        several = new RequestOptions(ResponseMode.GET_ALL, TIMEOUT_MILLIS, true).flags(flags);
        dispatcher = new RpcDispatcher(channel, this).setReceiver(receiver).setMethodLookup(number -> METHODS[number]);
        members = new Address[size];
        for (Address member : channel.getView().getMembersRaw()) {
            members[Seat.rankOf(member.toString())] = member;
        }
    }

    private static Method method(String name) {
        return Stream.of(JGroupsRequests.class.getMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Called by the dispatcher. */
    public byte[] onGet(int key) {
        return values.get(key);
    }

    /** Called by the dispatcher. */
    public boolean onPut(int key, byte[] value) {
        return values.put(key, value);
    }

    @Override
    public byte[] get(int rank, int key) throws Exception {
        byte[] value = dispatcher.callRemoteMethod(members[rank], new MethodCall(GET, key), one);
        return value == null ? new byte[0] : value;
    }

    @Override
    public boolean put(List<Integer> ranks, int key, byte[] value) throws Exception {
        List<Address> receivers = new ArrayList<>(ranks.size());
        ranks.forEach(rank -> receivers.add(members[rank]));
        RspList<Boolean> answers = dispatcher.callRemoteMethods(receivers, new MethodCall(PUT, key, value), several);
        boolean isWhole = answers.size() == ranks.size();
        for (Rsp<Boolean> answer : answers) {
            isWhole &= Boolean.TRUE.equals(answer.getValue());
        }
        return isWhole;
    }

    @Override
    public void close() {
        dispatcher.stop();
    }
}
