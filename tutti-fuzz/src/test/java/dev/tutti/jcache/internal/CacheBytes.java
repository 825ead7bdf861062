package dev.tutti.jcache.internal;

import dev.tutti.blocks.Values;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.core.ViewId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Opens the decoders of caches to the fuzzer: commands, whose keys are serialized objects, and states. */
public final class CacheBytes {

    private static final long NOW_NANOS = 1_000_000;
    private static final Serializer SERIALIZER = new Serializer("fuzzed", CacheBytes.class.getClassLoader(), "", 1 << 20);
    private static final Codec<CacheCommand> COMMANDS = CacheCommand.codec(SERIALIZER);
    private static final Version VERSION = new Version(3, 4);

    private CacheBytes() {}

    public static String command(byte[] input) {
        try {
            ByteInput in = new ByteInput(input);
            CacheCommand command = COMMANDS.take(in);
            in.end();
            return command.getClass().getSimpleName();
        } catch (MalformedException e) {
            return "refused";
        }
    }

    public static String state(byte[] input) {
        try {
            CacheImage image = CacheImage.read(SERIALIZER, NOW_NANOS, new ByteArrayInputStream(input));
            Entries entries = new Entries();
            image.entries().forEach(entries::put);
            image.entries().forEach(each -> {
                Stored present = entries.find(each.key().object());
                if (present != null) {
                    entries.remove(present);
                }
            });
            if (entries.size() != 0 || entries.bytes() != 0) {
                throw new IllegalStateException(entries.bytes() + " bytes are left of " + image);
            }
            return "taken";
        } catch (MalformedException | IOException e) {
            return "refused";
        }
    }

    private static Key key(Object object) {
        return SERIALIZER.key(object);
    }

    public static List<byte[]> commands() {
        byte[] value = SERIALIZER.write("value", "the value");
        return List.<CacheCommand>of(
                        new CacheCommand.Commit(
                                1,
                                List.of(
                                        new Change(key("k"), VERSION, Change.Kind.PUT, value, 5, false),
                                        Change.of(key(7L), Version.NONE, Change.Kind.CONFIRM, true))),
                        new CacheCommand.Commit(
                                0, List.of(Change.of(key(List.of("a", "b")), VERSION, Change.Kind.REMOVE, false))),
                        new CacheCommand.Clear(2, true))
                .stream()
                .map(command -> Values.bytes(COMMANDS, command))
                .toList();
    }

    public static List<byte[]> states() {
        Blocks.Origin origin = new Blocks.Origin(new ViewId(3, 1, Values.first()), Values.MEMBERS);
        List<Stored> entries = List.of(
                new Stored(key("k"), new byte[20], VERSION, Stored.NEVER),
                new Stored(key(7L), new byte[20], new Version(3, 5), NOW_NANOS + 9));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            new CacheImage(origin, "entriesMax=5", 5, entries).write(NOW_NANOS, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.of(out.toByteArray());
    }
}
