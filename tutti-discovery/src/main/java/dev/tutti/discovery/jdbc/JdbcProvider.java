package dev.tutti.discovery.jdbc;

import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.PrivateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.List;
import java.util.Optional;

/** Opens the table {@code discovery.jdbc.table} of the database at {@code discovery.jdbc.url}. */
public final class JdbcProvider implements DiscoveryProvider {

    public static final Setting<String> URL = Setting.text(
            "discovery.jdbc.url",
            "",
            "Database with a table of all nodes, as JDBC writes it: jdbc:postgresql://db/app. Its driver is on the class path.");

    public static final Setting<String> USER =
            Setting.text("discovery.jdbc.user", "", "User of the database; may read, write and, the first time, create the table.");

    public static final Setting<String> PASSWORD_FILE = Setting.text(
            "discovery.jdbc.password-file",
            "",
            "File with the password of the database's user; read again for each connection. Only its owner may read it.");

    public static final Setting<String> TABLE = Setting.text(
            "discovery.jdbc.table", "tutti_nodes", "Table of the nodes; the first node creates it.");

    @Override
    public String kind() {
        return "jdbc";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(URL, USER, PASSWORD_FILE, TABLE);
    }

    @Override
    public Optional<DiscoverySource> open(Settings settings) {
        String url = settings.get(URL);
        if (url.isEmpty()) {
            return Optional.empty();
        }
        String user = settings.get(USER);
        String file = settings.get(PASSWORD_FILE);
        if (user.isEmpty() && !file.isEmpty()) {
            throw new SettingException(PASSWORD_FILE.name() + " is set and " + USER.name() + " is not");
        }
        JdbcDiscovery.Connector connector = () -> user.isEmpty()
                ? DriverManager.getConnection(url)
                : DriverManager.getConnection(url, user, password(file));
        return Optional.of(new JdbcDiscovery(connector, settings.get(TABLE)));
    }

    private static String password(String file) throws IOException {
        if (file.isEmpty()) {
            return "";
        }
        PrivateFile.check(Path.of(file));
        return Files.readString(Path.of(file)).strip();
    }
}
