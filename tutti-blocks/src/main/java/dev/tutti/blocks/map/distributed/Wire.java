package dev.tutti.blocks.map.distributed;

import dev.tutti.blocks.calls.Procedure;
import dev.tutti.blocks.codec.Codec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The procedures that members of a map call at each other. */
final class Wire {

    /** Operation that changes nothing and is answered at once. */
    static final Procedure<Request, Answer> READ = Procedure.of("tutti.map.read", Request.CODEC, Answer.CODEC);

    /** Operation that waits for the members that hold the shard. */
    static final Procedure<Request, Answer> CHANGE = Procedure.of("tutti.map.change", Request.CODEC, Answer.CODEC);

    /** Asks a member for its account of the shards. */
    static final Procedure<@Nullable Void, Report> REPORT = Procedure.of("tutti.map.report", Codec.NOTHING, Report.CODEC);

    /** Tells a member that the caller is to hold nothing any more. */
    static final Procedure<@Nullable Void, Boolean> LEAVING = Procedure.of("tutti.map.leaving", Codec.NOTHING, Codec.BOOLEAN);

    /** Tells a member which shards are served for the first time. */
    static final Procedure<List<Integer>, Boolean> OPENED =
            Procedure.of("tutti.map.opened", Codec.list(Codec.INT), Codec.BOOLEAN);

    /** Asks a member for the number of entries of each shard that it serves; -1 for others. */
    static final Procedure<@Nullable Void, List<Integer>> SIZES =
            Procedure.of("tutti.map.sizes", Codec.NOTHING, Codec.list(Codec.INT));

    private Wire() {}
}
