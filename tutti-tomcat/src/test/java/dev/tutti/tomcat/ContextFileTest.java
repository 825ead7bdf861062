package dev.tutti.tomcat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.tomcat.node.NodeOptions;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.ContextConfig;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Configuration by one element in an application's context file. */
class ContextFileTest {

    private static final Logger TOMCAT_LOG = Logger.getLogger("org.apache");

    @TempDir
    Path directory;

    private final Tomcat tomcat = new Tomcat();
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final Handler log = new Handler() {
        @Override
        public void publish(LogRecord logged) {
            for (Throwable each = logged.getThrown(); each != null; each = each.getCause()) {
                failures.add(each.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        TOMCAT_LOG.setLevel(Level.SEVERE);
        TOMCAT_LOG.addHandler(log);
    }

    @AfterEach
    void stop() throws Exception {
        TOMCAT_LOG.removeHandler(log);
        tomcat.stop();
        tomcat.destroy();
    }

    private StandardContext start(String attributes) throws Exception {
        Path file = directory.resolve("context.xml");
        Files.writeString(file, """
                <Context>
                  <Manager className="dev.tutti.tomcat.TuttiManager" port="0" %s/>
                </Context>
                """.formatted(attributes));
        tomcat.setBaseDir(directory.resolve("base").toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        ContextConfig config = new ContextConfig();
        config.setDefaultWebXml(tomcat.noDefaultWebXmlPath());
        StandardContext context = new StandardContext();
        context.setName("");
        context.setPath("");
        context.setDocBase(Files.createDirectories(directory.resolve("app")).toString());
        context.addLifecycleListener(config);
        context.getJarScanner().setJarScanFilter((type, jar) -> false);
        context.setConfigFile(file.toUri().toURL());
        tomcat.getHost().addChild(context);
        tomcat.start();
        return context;
    }

    @Test
    void managerElementIsAllThatIsNeeded() throws Exception {
        StandardContext context = start("""
                nodeName="from file" cluster="shop" insecure="false"
                allowedClasses="com.shop.**, com.other.Cart" saveMode="always" acknowledgement="one"
                acknowledgementTimeout="3 s" processExpiresFrequency="1" maxActiveSessions="50"
                joinPatience="5 s" stopTimeout="5 s" pathname=""
                settings="detection.heartbeat=500 ms;window=1 MiB"
                """);
        assertThat(context.getState().isAvailable()).isTrue();
        assertThat(context.getManager()).isInstanceOf(TuttiManager.class);
        TuttiManager manager = (TuttiManager) context.getManager();
        assertThat(manager.saveMode()).isEqualTo(SaveMode.ALWAYS);
        assertThat(manager.getMaxActiveSessions()).isEqualTo(50);
        assertThat(manager.status().get("members").toString()).isEqualTo("[from file]");
        assertThat(context.getPipeline().getFirst()).isInstanceOf(ReplicationValve.class);
        Object text =
                ManagementFactory.getPlatformMBeanServer().getAttribute(manager.getObjectName(), "statusText");
        assertThat(text.toString()).contains("condition: joined").contains("wait-timeouts: 0");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            textBlock = """
            copies="1"                    | copies="1": neither all nor a number of nodes from 2 to 99
            saveMode="sometimes"          | saveMode="sometimes": not one of on-set, on-get, always
            acknowledgement="most"        | acknowledgement="most": not one of all, one, none
            seed="10.0.0.1:7800"          | there is no attribute seed; did you mean 'seeds'?
            acknowledgmentTimeout="2 s"   | there is no attribute acknowledgmentTimeout; did you mean 'acknowledgementTimeout'?
            queryTimeout="soon"           | queryTimeout="soon": 'soon' is not a duration such as 250 ms or 3 s
            queryTimeout="5 parsec"       | queryTimeout="5 parsec": '5 parsec' has the unit 'parsec'; a duration has ns, us, ms, s, min or h
            maxActiveSessions="many"      | maxActiveSessions="many" is not a whole number
            insecure="yes"                | insecure="yes": neither true nor false
            settings="window"             | 'window' is not name=value
            settings="detection.hartbeat=1 s" | did you mean 'detection.heartbeat'?
            secretFile="/nowhere/at/all"  | security.secret-file: /nowhere/at/all
            allowedClasses="com..shop"    | allowedClasses="com..shop"
            sessionAttributeNameFilter="[" | sessionAttributeNameFilter="[": Unclosed character class
            """)
    void wrongAttributeStopsTheApplicationAndSaysWhatWouldBeRight(String attributes, String message) throws Exception {
        StandardContext context = start(attributes);
        assertThat(context.getState().isAvailable()).isFalse();
        assertThat(failures).anySatisfy(failure -> assertThat(failure).contains(message));
    }

    @Test
    void allWrongAttributesAreToldTogether() throws Exception {
        start("saveMode=\"sometimes\" seed=\"10.0.0.1:7800\" queryTimeout=\"soon\"");
        assertThat(failures).anySatisfy(failure ->
                assertThat(failure).contains("saveMode=").contains("'seeds'").contains("queryTimeout="));
    }

    @Test
    void valueOfAnUnknownAttributeIsNotTold() throws Exception {
        start("secrets=\"q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0Gj\"");
        assertThat(failures).anySatisfy(failure -> assertThat(failure).contains("did you mean 'secret'?"));
        assertThat(failures).noneSatisfy(failure -> assertThat(failure).contains("q7Rk2-Vd9Zp4"));
    }

    @Test
    void secretIsReadFromAPrivateFileAndNotShown() throws Exception {
        Path file = Files.writeString(directory.resolve("secret"), "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0Gj\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        StandardContext context = start("secretFile=\"" + file + "\"");
        assertThat(context.getState().isAvailable()).isTrue();
        assertThat(((TuttiManager) context.getManager()).getStatusText()).doesNotContain("q7Rk2-Vd9Zp4");
    }

    @Test
    void secretFileThatOthersCanReadIsRefused() throws Exception {
        Path file = Files.writeString(directory.resolve("secret"), "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0Gj\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(start("secretFile=\"" + file + "\"").getState().isAvailable()).isFalse();
        assertThat(failures).anySatisfy(failure -> assertThat(failure).contains("chmod 600 " + file));
    }

    @Test
    void setterThatFailsAlsoThrows() {
        TuttiManager manager = new TuttiManager();
        assertThatThrownBy(() -> manager.setSaveMode("sometimes")).hasMessageContaining("on-set, on-get, always");
        assertThatThrownBy(() -> manager.setPort(70_000)).hasMessageContaining("0 to 65535");
        NodeOptions options = new NodeOptions(
                0, false, "", new TreeMap<>(Map.of("security.secret", "horse", "secret", "horse")), null);
        assertThat(options.toString()).doesNotContain("horse");
    }
}
