package dev.tutti.study.node;

import dev.tutti.study.app.Databases;
import dev.tutti.study.app.DatabaseVisits;
import dev.tutti.study.app.HibernateStore;
import dev.tutti.study.app.HttpVisits;
import dev.tutti.study.app.JdbcStore;
import dev.tutti.study.app.NoStore;
import dev.tutti.study.app.Store;
import dev.tutti.study.app.StudyServlet;
import dev.tutti.study.app.Visits;
import dev.tutti.study.setup.Keeping;
import dev.tutti.study.setup.NodeSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import jakarta.servlet.SessionTrackingMode;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/**
 * The process of one node: a Tomcat with the application.
 *
 * <p>It prints {@code ready} when it serves, and ends when its standard input does: with its parent, too.
 */
public final class StudyNode {

    static final String CONTEXT = "/study";

    /** Path of the application. */
    public static final String PATH = CONTEXT + "/app";

    private StudyNode() {}

    /** Arguments: those of {@link NodeSettings}, behind the directory for files. */
    public static void main(String[] arguments) throws IOException, LifecycleException {
        Path directory = Path.of(arguments[0]);
        String[] rest = new String[arguments.length - 1];
        System.arraycopy(arguments, 1, rest, 0, rest.length);
        start(NodeSettings.parse(rest), directory);
        System.out.println("ready");
        System.in.transferTo(OutputStream.nullOutputStream());
        // Stopping gracefully would serve nobody: nothing of the study outlives it.
        Runtime.getRuntime().halt(0);
    }

    /** Starts a node in this process. */
    public static Tomcat start(NodeSettings settings, Path directory) throws IOException, LifecycleException {
        Store store = store(settings);
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(Files.createDirectories(directory).toString());
        Connector connector = new Connector();
        connector.setProperty("address", "127.0.0.1");
        connector.setPort(settings.httpPort());
        // Sessions are complete before the first request arrives.
        connector.setProperty("bindOnInit", "false");
        // No connection that the balancer keeps is closed under a request.
        connector.setProperty("keepAliveTimeout", "-1");
        connector.setProperty("maxKeepAliveRequests", "-1");
        tomcat.setConnector(connector);
        boolean isSticky = settings.configuration().isSticky();
        if (isSticky) {
            tomcat.getEngine().setJvmRoute(settings.name());
        }
        Context context = tomcat.addContext(CONTEXT, null);
        context.addServletContainerInitializer(
                (classes, servlets) -> servlets.setSessionTrackingModes(
                        EnumSet.of(SessionTrackingMode.COOKIE, SessionTrackingMode.URL)),
                null);
        Keeping keeping = settings.configuration().keeping();
        SessionKeeping.install(keeping, settings, tomcat, context);
        Visits visits = keeping == Keeping.DATABASE ? new DatabaseVisits(isSticky ? settings.name() : "") : new HttpVisits();
        StudyServlet servlet = new StudyServlet(store, visits, settings.stateBytes());
        Tomcat.addServlet(context, "study", servlet).addMapping("/app");
        tomcat.start();
        if (!context.getState().isAvailable()) {
            throw new IllegalStateException("the application did not start; its log has the reason");
        }
        return tomcat;
    }

    private static Store store(NodeSettings settings) {
        return switch (settings.configuration().access()) {
            case JDBC -> new JdbcStore(Databases.pool(settings.databaseUrl()));
            case HIBERNATE -> new HibernateStore(Databases.pool(settings.databaseUrl()));
            case NONE -> new NoStore();
        };
    }
}
