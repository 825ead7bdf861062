package dev.tutti.blocks.map.distributed;

import dev.tutti.blocks.Values;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.map.distributed.Report.OfShard;
import dev.tutti.blocks.map.distributed.Report.Stage;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.ViewId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Opens the decoders of maps with some copies to the fuzzer: operations, their answers, and accounts of shards. */
public final class DistributedMapBytes {

    private static final List<NodeId> NODES = Values.MEMBERS.stream().map(Member::node).toList();
    private static final EntryKey KEY = new EntryKey(new byte[] {1, 2, 3});

    private DistributedMapBytes() {}

    private static <T> String outcome(Codec<T> codec, byte[] input, String taken) {
        try {
            ByteInput in = new ByteInput(input);
            T value = codec.take(in);
            in.end();
            Values.checkRoundTrip(codec, value);
            return taken;
        } catch (MalformedException e) {
            return "refused";
        }
    }

    public static String request(byte[] input) {
        return outcome(Request.CODEC, input, "taken");
    }

    public static String answer(byte[] input) {
        return outcome(Answer.CODEC, input, "taken");
    }

    public static String report(byte[] input) {
        return outcome(Report.CODEC, input, "taken");
    }

    private static <T> List<byte[]> bytes(Codec<T> codec, List<T> values) {
        List<byte[]> bytes = new ArrayList<>();
        for (T each : values) {
            Values.checkRoundTrip(codec, each);
            bytes.add(Values.bytes(codec, each));
        }
        return bytes;
    }

    public static List<byte[]> requests() {
        return bytes(Request.CODEC, List.of(
                Request.of(Request.Kind.GET, 3, KEY),
                Request.of(Request.Kind.SYNC, 3, EntryKey.OPENED),
                new Request(Request.Kind.PUT, 63, KEY, new byte[20], null, 1_000),
                new Request(Request.Kind.REPLACE_IF_EQUAL, 0, KEY, new byte[5], new byte[7], 0),
                new Request(Request.Kind.REMOVE_IF_EQUAL, 0, KEY, null, new byte[7], 0)));
    }

    public static List<byte[]> answers() {
        return bytes(Answer.CODEC, List.of(
                new Answer.Done(true, new byte[9], false),
                new Answer.Done(false, null, true),
                new Answer.Elsewhere(NODES.get(1)),
                new Answer.Absent(),
                new Answer.Later(),
                new Answer.Failed(MapException.Reason.UNKNOWN, "größer")));
    }

    public static List<byte[]> reports() {
        ViewId view = new ViewId(7, 2, Values.first());
        List<OfShard> each = List.of(
                new OfShard(Stage.ABSENT, null, false, false),
                new OfShard(Stage.JOINING, null, false, true),
                new OfShard(Stage.HELD, view, true, true),
                new OfShard(Stage.LEAVING, view, false, true));
        return bytes(Report.CODEC, List.of(
                new Report(2, NODES, each),
                new Report(1, List.of(), List.of()),
                new Report(16, NODES, Collections.nCopies(DistributedMapBuilder.SHARDS_MAX, each.getFirst()))));
    }
}
