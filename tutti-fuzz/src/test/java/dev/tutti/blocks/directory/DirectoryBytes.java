package dev.tutti.blocks.directory;

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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.naming.BinaryRefAddr;
import javax.naming.LinkRef;
import javax.naming.Reference;
import javax.naming.StringRefAddr;

/** Opens the decoders of directories to the fuzzer: commands with naming values, which are executed, and states. */
public final class DirectoryBytes {

    private static final int NAMES_MAX = 1_000;
    private static final Codec<Object> VALUES = NamingValues.codec();
    private static final Codec<DirectoryCommand<Object>> COMMANDS = DirectoryCommand.codec(VALUES);

    private DirectoryBytes() {}

    /** Executes a command on a directory that has some names in it. */
    public static String command(byte[] input) {
        DirectoryCommand<Object> command;
        try {
            ByteInput in = new ByteInput(input);
            command = COMMANDS.take(in);
            in.end();
        } catch (MalformedException e) {
            return "refused";
        }
        apply(tree(), command);
        return command.getClass().getSimpleName();
    }

    private static void apply(Tree<Object> tree, DirectoryCommand<Object> command) {
        switch (command) {
            case DirectoryCommand.Bind<Object>(DirectoryPath path, Object value, boolean isRebind) ->
                tree.bind(path, value, isRebind);
            case DirectoryCommand.Unbind<Object>(DirectoryPath path) -> tree.unbind(path);
            case DirectoryCommand.Create<Object>(DirectoryPath path) -> tree.bind(path, null, false);
            case DirectoryCommand.Destroy<Object>(DirectoryPath path) -> tree.destroy(path);
            case DirectoryCommand.Rename<Object>(DirectoryPath from, DirectoryPath to) -> tree.rename(from, to);
            case DirectoryCommand.Again<Object> again -> again.wishes().forEach(tree::bringIn);
        }
        new DirectoryImage<>(origin(), tree.changes(), tree.all()).tree(NAMES_MAX);
    }

    public static String state(byte[] input) {
        try {
            Tree<Object> tree = DirectoryImage.read(VALUES, new ByteArrayInputStream(input)).tree(NAMES_MAX);
            tree.addEventsSince(tree());
            tree.children(DirectoryPath.ROOT);
            return "taken";
        } catch (MalformedException | IOException e) {
            return "refused";
        }
    }

    private static Tree<Object> tree() {
        Tree<Object> tree = new Tree<>(NAMES_MAX);
        tree.bind(DirectoryPath.of("a"), null, false);
        tree.bind(DirectoryPath.of("a/b"), null, false);
        tree.bind(DirectoryPath.of("a/b/c"), "text", false);
        tree.bind(DirectoryPath.of("d"), 5, false);
        return tree;
    }

    private static Blocks.Origin origin() {
        return new Blocks.Origin(new ViewId(3, 1, Values.first()), Values.MEMBERS);
    }

    private static List<Object> values() {
        Reference reference = new Reference("java.lang.String", "factory", "location");
        reference.add(new StringRefAddr("url", "größer"));
        reference.add(new StringRefAddr("none", null));
        reference.add(new BinaryRefAddr("bytes", new byte[30]));
        return List.of("text", 5, 6L, 0.5, true, new byte[10], reference, new LinkRef("a/b"));
    }

    public static List<byte[]> commands() {
        DirectoryPath path = DirectoryPath.of("a/b/c");
        DirectoryPath deep = new DirectoryPath(Collections.nCopies(DirectoryPath.DEPTH_MAX, "x"));
        List<DirectoryCommand<Object>> commands = new ArrayList<>();
        for (Object value : values()) {
            commands.add(new DirectoryCommand.Bind<>(path, value, true));
        }
        commands.add(new DirectoryCommand.Bind<>(deep, 1, false));
        commands.add(new DirectoryCommand.Unbind<>(path));
        commands.add(new DirectoryCommand.Create<>(DirectoryPath.of("a/e")));
        commands.add(new DirectoryCommand.Destroy<>(DirectoryPath.of("a/b")));
        commands.add(new DirectoryCommand.Rename<>(DirectoryPath.of("a"), DirectoryPath.of("f")));
        commands.add(new DirectoryCommand.Again<>(
                "side",
                4,
                true,
                List.of(
                        new DirectoryCommand.Wish<>(new Binding<>(DirectoryPath.of("n/e/w"), 5, 0), false),
                        new DirectoryCommand.Wish<>(new Binding<>(path, "text", 3), true))));
        commands.add(new DirectoryCommand.Again<>(
                "",
                4,
                true,
                Collections.nCopies(
                        DirectoryCommand.WISHES_MAX,
                        new DirectoryCommand.Wish<>(new Binding<>(DirectoryPath.ROOT, null, 0), false))));
        List<byte[]> bytes = new ArrayList<>();
        commands.forEach(each -> bytes.add(Values.bytes(COMMANDS, each)));
        return bytes;
    }

    public static List<byte[]> states() {
        Tree<Object> many = tree();
        int number = 0;
        for (Object value : values()) {
            many.bind(DirectoryPath.of("a/" + number++), value, false);
        }
        for (; number < 500; number++) {
            many.bind(DirectoryPath.of(Integer.toString(number, 36)), null, false);
        }
        return List.of(state(tree()), state(many));
    }

    private static byte[] state(Tree<Object> tree) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            new DirectoryImage<>(origin(), tree.changes(), tree.all()).write(VALUES, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
