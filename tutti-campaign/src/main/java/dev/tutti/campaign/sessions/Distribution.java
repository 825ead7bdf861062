package dev.tutti.campaign.sessions;

import dev.tutti.campaign.host.ChaosException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** An unpacked distribution of Tomcat, with the bundle in its directory lib. */
final class Distribution {

    /** Name of the servlet's class; the servlet API is only present in the Tomcats. */
    private static final String SERVLET = "dev.tutti.campaign.sessions.webapp.ShopServlet";

    private static final String MANAGER_END = "</Context>";
    private static final String CLUSTER_START = "<Host name=\"localhost\"";
    private static final String HTTP_PORT = "port=\"8080\"";
    private static final String SHUTDOWN_PORT = "<Server port=\"8005\"";

    private final Path home;

    private Distribution(Path home) {
        this.home = home;
    }

    /**
     * Unpacks the distribution.
     *
     * @param files directory with the archive {@code tomcat.zip} and the jar {@code tutti-tomcat-bundle.jar}
     * @param target an empty directory
     */
    static Distribution unpack(Path files, Path target) {
        Path archive = files.resolve("tomcat.zip");
        Path bundle = files.resolve("tutti-tomcat-bundle.jar");
        for (Path file : List.of(archive, bundle)) {
            if (!Files.isReadable(file)) {
                throw new ChaosException(file + " is missing; ./tutti build makes it, or say with --files where it is");
            }
        }
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(archive))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                // Without the top directory of the archive.
                String name = entry.getName().substring(entry.getName().indexOf('/') + 1);
                Path path = target.resolve(name).normalize();
                if (!path.startsWith(target)) {
                    throw new ChaosException(archive + " has an entry outside of its directory: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(path);
                } else {
                    Files.createDirectories(path.getParent());
                    Files.copy(zip, path);
                }
            }
            Files.copy(bundle, target.resolve("lib").resolve(bundle.getFileName()));
        } catch (IOException e) {
            throw new UncheckedIOException("can't unpack " + archive, e);
        }
        return new Distribution(target);
    }

    Path home() {
        return home;
    }

    /**
     * Makes the files of one node ({@code CATALINA_BASE}): the unpacked configuration, with the node's place and its
     * session replication, and the test application.
     */
    void makeBase(Path base, Replication replication, int node, List<Place> places) {
        try {
            for (String directory : List.of("logs", "temp", "work", "webapps/shop/WEB-INF/classes", "webapps/shop/META-INF")) {
                Files.createDirectories(base.resolve(directory));
            }
            copy(home.resolve("conf"), base.resolve("conf"));
            Place place = places.get(node);
            String address = "address=\"" + place.host() + "\" port=\"" + place.httpPort() + "\"";
            Path server = base.resolve("conf/server.xml");
            Files.writeString(server, Files.readString(server)
                    .replace(SHUTDOWN_PORT, "<Server port=\"-1\"")
                    .replace(HTTP_PORT, address + " bindOnInit=\"false\"")
                    .replace(CLUSTER_START, replication.cluster(node, places) + CLUSTER_START));
            Path context = base.resolve("conf/context.xml");
            Files.writeString(context, Files.readString(context)
                    .replace(MANAGER_END, replication.manager(node, places) + "\n" + MANAGER_END));
            writeApplication(base.resolve("webapps/shop/WEB-INF"));
        } catch (IOException e) {
            throw new UncheckedIOException("can't make " + base, e);
        }
    }

    private static void writeApplication(Path directory) throws IOException {
        Files.writeString(directory.resolve("web.xml"), """
                <?xml version="1.0" encoding="UTF-8"?>
                <web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.1" metadata-complete="true">
                  <servlet><servlet-name>shop</servlet-name><servlet-class>%s</servlet-class></servlet>
                  <servlet-mapping><servlet-name>shop</servlet-name><url-pattern>/shop</url-pattern></servlet-mapping>
                  <distributable/>
                </web-app>
                """.formatted(SERVLET));
        String file = SERVLET.replace('.', '/') + ".class";
        Path path = directory.resolve("classes").resolve(file);
        Files.createDirectories(path.getParent());
        try (InputStream bytes = Distribution.class.getClassLoader().getResourceAsStream(file)) {
            if (bytes == null) {
                throw new IOException(file + " can't be read");
            }
            Files.copy(bytes, path, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Path copied = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(copied);
                } else {
                    Files.copy(path, copied);
                }
            }
        }
    }
}
