package dev.tutti.study.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.h2.engine.Constants;
import org.h2.tools.Server;

/** H2 as a server in a process of its own. */
final class H2Server implements DatabaseServer {

    private final Child process;
    private final String url;

    H2Server(Path directory) {
        int port = Ports.free(1).getFirst();
        // A commit is in the file before it is confirmed.
        url = "jdbc:h2:tcp://127.0.0.1:" + port + "/study;WRITE_DELAY=0";
        process = Child.java(
                "H2",
                "-Xmx256m",
                Main.class,
                List.of(Integer.toString(port), directory.resolve("h2").toString()),
                directory.resolve("database.log"));
    }

    @Override
    public String product() {
        return "H2 " + Constants.VERSION;
    }

    @Override
    public boolean isDurable() {
        return false;
    }

    @Override
    public String url() {
        return url;
    }

    @Override
    public void start() {
        process.start();
        process.awaitReady();
        DatabaseServer.await(url, () -> {});
    }

    @Override
    public void kill() {
        process.kill();
    }

    @Override
    public double cpuSeconds() {
        return process.cpuSeconds();
    }

    @Override
    public void close() {
        process.close();
    }

    /** Its process. Arguments: port and directory. */
    public static final class Main {

        private Main() {}

        /** Runs the server until the standard input ends. */
        public static void main(String[] arguments) throws SQLException, IOException {
            Server.createTcpServer("-tcpPort", arguments[0], "-baseDir", arguments[1], "-ifNotExists").start();
            System.out.println("ready");
            System.in.transferTo(OutputStream.nullOutputStream());
            Runtime.getRuntime().halt(0);
        }
    }
}
