package dev.tutti.balancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.announce.message.WebContext;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.testing.Await;
import dev.tutti.testing.Ports;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** mod_cluster's own listener, in a real Tomcat, registers with the balancer. */
@Tag("slow")
class ModClusterTomcatTest {

    private static final int CLIENTS = 4;
    private static final String STRING = String.class.getName();

    @TempDir
    private Path base;

    private final HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();
    private int modClusterPort;
    private int jmxPort;
    private Process tomcat;

    @BeforeEach
    void start() throws IOException {
        modClusterPort = Ports.lasting();
        jmxPort = Ports.lasting();
        Files.createDirectories(base.resolve("conf"));
        Files.createDirectories(base.resolve("temp"));
        Files.writeString(base.resolve("conf/server.xml"), """
                <Server port="-1">
                  <Listener className="org.jboss.modcluster.container.catalina.standalone.ModClusterListener"
                            advertise="false" proxyList="127.0.0.1:%d" stickySession="true"/>
                  <Service name="Catalina">
                    <Connector port="%d" address="127.0.0.1" protocol="HTTP/1.1"/>
                    <Engine name="Catalina" defaultHost="localhost" jvmRoute="tomcat" backgroundProcessorDelay="1">
                      <Host name="localhost" appBase="webapps" autoDeploy="true"/>
                    </Engine>
                  </Service>
                </Server>
                """.formatted(modClusterPort, Ports.lasting()));
        deploy("shop");
        String java = System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
        tomcat = new ProcessBuilder(
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-Dcom.sun.management.jmxremote.host=127.0.0.1",
                        "-Dcom.sun.management.jmxremote.port=" + jmxPort,
                        "-Dcom.sun.management.jmxremote.authenticate=false",
                        "-Dcom.sun.management.jmxremote.ssl=false",
                        // Without, a TimeUnit is no argument.
                        "-Dcom.sun.management.jmxremote.serial.filter.pattern=*",
                        "-Djava.rmi.server.hostname=127.0.0.1",
                        "-Djava.io.tmpdir=" + base.resolve("temp"),
                        "-Dcatalina.base=" + base,
                        "-Dcatalina.home=" + base,
                        "-cp",
                        Path.of("target", "mod_cluster-tomcat").toAbsolutePath() + File.separator + "*",
                        "org.apache.catalina.startup.Bootstrap",
                        "start")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private void deploy(String name) throws IOException {
        // Complete before Tomcat looks: it deploys a directory as soon as it is there.
        Path made = Files.createDirectories(base.resolve("made-" + name).resolve("WEB-INF")).getParent();
        Files.writeString(made.resolve("text"), "tomcat");
        Files.writeString(made.resolve("WEB-INF/web.xml"), """
                <web-app xmlns="http://xmlns.jcp.org/xml/ns/javaee" version="3.1" metadata-complete="true">
                  <servlet>
                    <servlet-name>files</servlet-name>
                    <servlet-class>org.apache.catalina.servlets.DefaultServlet</servlet-class>
                  </servlet>
                  <servlet-mapping><servlet-name>files</servlet-name><url-pattern>/</url-pattern></servlet-mapping>
                </web-app>
                """);
        Files.createDirectories(base.resolve("webapps"));
        Files.move(made, base.resolve("webapps").resolve(name));
    }

    private void undeploy(String name) throws IOException {
        Path of = base.resolve("webapps").resolve(name);
        Files.move(of, base.resolve("gone-" + name));
    }

    @AfterEach
    void stop() {
        tomcat.destroyForcibly().onExit().join();
        client.close();
    }

    @Test
    void registersContextsAndIsDrainedByItsCommands() throws Exception {
        try (Node node = Node.local().name("front").cluster("mod-cluster-tomcat-test").start();
                Node member = Node.local().name("other").cluster("mod-cluster-tomcat-test").start();
                WebServer other = new WebServer("other");
                Balancer balancer = Balancer.open(node, Balancer.defaults()
                        .with(BalancerSettings.PORT, 0)
                        .with(BalancerSettings.CONSOLE_PORT, 0)
                        .with(BalancerSettings.MOD_CLUSTER_PORT, modClusterPort))) {
            Await.until("the shop is served", () -> "tomcat".equals(body(balancer, "/shop/text", "")));
            deploy("blog");
            Await.until("the blog has come", () -> "tomcat".equals(body(balancer, "/blog/text", "")));
            undeploy("blog");
            Await.until("the blog has gone", () -> "status 404".equals(body(balancer, "/blog/text", "")));

            command("disableContext", new Object[] {"localhost", "/shop"}, STRING, STRING);
            assertThat(body(balancer, "/shop/text", "")).isEqualTo("status 503");
            assertThat(body(balancer, "/shop/text", "1.tomcat")).isEqualTo("tomcat");
            command("enableContext", new Object[] {"localhost", "/shop"}, STRING, STRING);
            assertThat(body(balancer, "/shop/text", "")).isEqualTo("tomcat");

            other.announce(member, WebContext.of("/shop")).open();
            Await.until("the other is there", () -> balancer.routes().size() == 2);
            stopUnderLoad(balancer);
            assertThat(body(balancer, "/shop/text", "1.tomcat")).isEqualTo("other");
            command("enable", new Object[0]);
            assertThat(body(balancer, "/shop/text", "1.tomcat")).isEqualTo("tomcat");
        }
    }

    private void stopUnderLoad(Balancer balancer) throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger done = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(CompletableFuture.runAsync(
                    () -> {
                        while (!isOver.get()) {
                            if (body(balancer, "/shop/text", "1.tomcat").startsWith("status")) {
                                failed.incrementAndGet();
                            }
                            done.incrementAndGet();
                        }
                    },
                    task -> Thread.ofVirtual().start(task)));
        }
        try {
            Await.until("requests are served", () -> done.get() > 50);
            command("stop", new Object[] {10L, TimeUnit.SECONDS}, "long", TimeUnit.class.getName());
            int mark = done.get();
            Await.until("requests are served elsewhere", () -> done.get() > mark + 50);
        } finally {
            isOver.set(true);
        }
        for (CompletableFuture<Void> each : clients) {
            each.get();
        }
        assertThat(failed.get()).isZero();
    }

    /** Runs an operation of the listener's MBean. */
    private void command(String name, Object[] arguments, String... types) throws Exception {
        JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + jmxPort + "/jmxrmi");
        try (JMXConnector connector = JMXConnectorFactory.connect(url)) {
            MBeanServerConnection beans = connector.getMBeanServerConnection();
            assertThat(beans.invoke(new ObjectName("Catalina:type=ModClusterListener"), name, arguments, types)).isEqualTo(true);
        }
    }

    private String body(Balancer balancer, String path, String session) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(balancer.url() + path));
        if (!session.isEmpty()) {
            request.header("Cookie", "JSESSIONID=" + session);
        }
        try {
            HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
            return response.statusCode() == 200 ? response.body() : "status " + response.statusCode();
        } catch (IOException e) {
            return "status none";
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
