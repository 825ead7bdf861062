package dev.tutti.console;

import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import java.time.Duration;
import java.util.List;

/** Settings of the console. */
public final class ConsoleSettings {

    private ConsoleSettings() {}

    public static final Setting<Boolean> ENABLED = Setting.flag(
            "console.enabled", false, "Serves the console from nodes of the command line; 'tutti console' always does.");

    public static final Setting<String> ADDRESS = Setting.text(
            "console.address",
            "LOOPBACK",
            "Address to listen on, as in bind.address: LOOPBACK, SITE_LOCAL, ANY, an address, eth* for example. Anything but loopback needs TLS, or"
                    + " console.insecure.");

    public static final Setting<Integer> PORT =
            Setting.count("console.port", 7_880, 0, 65_535, "Port of the console; 0 takes any free one.");

    public static final Setting<Integer> PORT_RANGE =
            Setting.count("console.port-range", 9, 0, 1_000, "Number of further ports to try when console.port is in use.");

    public static final Setting<Integer> HEALTH_PORT = Setting.count(
            "console.health-port",
            -1,
            -1,
            65_535,
            "Port that answers /health and /ready alone, with connections and a thread of its own, so that nothing that is done to the"
                    + " console makes them unreachable; -1 is none, 0 takes any free one. The console answers them at its own port,"
                    + " too.");

    public static final Setting<List<String>> HOSTS = Setting.list(
            "console.hosts",
            "Names by which browsers may ask for the console, beside localhost and addresses. Requests"
                    + " for other names are refused, so that no page elsewhere can pass for this one.");

    public static final Setting<Boolean> INSECURE =
            Setting.flag("console.insecure", false, "Allows addresses other than loopback without TLS.");

    public static final Setting<String> TLS_CERTIFICATE =
            Setting.text("console.tls-certificate", "", "PEM file with the certificate chain that browsers see.");

    public static final Setting<String> TLS_KEY =
            Setting.text("console.tls-key", "", "PEM file with the private key of console.tls-certificate.");

    public static final Setting<String> TOKEN_FILE = Setting.text(
            "console.token-file",
            "",
            "File with the token that opens the console: at least 16 characters. Empty makes a new one at each start, and"
                    + " prints a link that is good once.");

    public static final Setting<Role> TOKEN_ROLE = Setting.choice(
            "console.token-role",
            Role.class,
            Role.READER,
            "Role of those who log in by the token or by the printed link: reader sees what there is, operator may also act on members"
                    + " that permit it.");

    public static final Setting<String> USERS_FILE = Setting.text(
            "console.users-file",
            "",
            "File with users, their roles and the hashes of their passwords, which only its owner may read; made by 'tutti console user"
                    + " add'. Read again when it changes. Empty for none.");

    public static final Setting<String> OIDC_ISSUER = Setting.text(
            "console.oidc-issuer",
            "",
            "Issuer of a provider of OpenID Connect whose people may log in: https://login.example/realms/ops for example, exactly as the provider"
                    + " spells it. Empty for none. Needs console.oidc-client-id.");

    public static final Setting<String> OIDC_CLIENT_ID =
            Setting.text("console.oidc-client-id", "", "Name of this console at the provider: its client.");

    public static final Setting<String> OIDC_SECRET_FILE = Setting.text(
            "console.oidc-secret-file",
            "",
            "File with the secret of the client, which only its owner may read. Empty for a client without a secret, which has PKCE alone.");

    public static final Setting<List<String>> OIDC_SCOPES = Setting.list(
            "console.oidc-scopes", "Scopes that the provider is asked for; openid is always among them. Empty for openid and profile.");

    public static final Setting<String> OIDC_NAME_CLAIM = Setting.text(
            "console.oidc-name-claim",
            "preferred_username",
            "Claim of the ID token with the name of a person, for events and the log; if it has none that can be shown, it is sub.");

    public static final Setting<String> OIDC_ROLE_CLAIM = Setting.text(
            "console.oidc-role-claim",
            "roles",
            "Claim of the ID token with the texts that name a person's role: a text, or a list of texts. Dots lead into nested claims, such as"
                    + " realm_access.roles.");

    public static final Setting<List<String>> OIDC_OPERATORS = Setting.list(
            "console.oidc-operators", "Texts of console.oidc-role-claim whose people are operators.");

    public static final Setting<List<String>> OIDC_READERS =
            Setting.list("console.oidc-readers", "Texts of console.oidc-role-claim whose people are readers. People with no such text are not let in.");

    public static final Setting<String> OIDC_REDIRECT = Setting.text(
            "console.oidc-redirect",
            "",
            "Address of this console's page /login/callback as browsers reach it, for a console behind a proxy: https://console.example/login/callback."
                    + " Empty for the address by which the browser has asked. The provider has to know it.");

    public static final Setting<String> OIDC_AUTHORITY = Setting.text(
            "console.oidc-authority",
            "",
            "PEM file with the authorities that may have signed the provider's certificate. Empty for those that the JVM trusts.");

