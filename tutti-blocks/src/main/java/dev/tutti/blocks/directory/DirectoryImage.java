package dev.tutti.blocks.directory;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Blocks;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * A directory at a cut.
 *
 * @param origin side that it comes from
 * @param changes number of changes made to it
 * @param bindings contexts before their entries
 */
record DirectoryImage<V>(Blocks.Origin origin, long changes, List<Binding<V>> bindings) {

    private static final byte FORMAT = 1;

    void write(Codec<V> values, OutputStream stream) throws IOException {
        DataOutputStream out = new DataOutputStream(stream);
        ByteOutput block = new ByteOutput();
        origin.put(FORMAT, block);
        Blocks.write(block.putLong(changes), out);
        for (Binding<V> each : bindings) {
            Binding.put(each, values, block);
            if (block.length() >= Blocks.ENOUGH) {
                Blocks.write(block, out);
            }
        }
        Blocks.end(block, out);
    }

    /** @throws MalformedException if the stream is no such image */
    static <V> DirectoryImage<V> read(Codec<V> values, InputStream stream) throws IOException {
        DataInputStream source = new DataInputStream(stream);
        ByteInput in = Blocks.read(source);
        Blocks.Origin origin = Blocks.Origin.take(FORMAT, in);
        long changes = in.takeLong();
        in.end();
        List<Binding<V>> bindings = new ArrayList<>();
        for (in = Blocks.read(source); in.remaining() > 0; in = Blocks.read(source)) {
            while (in.remaining() > 0) {
                bindings.add(Binding.take(values, in));
            }
        }
        return new DirectoryImage<>(origin, changes, bindings);
    }

    /** @throws MalformedException if a name is in it twice, or in a context that does not exist */
    Tree<V> tree(int namesMax) {
        Tree<V> tree = new Tree<>(namesMax, new TreeMap<>(), changes);
        bindings.forEach(tree::restore);
        return tree;
    }
}
