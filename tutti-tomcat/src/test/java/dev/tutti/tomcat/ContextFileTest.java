package dev.tutti.tomcat;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.ContextConfig;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One element in an application's context file. */
class ContextFileTest {

    @TempDir
    Path directory;

    @Test
    void managerElementIsAllThatIsNeeded() throws Exception {
        Path file = directory.resolve("context.xml");
        Files.writeString(file, """
                <Context>
                  <Manager className="dev.tutti.tomcat.TuttiManager" port="0" nodeName="from file" cluster="shop"
                           allowedClasses="com.shop.**, com.other.Cart" saveMode="always" acknowledgement="one"
                           acknowledgementTimeout="3 s" processExpiresFrequency="1" maxActiveSessions="50"
                           settings="detection.heartbeat=500 ms;window=1 MiB"/>
                </Context>
                """);
        Tomcat tomcat = new Tomcat();
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
        context.setConfigFile(file.toUri().toURL());
        tomcat.getHost().addChild(context);
        tomcat.start();
        try {
            assertThat(context.getState().isAvailable()).isTrue();
            assertThat(context.getManager()).isInstanceOf(TuttiManager.class);
            TuttiManager manager = (TuttiManager) context.getManager();
            assertThat(manager.saveMode()).isEqualTo(SaveMode.ALWAYS);
            assertThat(manager.getMaxActiveSessions()).isEqualTo(50);
            assertThat(manager.status().get("members").toString()).isEqualTo("[from file]");
            assertThat(context.getPipeline().getFirst()).isInstanceOf(ReplicationValve.class);
            Object text = ManagementFactory.getPlatformMBeanServer()
                    .getAttribute(manager.getObjectName(), "statusText");
            assertThat(text.toString()).contains("condition: joined").contains("wait-timeouts: 0");
        } finally {
            tomcat.stop();
            tomcat.destroy();
        }
    }
}
