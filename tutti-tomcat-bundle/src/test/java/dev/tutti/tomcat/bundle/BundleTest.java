package dev.tutti.tomcat.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The jar that goes into Tomcat's directory lib. */
class BundleTest {

    private JarFile bundle;

    @BeforeEach
    void open() throws IOException {
        bundle = new JarFile(Path.of(System.getProperty("tutti.bundle")).toFile());
    }

    @AfterEach
    void close() throws IOException {
        bundle.close();
    }

    private List<String> names() {
        return bundle.stream().filter(entry -> !entry.isDirectory()).map(JarEntry::getName).toList();
    }

    private String text(String name) throws IOException {
        try (InputStream bytes = bundle.getInputStream(bundle.getEntry(name))) {
            return new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void hasNoClassOutsideOfItsOwnPackages() {
        assertThat(names().stream().filter(name -> name.endsWith(".class") && !name.startsWith("dev/tutti/"))).isEmpty();
        assertThat(names()).contains(
                "dev/tutti/tomcat/TuttiManager.class",
                "dev/tutti/shaded/io/netty/channel/Channel.class",
                "dev/tutti/shaded/org/slf4j/Logger.class");
    }

    @Test
    void hasNothingOfTomcat() {
        assertThat(names().stream().filter(name -> name.contains("catalina") || name.contains("jakarta"))).isEmpty();
    }

    @Test
    void findsItsDriverAndItsLogUnderTheirNewNames() throws IOException {
        TreeSet<String> services = new TreeSet<>();
        names().stream().filter(name -> name.startsWith("META-INF/services/")).forEach(services::add);
        assertThat(services).containsExactly(
                "META-INF/services/dev.tutti.core.discovery.DiscoveryProvider",
                "META-INF/services/dev.tutti.core.driver.DriverProvider",
                "META-INF/services/dev.tutti.core.metrics.MetricsProvider",
                "META-INF/services/dev.tutti.shaded.org.slf4j.spi.SLF4JServiceProvider",
                "META-INF/services/javax.naming.spi.InitialContextFactory");
        for (String service : services) {
            assertThat(text(service).lines().filter(line -> !line.isBlank()))
                    .isNotEmpty()
                    .allMatch(line -> names().contains(line.replace('.', '/') + ".class"));
        }
    }

    @Test
    void listsEveryArtifactWithItsVersionAndLicence() throws IOException {
        String list = text("META-INF/tutti/bundle.txt");
        List<String> properties = names().stream().filter(name -> name.endsWith("/pom.properties")).toList();
        assertThat(properties).hasSizeGreaterThan(15);
        for (String name : properties) {
            Properties artifact = new Properties();
            try (InputStream bytes = bundle.getInputStream(bundle.getEntry(name))) {
                artifact.load(bytes);
            }
            String id = artifact.getProperty("artifactId");
            boolean isInNetty = id.startsWith("jctools");
            String version = isInNetty ? "in Netty" : artifact.getProperty("version");
            String line = id.equals("tutti-tomcat-bundle")
                    ? id + " " + version + ": .*"
                    : artifact.getProperty("groupId") + ":" + id + " +" + version + " +(Apache-2.0|MIT) +dev\\.tutti.*";
            assertThat(list.lines()).as(line).anyMatch(each -> each.matches(line));
        }
        assertThat(names()).contains("META-INF/LICENSE", "META-INF/NOTICE", "META-INF/tutti/licenses/slf4j.txt");
        assertThat(list).doesNotContain("${");
    }

    @Test
    void tellsItsVersion() throws IOException {
        var attributes = bundle.getManifest().getMainAttributes();
        assertThat(attributes.getValue("Implementation-Title")).isEqualTo("tutti-tomcat-bundle");
        assertThat(text("META-INF/tutti/bundle.txt"))
                .startsWith("tutti-tomcat-bundle " + attributes.getValue("Implementation-Version") + ": ");
    }
}
