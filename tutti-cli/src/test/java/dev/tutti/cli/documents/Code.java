package dev.tutti.cli.documents;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Java code of pages. A block that begins with {@code // Name.java} is a program, complete as it stands; any other is a piece, which
 * has a node and some methods of an application around it.
 */
final class Code {

    static final Path DOCS = Path.of("../docs");
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern PROGRAM = Pattern.compile("// (\\w+\\.java)\n.*", Pattern.DOTALL);
    private static final Pattern TYPE = Pattern.compile("^(?:sealed |record |enum ).*}$", Pattern.MULTILINE);
    private static final String IMPORTS = """
            import dev.tutti.*;
            import dev.tutti.core.Member;
            import dev.tutti.blocks.calls.*;
            import dev.tutti.blocks.codec.*;
            import dev.tutti.blocks.coordination.*;
            import dev.tutti.blocks.map.*;
            import dev.tutti.blocks.map.distributed.*;
            import dev.tutti.blocks.merge.*;
            import dev.tutti.blocks.presence.*;
            import dev.tutti.blocks.typed.*;
            import dev.tutti.codecs.*;
            import dev.tutti.config.*;
            import com.google.protobuf.Struct;
            import java.math.BigDecimal;
            import java.nio.file.Path;
            import java.time.Duration;
            import java.time.Instant;
            import java.util.*;
            import org.jspecify.annotations.Nullable;
            import tools.jackson.core.type.TypeReference;
            import static java.nio.charset.StandardCharsets.UTF_8;
            """;

    private Code() {}

    /** Returns the pages whose code is compiled: those that tell how to begin, and those whose code is short and complete. */
    static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(Path.of("../README.md"), DOCS.resolve("index.md"), DOCS.resolve("from-jgroups.md"),
                DOCS.resolve("from-hazelcast.md"), DOCS.resolve("from-infinispan.md"), DOCS.resolve("operating/values.md"), DOCS.resolve("operating/zones.md")));
        for (String directory : List.of("start", "concepts", "recipes", "operations")) {
            try (Stream<Path> files = Files.list(DOCS.resolve(directory))) {
                files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
            }
        }
        return pages;
    }

    /** Returns the Java blocks of a page. */
    static List<String> blocks(Path page) throws IOException {
        return BLOCK.matcher(Files.readString(page)).results().map(block -> block.group(1)).toList();
    }

    /** Returns the programs of all pages, by the name of their file. */
    static Map<String, String> programs() throws IOException {
        Map<String, String> programs = new LinkedHashMap<>();
        for (Path page : pages()) {
            for (String block : blocks(page)) {
                Matcher program = PROGRAM.matcher(block);
                if (program.matches()) {
                    programs.put(program.group(1), block);
                }
            }
        }
        return programs;
    }

    /** Compiles programs into a directory, and returns the errors. */
    static List<String> compile(Map<String, String> programs, UnaryOperator<String> change, Path classes) {
        return compile(programs.entrySet().stream()
                .map(program -> source(program.getKey(), change.apply(program.getValue())))
                .toList(), classes);
    }

    /** Compiles all blocks of all pages, except for those with a package, and returns the errors. */
    static List<String> compileAll(Path classes) throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        programs().forEach((name, text) -> sources.add(source(name, text)));
        for (Path page : pages()) {
            for (String block : blocks(page)) {
                if (!PROGRAM.matcher(block).matches() && !block.startsWith("package ")) {
                    String name = page.getFileName().toString().replaceAll("\\W", "") + sources.size();
                    sources.add(source(name + ".java", piece(name, block)));
                }
            }
        }
        return compile(sources, classes);
    }

    /** Compiles each program with the files of all others in its folder, and returns the errors. */
    static List<String> compileBesideEachOther(Path folder) throws IOException {
        Map<String, String> programs = programs();
        for (Map.Entry<String, String> program : programs.entrySet()) {
            Files.writeString(folder.resolve(program.getKey()), program.getValue());
        }
        List<String> errors = new ArrayList<>();
        programs.forEach((name, text) -> errors.addAll(
                compile(List.of(source(name, text)), folder, "-implicit:none", "-sourcepath", folder.toString())));
        return errors;
    }

    /** Compiles the class of a project that a page has, and returns the errors. */
    static List<String> compileClass(Path page, String file, Path classes) throws IOException {
        String head = "package " + file.substring(0, file.lastIndexOf('/')).replace('/', '.') + ";";
        return compile(blocks(page).stream().filter(block -> block.startsWith(head)).map(block -> source(file, block)).toList(), classes);
    }

    private static String piece(String name, String block) {
        boolean hasOwnNode = Pattern.compile("(Node|var) node =").matcher(block).find();
        // Types stand outside of the method: sealed ones may not be local.
        String types = String.join("\n", TYPE.matcher(block).results().map(MatchResult::group).toList());
        return IMPORTS + "abstract class " + name + " {\n"
                + "abstract byte[] load(String key); abstract void write(String key, long token); abstract void show(Object... what);\n"
                + types + "void run(" + (hasOwnNode ? "" : "Node node") + ") throws Exception {\n" + TYPE.matcher(block).replaceAll("") + "}}";
    }

    private static List<String> compile(List<JavaFileObject> sources, Path classes, String... more) {
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        List<String> options = new ArrayList<>(List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")));
        options.addAll(List.of(more));
        ToolProvider.getSystemJavaCompiler().getTask(null, null, problems, options, null, sources).call();
        return problems.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(Object::toString)
                .toList();
    }

    private static JavaFileObject source(String file, String text) {
        return new SimpleJavaFileObject(URI.create("string:///" + file), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoresErrors) {
                return text;
            }
        };
    }
}
