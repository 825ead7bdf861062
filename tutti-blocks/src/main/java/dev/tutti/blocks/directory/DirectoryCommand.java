package dev.tutti.blocks.directory;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Commands on a directory. */
sealed interface DirectoryCommand<V> {

    record Bind<V>(DirectoryPath path, V value, boolean isRebind) implements DirectoryCommand<V> {}

    record Unbind<V>(DirectoryPath path) implements DirectoryCommand<V> {}

    record Create<V>(DirectoryPath path) implements DirectoryCommand<V> {}

    record Destroy<V>(DirectoryPath path) implements DirectoryCommand<V> {}

    record Rename<V>(DirectoryPath from, DirectoryPath to) implements DirectoryCommand<V> {}

    /**
     * Changes that a side which was given up brings in again, in the view with this number.
     *
     * @param wishes each with the version that must still be there for the change to be made
     */
    record Again<V>(String side, long view, boolean isLast, List<Wish<V>> wishes) implements DirectoryCommand<V> {}

    /**
     * @param binding with the version that its path must have, 0 for none
     * @param isRemoval whether the path is to be removed
     */
    record Wish<V>(Binding<V> binding, boolean isRemoval) {}

    /**
     * Result of a command.
     *
     * @param refusal null if it was done
     * @param resolved number of the path's names that exist
     */
    record Outcome(DirectoryException.@Nullable Reason refusal, int resolved) {

        static final Outcome DONE = new Outcome(null, 0);
    }

    int WISHES_MAX = 1_024;

    static <V> Codec<DirectoryCommand<V>> codec(Codec<V> values) {
        return Codec.of(in -> take(values, in), (command, out) -> put(values, command, out));
    }

    private static <V> void put(Codec<V> values, DirectoryCommand<V> command, ByteOutput out) {
        switch (command) {
            case Bind<V>(DirectoryPath path, V value, boolean isRebind) -> {
                DirectoryPath.CODEC.put(path, out.putByte(isRebind ? 2 : 1));
                values.put(value, out);
            }
            case Unbind<V>(DirectoryPath path) -> DirectoryPath.CODEC.put(path, out.putByte(3));
            case Create<V>(DirectoryPath path) -> DirectoryPath.CODEC.put(path, out.putByte(4));
            case Destroy<V>(DirectoryPath path) -> DirectoryPath.CODEC.put(path, out.putByte(5));
            case Rename<V>(DirectoryPath from, DirectoryPath to) -> {
                DirectoryPath.CODEC.put(from, out.putByte(6));
                DirectoryPath.CODEC.put(to, out);
            }
            case Again<V>(String side, long view, boolean isLast, List<Wish<V>> wishes) -> {
                out.putByte(7).putText(side).putLong(view).putBoolean(isLast).putInt(wishes.size());
                for (Wish<V> wish : wishes) {
                    Binding.put(wish.binding(), values, out.putBoolean(wish.isRemoval()));
                }
            }
        }
    }

    private static <V> DirectoryCommand<V> take(Codec<V> values, ByteInput in) {
        byte kind = in.takeByte();
        return switch (kind) {
            case 1, 2 -> new Bind<>(DirectoryPath.CODEC.take(in), values.take(in), kind == 2);
            case 3 -> new Unbind<>(DirectoryPath.CODEC.take(in));
            case 4 -> new Create<>(DirectoryPath.CODEC.take(in));
            case 5 -> new Destroy<>(DirectoryPath.CODEC.take(in));
            case 6 -> new Rename<>(DirectoryPath.CODEC.take(in), DirectoryPath.CODEC.take(in));
            case 7 -> takeAgain(values, in);
            default -> throw new MalformedException("a command of kind " + kind);
        };
    }

    private static <V> Again<V> takeAgain(Codec<V> values, ByteInput in) {
        String side = in.takeText();
        long view = in.takeLong();
        boolean isLast = in.takeBoolean();
        int count = in.takeCount(1);
        if (count > WISHES_MAX) {
            throw new MalformedException(count + " names in a command, at most " + WISHES_MAX);
        }
        List<Wish<V>> wishes = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            boolean isRemoval = in.takeBoolean();
            wishes.add(new Wish<>(Binding.take(values, in), isRemoval));
        }
        return new Again<>(side, view, isLast, wishes);
    }
}