    public static final Setting<Duration> SESSION = Setting.duration(
            "console.session",
            Duration.ofHours(12),
            Duration.ofSeconds(1),
            Duration.ofDays(30),
            "Lifetime of a log-in.");

    public static final Setting<Integer> CONNECTIONS_MAX =
            Setting.count("console.connections-max", 64, 4, 10_000, "Connections at a time, half of them from one address; beyond, the one that has been idle for longest is closed.");

    public static final Setting<Integer> BROWSERS_MAX =
            Setting.count("console.browsers-max", 16, 1, 1_000, "Pages that are kept up to date at a time.");

    public static final Setting<Size> BROWSER_BUFFER = Setting.size(
            "console.browser-buffer",
            Size.mebibytes(1),
            Size.kibibytes(64),
            Size.mebibytes(64),
            "Bytes that may wait for a browser that reads slowly. It misses figures first, and is disconnected in the end.");

    public static final Setting<Duration> REQUEST_TIMEOUT = Setting.duration(
            "console.request-timeout",
            Duration.ofSeconds(10),
            Duration.ofMillis(100),
            Duration.ofMinutes(1),
            "Time that a browser may take for a request, for reading an answer, and between two requests.");

    public static final Setting<Duration> INTERVAL = Setting.duration(
            "console.interval",
            Duration.ofSeconds(1),
            Duration.ofMillis(200),
            Duration.ofMinutes(1),
            "Interval at which all members are asked for figures while a page is open; events are asked for twice as often."
                    + " While no page is open, console.background-interval counts.");

    public static final Setting<Duration> BACKGROUND_INTERVAL = Setting.duration(
            "console.background-interval",
            Duration.ofSeconds(30),
            Duration.ZERO,
            Duration.ofHours(1),
            "Interval at which all members are asked for figures while no page is open, for the charts of hours and of a day and for alerts;"
                    + " 0 ms asks nobody then.");

    public static final Setting<Duration> HISTORY = Setting.duration(
            "console.history",
            Duration.ofMinutes(10),
            Duration.ofMinutes(1),
            Duration.ofHours(2),
            "Time span of the charts that have all figures; those of two hours and of a day have means of 15 s and of 2 min.");

    public static final Setting<List<String>> ALERTS = Setting.list(
            "console.alerts",
            "Rules of alerts, which are sent to console.webhook: split, silent, health or site; or cpu, heap, unstable, retained, repairs,"
                    + " delivered, out, in or problems of a member with > or < and a value; each may end in a time that it has to last:"
                    + " silent for 10 s, heap > 90 % for 1 min, unstable > 100 MiB.");

    public static final Setting<String> WEBHOOK = Setting.secret(
            "console.webhook",
            "Address to which alerts are posted as JSON: https://alerts.example/tutti for example. Not shown, as many contain a secret.");

    public static final Setting<String> WEBHOOK_TOKEN_FILE = Setting.text(
            "console.webhook-token-file",
            "",
            "File with a token that is sent to console.webhook as Authorization: Bearer, which only its owner may read.");

    public static final Setting<Duration> WEBHOOK_TIMEOUT = Setting.duration(
            "console.webhook-timeout",
            Duration.ofMinutes(5),
            Duration.ofSeconds(1),
            Duration.ofHours(24),
            "Time for which an alert that the other side does not take is sent again, with growing pauses; then it is dropped and counted.");

    /** All settings of the console. */
    public static final List<Setting<?>> ALL = List.of(
            ENABLED,
            ADDRESS,
            PORT,
            PORT_RANGE,
            HEALTH_PORT,
            HOSTS,
            INSECURE,
            TLS_CERTIFICATE,
            TLS_KEY,
            TOKEN_FILE,
            TOKEN_ROLE,
            USERS_FILE,
            OIDC_ISSUER,
            OIDC_CLIENT_ID,
            OIDC_SECRET_FILE,
            OIDC_SCOPES,
            OIDC_NAME_CLAIM,
            OIDC_ROLE_CLAIM,
            OIDC_OPERATORS,
            OIDC_READERS,
            OIDC_REDIRECT,
            OIDC_AUTHORITY,
            SESSION,
            CONNECTIONS_MAX,
            BROWSERS_MAX,
            BROWSER_BUFFER,
            REQUEST_TIMEOUT,
            INTERVAL,
            BACKGROUND_INTERVAL,
            HISTORY,
            ALERTS,
            WEBHOOK,
            WEBHOOK_TOKEN_FILE,
            WEBHOOK_TIMEOUT);

    /**
     * Returns the specification with these settings added: {@code Node.of(ConsoleSettings.addTo(Node.defaults()))} is a
     * node whose file, properties ({@code tutti.console.port}) and variables ({@code TUTTI_CONSOLE_PORT}) configure its
     * console.
     */
    public static NodeSpec addTo(NodeSpec spec) {
        return spec.withNodeDefinitions(ALL);
    }

    /** Returns the console's settings among those of a node; defaults for those that are not set. */
    public static Settings of(Settings node) {
        return Settings.of(ALL).withAll(node);
    }
}
