package dev.tutti.study.node;

import dev.tutti.study.app.Databases;
import dev.tutti.study.setup.Access;
import dev.tutti.study.setup.Configuration;
import dev.tutti.study.setup.Keeping;
import dev.tutti.study.setup.NodeSettings;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;

/** A node in this process, with a database in its memory. */
public final class OneNode implements AutoCloseable {

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID();
    private final Connection keepsTheDatabase;
    private final Tomcat tomcat;

    /** Starts it. */
    public OneNode(Keeping keeping, Access access, boolean isSticky, Path directory) throws Exception {
        keepsTheDatabase = Databases.connect(url);
        Databases.createTables(url);
        Configuration configuration = new Configuration("test", keeping, isSticky, access, 0);
        tomcat = StudyNode.start(new NodeSettings(configuration, 0, 0, List.of(0), 0, url, 64), directory);
    }

    public String url() {
        return url;
    }

    /** Returns the address of the application. */
    public URI address() {
        return URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + StudyNode.PATH);
    }

    @Override
    public void close() throws LifecycleException, SQLException {
        tomcat.stop();
        tomcat.destroy();
        keepsTheDatabase.close();
    }
}
