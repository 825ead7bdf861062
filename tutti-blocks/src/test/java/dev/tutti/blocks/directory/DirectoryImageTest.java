package dev.tutti.blocks.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.ViewId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Paths and states of directories in bytes, also ones that no member has written. */
class DirectoryImageTest {

    private static final Member MEMBER = new Member(new NodeId(7, "n1", "n1:7800"), 1);
    private static final Blocks.Origin ORIGIN = new Blocks.Origin(new ViewId(3, 1, MEMBER), List.of(MEMBER));

    private static Binding<String> binding(String path, String value) {
        return new Binding<>(DirectoryPath.of(path), value.isEmpty() ? null : value, 1);
    }

    private static DirectoryImage<String> image(List<Binding<String>> bindings) {
        return new DirectoryImage<>(ORIGIN, 5, bindings);
    }

    @Test
    void comesBackAsItWas() throws IOException {
        DirectoryImage<String> image = image(List.of(binding("a", ""), binding("a/b", "v"), binding("c", "w")));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        image.write(Codec.TEXT, out);
        DirectoryImage<String> read = DirectoryImage.read(Codec.TEXT, new ByteArrayInputStream(out.toByteArray()));
        assertThat(read).isEqualTo(image);
        assertThat(read.tree(10).all()).isEqualTo(image.bindings());
    }

    @Test
    void nameThatIsThereTwiceOrHasNoContextIsRefused() {
        assertThatThrownBy(() -> image(List.of(binding("a", "v"), binding("a", "w"))).tree(10))
                .isInstanceOf(MalformedException.class)
                .hasMessage("a state has 'a' twice, or not its context");
        assertThatThrownBy(() -> image(List.of(binding("a/b", "v"))).tree(10)).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> image(List.of(binding("a", "v"), binding("a/b", "v"))).tree(10))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> image(List.of(binding("", ""))).tree(10)).isInstanceOf(MalformedException.class);
    }

    @Test
    void pathOfTooManyNamesIsRefusedBeforeTheyAreMade() {
        ByteOutput out = new ByteOutput().putInt(33);
        out.putRaw(new byte[132], 0, 132);
        assertThatThrownBy(() -> DirectoryPath.CODEC.take(new ByteInput(out.copy())))
                .isInstanceOf(MalformedException.class)
                .hasMessage("a path of 33 names, at most 32");
    }
}
