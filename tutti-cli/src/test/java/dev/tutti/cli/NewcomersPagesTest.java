package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages for users of other systems: their code compiles, and their links lead somewhere. */
class NewcomersPagesTest {

    private static final List<String> PAGES = List.of("from-jgroups.md", "from-hazelcast.md", "from-infinispan.md");
    private static final Path DOCS = Path.of("../docs");
    private static final Pattern CODE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("]\\(([^)#]+)[^)]*\\)");
    private static final String IMPORTS = """
            import dev.tutti.*;
            import dev.tutti.core.Member;
            import dev.tutti.blocks.calls.*;
            import dev.tutti.blocks.codec.*;
            import dev.tutti.blocks.coordination.*;
            import dev.tutti.blocks.map.*;
            import dev.tutti.blocks.merge.*;
            import java.time.Duration;
            """;

    @TempDir
    private Path classes;

    @Test
    void codeCompiles() throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        for (String page : PAGES) {
            Matcher code = CODE.matcher(Files.readString(DOCS.resolve(page)));
            while (code.find()) {
                sources.add(source("Block" + sources.size(), code.group(1)));
            }
        }
        assertThat(sources).hasSize(5);
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
        compiler.getTask(null, null, problems, options, null, sources).call();
        assertThat(problems.getDiagnostics()).filteredOn(each -> each.getKind() == Diagnostic.Kind.ERROR).isEmpty();
    }

    @Test
    void linksLeadSomewhere() throws IOException {
        for (String page : PAGES) {
            Matcher link = LINK.matcher(Files.readString(DOCS.resolve(page)));
            while (link.find()) {
                assertThat(DOCS.resolve(link.group(1))).as(page).exists();
            }
        }
    }

    private static JavaFileObject source(String name, String code) {
        String hasOwnNode = code.contains("Node node =") ? "" : "Node node";
        String text = IMPORTS + "abstract class " + name + " { abstract byte[] load(String key); abstract void write(String key, long token);\n"
                + "void run(" + hasOwnNode + ") throws Exception {\n" + code + "}}";
        return new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoresErrors) {
                return text;
            }
        };
    }
}
