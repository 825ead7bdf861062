package dev.tutti.bench.systems;

import dev.tutti.Node;
import dev.tutti.bench.BenchException;
import dev.tutti.bench.systems.GroupSystem.Seat;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.Procedure;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.core.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Calls of tutti-blocks on a group of their own; handlers run inline because they only look up a value. */
final class TuttiRequests implements Requests {

    private static final Procedure<Integer, byte[]> GET = Procedure.of("get", Codec.INT, Codec.BYTES);
    private static final Procedure<Put, Boolean> PUT = Procedure.of("put", Put.CODEC, Codec.BOOLEAN);
    private static final Duration FORM_MAX = Duration.ofSeconds(30);

    private record Put(int key, byte[] value) {
        private static final Codec<Put> CODEC = Codec.of(
                in -> new Put(in.takeInt(), in.takeBytes()), (put, out) -> out.putInt(put.key()).putBytes(put.value()));
    }

    private final Calls calls;
    private final Member[] members;

    TuttiRequests(Node node, int size, Values values) {
        CountDownLatch complete = new CountDownLatch(1);
        calls = Calls.on(node.group("requests"))
                .onView(view -> {
                    if (view.size() == size) {
                        complete.countDown();
                    }
                })
                .handleInline(GET, (key, context) -> values.get(key))
                .handleInline(PUT, (put, context) -> values.put(put.key(), put.value()))
                .join();
        try {
            if (!complete.await(FORM_MAX.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new BenchException("the group for requests stays at " + calls.view());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
        members = new Member[size];
        for (Member member : calls.view().members()) {
            members[Seat.rankOf(member.name())] = member;
        }
    }

    @Override
    public byte[] get(int rank, int key) {
        return calls.to(members[rank]).call(GET, key);
    }

    @Override
    public boolean put(List<Integer> ranks, int key, byte[] value) {
        List<Member> receivers = new ArrayList<>(ranks.size());
        ranks.forEach(rank -> receivers.add(members[rank]));
        return calls.to(receivers).call(PUT, new Put(key, value)).isSatisfied();
    }

    @Override
    public void close() {
        calls.close();
    }

    @Override
    public String toString() {
        return "calls between " + Arrays.toString(members);
    }
}
