package dev.tutti.cli.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.testing.Ports;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Programs of the pages, compiled, and the terminals in which they run. The ports of the pages are replaced by free ones, because other
 * tests run at the same time; nothing else is changed.
 */
final class Programs implements AutoCloseable {

    private final Path classes;
    private final List<Terminal> terminals = new ArrayList<>();

    Programs(Path classes, String... names) throws IOException {
        this.classes = classes;
        int port = Ports.lasting();
        Map<String, String> programs = Code.programs();
        programs.keySet().retainAll(List.of(names));
        assertThat(programs).hasSize(names.length);
        assertThat(Code.compile(programs, text -> text.replace("7801", "" + port).replace("7802", "" + (port + 1)).replace("7803", "" + (port + 2)), classes))
                .isEmpty();
    }

    /** Starts a program. */
    Terminal start(String program, String... arguments) throws IOException {
        Terminal terminal = new Terminal(classes, program, arguments);
        terminals.add(terminal);
        return terminal;
    }

    /** Ends all that were started. */
    void end() {
        terminals.forEach(Terminal::close);
        terminals.clear();
    }

    @Override
    public void close() {
        end();
    }
}
