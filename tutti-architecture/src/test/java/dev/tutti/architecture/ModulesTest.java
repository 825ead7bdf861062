package dev.tutti.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ModulesTest {

    private static final String FIXTURE = "dev.tutti.architecture.fixture.";

    @Test
    void seeOnlyWhatTheHousePlanDraws() {
        assertThat(Product.CLASSES).hasSizeGreaterThan(50);
        assertThat(new Modules("dev.tutti.").violations(Product.CLASSES)).isEmpty();
    }

    /** Public packages with internals of their own, which return and take their types. No other circle stands. */
    private static final Set<List<String>> CIRCLES = Set.of(
            List.of(
                    "dev.tutti",
                    "dev.tutti.internal",
                    "dev.tutti.internal.admission",
                    "dev.tutti.internal.delivery",
                    "dev.tutti.internal.diagnostics",
                    "dev.tutti.internal.discovery",
                    "dev.tutti.internal.group",
                    "dev.tutti.internal.inspection",
                    "dev.tutti.internal.settings",
                    "dev.tutti.internal.state",
                    "dev.tutti.internal.submission"),
            List.of("dev.tutti.console", "dev.tutti.console.internal"),
            List.of(
                    "dev.tutti.stomp",
                    "dev.tutti.stomp.internal.broker",
                    "dev.tutti.stomp.internal.codec",
                    "dev.tutti.stomp.internal.session"));

    @Test
    void haveNoCirclesOfPackages() {
        assertThat(new Packages("dev.tutti.", Product.CLASSES).circles()).containsExactlyInAnyOrderElementsOf(CIRCLES);
    }

    @Test
    void areReportedForCirclesOfPackages() {
        JavaClasses classes = new ClassFileImporter().importPackages(FIXTURE.substring(0, FIXTURE.length() - 1));
        assertThat(new Packages(FIXTURE, classes).circles())
                .containsExactly(List.of(FIXTURE + "netty", FIXTURE + "protocols"));
    }

    @Test
    void areReportedWhenTheySeeMore() {
        JavaClasses classes = new ClassFileImporter().importPackages(FIXTURE.substring(0, FIXTURE.length() - 1));
        Set<String> violations = new Modules(FIXTURE).violations(classes);
        assertThat(violations).anyMatch(line -> line.startsWith("protocols must not see " + FIXTURE + "netty.Socket"));
        assertThat(violations).anyMatch(line -> line.startsWith("netty must not see " + FIXTURE + "protocols.Layer"));
        assertThat(violations).anyMatch(line -> line.startsWith("api must not see " + FIXTURE + "netty.Socket"));
        assertThat(violations).anyMatch(line -> line.startsWith("core must not see org.slf4j.Logger"));
        assertThat(violations).noneMatch(line -> line.contains("must not see " + FIXTURE + "core"));
    }

    @Test
    void requireOnlyJavaBaseInCoreAndOnlyCoreInProtocols() {
        Map<String, Set<String>> required = required();
        assertThat(required.get("dev.tutti.core")).containsExactlyInAnyOrder("java.base", "org.jspecify");
        assertThat(required.get("dev.tutti.protocols"))
                .containsExactlyInAnyOrder("java.base", "org.jspecify", "dev.tutti.core");
        assertThat(required.get("dev.tutti")).doesNotContain("dev.tutti.netty", "dev.tutti.sim");
        assertThat(required.get("dev.tutti.netty")).doesNotContain("dev.tutti.protocols", "dev.tutti");
    }

    @Test
    void areAllLookedAt() throws IOException {
        Set<String> present = new TreeSet<>();
        try (var directories = Files.newDirectoryStream(Path.of(".."), "tutti-*")) {
            for (Path directory : directories) {
                Path info = directory.resolve("src/main/java/module-info.java");
                if (Files.exists(info)) {
                    present.add(directory.getFileName().toString());
                }
            }
        }
        Set<String> lookedAt = descriptors().keySet().stream()
                .map(name -> name.equals("dev.tutti") ? "tutti-api" : name.replace("dev.tutti.", "tutti-").replace('.', '-'))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(lookedAt).as("dependencies of tutti-architecture").isEqualTo(present);
    }

    @Test
    void exportNoInternalPackageToEverybody() {
        Set<String> exported = new TreeSet<>();
        for (ModuleDescriptor descriptor : descriptors().values()) {
            for (ModuleDescriptor.Exports exports : descriptor.exports()) {
                if (exports.source().contains("internal") && !exports.isQualified()) {
                    exported.add(exports.source());
                }
            }
        }
        assertThat(exported).isEmpty();
    }

    @Test
    void haveNamesIfTheyArePublished() throws IOException {
        Set<String> published = new TreeSet<>();
        Set<String> nameless = new TreeSet<>();
        try (var directories = Files.newDirectoryStream(Path.of(".."), "tutti-*")) {
            for (Path directory : directories) {
                String pom = Files.readString(directory.resolve("pom.xml"));
                if (pom.contains("<maven.deploy.skip>true<") || pom.contains("<packaging>pom<")) {
                    continue;
                }
                published.add(directory.getFileName().toString());
                if (!pom.contains("<Automatic-Module-Name>")
                        && !Files.exists(directory.resolve("src/main/java/module-info.java"))) {
                    nameless.add(directory.getFileName().toString());
                }
            }
        }
        assertThat(published).contains("tutti-api", "tutti-spring", "tutti-tomcat-bundle").doesNotContain("tutti-bench", "tutti-testing");
        assertThat(nameless).isEmpty();
    }

    private static Map<String, Set<String>> required() {
        Map<String, Set<String>> required = new TreeMap<>();
        descriptors().forEach((name, descriptor) -> required.put(
                name,
                descriptor.requires().stream()
                        .map(ModuleDescriptor.Requires::name)
                        .collect(Collectors.toCollection(TreeSet::new))));
        return required;
    }

    /** The modules of this project that have a descriptor, on the class path of this test; others are jars or classes, whichever was built last. */
    private static Map<String, ModuleDescriptor> descriptors() {
        Map<String, ModuleDescriptor> descriptors = new TreeMap<>();
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(path -> path.toString().contains("tutti"))
                .filter(path -> !path.toString().contains("test-classes"))
                .filter(Files::exists)
                .flatMap(path -> ModuleFinder.of(path).findAll().stream())
                .map(ModuleReference::descriptor)
                .filter(descriptor -> descriptor.name().startsWith("dev.tutti") && !descriptor.isAutomatic())
                .forEach(descriptor -> descriptors.put(descriptor.name(), descriptor));
        assertThat(descriptors).containsKeys("dev.tutti.core", "dev.tutti.protocols", "dev.tutti", "dev.tutti.netty");
        return descriptors;
    }
}
