package dev.tutti.console.internal;

import dev.tutti.Operations;
import dev.tutti.blocks.inspection.DataQuery;
import dev.tutti.console.ConsoleSettings;
import dev.tutti.console.Role;
import dev.tutti.console.internal.alerts.AlertRule;
import dev.tutti.console.internal.alerts.Alerts;
import dev.tutti.console.internal.alerts.Webhook;
import dev.tutti.look.Assets;
import dev.tutti.console.internal.oidc.SingleSignOn;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.PrivateFile;
import dev.tutti.internal.door.Audit;
import dev.tutti.internal.door.Backoff;
import dev.tutti.internal.door.Hosts;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Content and state behind the console's answers, and its socket. All methods may be called from any thread. */
public final class Site implements AutoCloseable {

    /** Files of the console's page alone. */
    private static final List<String> PAGE = List.of(
            "index.html", "login.html", "actions.js", "app.js", "data.js", "map.js", "pages.js", "session.js", "sites.js", "timeline.js");

    private static final int TOKEN_FILE_BYTES_MAX = 4_096;

    /** Most log-ins of one origin that wait after failures. */
    private static final int LOGINS_WAITING_MAX = 16;

    /** Least time between two questions to the loop for probes, which may come from anywhere. */
    private static final long HEALTH_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Answer to a probe, without names because it is not logged in. */
    record Health(boolean isGood, Map<String, ?> document) {}

    private final Settings settings;
    private final CounterTable counters = new CounterTable();
    private final Assets assets = new Assets(PAGE, name -> Site.class.getResourceAsStream("assets/" + name));
    private final boolean isTokenKnown;
    private final Users users;
    private final @Nullable SingleSignOn provider;
    private final Gate gate;
    private final Backoff backoff;
    private final Audit audit;
    private final Witnesses witnesses;
    private final Operators operators;
    private final @Nullable Webhook webhook;
    private final Alerts alerts;
    private final ClusterPoller poller;
    private final Listener listener;
    private final @Nullable Listener healthListener;
    private final Hosts hosts;

    // Guarded by their own lock.
    private final Object healthLock = new Object();
    private @Nullable Doc health;
    private long healthNanos;

    /**
     * Binds and begins to serve.
     *
     * @throws SettingException if a setting is wrong, or the address can't be bound, or not safely
     */
    public Site(Settings settings, Witnesses witnesses) {
        this.settings = settings;
        this.witnesses = witnesses;
        this.operators = new Operators(witnesses);
        String tokenFile = settings.get(ConsoleSettings.TOKEN_FILE);
        this.isTokenKnown = !tokenFile.isEmpty();
        String token = tokenFile.isEmpty() ? Gate.newSecret() : token(ConsoleSettings.TOKEN_FILE, Path.of(tokenFile));
        List<AlertRule> rules = Alerts.rules(settings.get(ConsoleSettings.ALERTS));
        URI address = webhookAddress(settings);
        if (rules.isEmpty() != (address == null)) {
            throw new SettingException("console.alerts and console.webhook are set together; one is missing");
        }
        String webhookFile = settings.get(ConsoleSettings.WEBHOOK_TOKEN_FILE);
        String webhookToken = webhookFile.isEmpty() ? "" : token(ConsoleSettings.WEBHOOK_TOKEN_FILE, Path.of(webhookFile));
        this.provider = ProviderSettings.provider(settings, clientSecret(settings));
        // A connection waits for one password at a time.
        this.users = new Users(settings.get(ConsoleSettings.USERS_FILE), settings.get(ConsoleSettings.CONNECTIONS_MAX), System::nanoTime);
        this.gate = new Gate(
                token,
                settings.get(ConsoleSettings.TOKEN_ROLE),
                users::role,
                settings.get(ConsoleSettings.SESSION).toNanos(),
                System::nanoTime);
        // Waiting log-ins leave some places of their origin to others.
        this.backoff = new Backoff(
                Math.clamp(settings.get(ConsoleSettings.CONNECTIONS_MAX) / 4, 1, LOGINS_WAITING_MAX), Long.MAX_VALUE, System::nanoTime);
        this.audit = new Audit("console", System::nanoTime);
        // Last: requests are answered only when this object is complete.
        this.listener = Listener.ofConsole(settings, counters, deadline -> new Routes(this, deadline, false));
        this.healthListener = healthListener();
        List<String> names = new ArrayList<>(settings.get(ConsoleSettings.HOSTS));
        names.add(settings.get(ConsoleSettings.ADDRESS));
        this.hosts = new Hosts(names);
        Webhook hook = address == null
                ? null
                : new Webhook(address, webhookToken, settings.get(ConsoleSettings.WEBHOOK_TIMEOUT).toNanos());
        this.webhook = hook;
        this.alerts = new Alerts(rules, alert -> {
            if (hook != null) {
                hook.post(alert);
            }
        }, System::nanoTime);
        this.poller = new ClusterPoller(witnesses, counters, settings, alerts::onFigures);
        listener.accept();
        if (healthListener != null) {
            healthListener.accept();
        }
    }

    private @Nullable Listener healthListener() {
        try {
            return Listener.ofHealth(settings, counters, deadline -> new Routes(this, deadline, true));
        } catch (RuntimeException e) {
            listener.close();
            throw e;
        }
    }

    private static @Nullable URI webhookAddress(Settings settings) {
        String text = settings.get(ConsoleSettings.WEBHOOK);
        try {
            return text.isEmpty() ? null : Webhook.address(text, !settings.get(ConsoleSettings.WEBHOOK_TOKEN_FILE).isEmpty());
        } catch (IllegalArgumentException e) {
            throw new SettingException("console.webhook: " + e.getMessage(), e);
        }
    }

    private static String token(Setting<String> setting, Path file) {
        String token = secret(setting, file);
        if (token.length() < Gate.TOKEN_LENGTH_MIN || token.length() > Gate.TOKEN_LENGTH_MAX) {
            throw new SettingException(setting.name() + ": the token in " + file + " has " + token.length()
                    + " characters; " + Gate.TOKEN_LENGTH_MIN + " to " + Gate.TOKEN_LENGTH_MAX + " are right");
        }
        return token;
    }

    /** Returns the secret that this console shares with a provider of OpenID Connect; empty if there is none. */
    private static String clientSecret(Settings settings) {
        String file = settings.get(ConsoleSettings.OIDC_SECRET_FILE);
        if (file.isEmpty()) {
            return "";
        }
        String secret = secret(ConsoleSettings.OIDC_SECRET_FILE, Path.of(file));
        if (secret.isEmpty()) {
            throw new SettingException("console.oidc-secret-file: " + file + " is empty; leave the setting out for a client without a secret");
        }
        return secret;
    }

    /** Returns the text of a file that only its owner may read, without blanks around it. */
    private static String secret(Setting<String> setting, Path file) {
        checkPrivate(setting, file);
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(TOKEN_FILE_BYTES_MAX), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new SettingException(setting.name() + ": " + file + " can't be read: "
                    + e.getClass().getSimpleName().replace("Exception", ""), e);
        }
    }

    private static void checkPrivate(Setting<String> setting, Path file) {
        try {
            if (Files.exists(file)) {
                PrivateFile.check(file);
            }
        } catch (IOException e) {
            throw new SettingException(setting.name() + ": " + e.getMessage(), e);
        }
    }

    // ------------------------------------------------------------------ where

    /** Returns the address for browsers: {@code http://127.0.0.1:7880/}. */
    public String address() {
        return scheme() + listener.host() + ':' + listener.port() + '/';
    }

    /** Returns the beginning of addresses of this console: {@code https://}. */
    String scheme() {
        return listener.isTls() ? "https://" : "http://";
    }

    public int port() {
        return listener.port();
    }

    /** Returns the separate port for health; -1 if there is none. */
    public int healthPort() {
        Listener apart = healthListener;
        return apart == null ? -1 : apart.port();
    }

    /** Returns an address that logs in the first browser that opens it, within a quarter of an hour. */
    public String link() {
        return address() + "login?once=" + gate.newLink();
    }

    /** Returns an address that logs in the first browser that opens it, with at most the role of the person who gives it away. */
    String link(Gate.Principal maker, Role role) {
        return address() + "login?once=" + gate.newLink(maker, role);
    }

    /** Returns counters by name. */
    public Map<String, Long> status() {
        Map<String, Long> status = new LinkedHashMap<>(counters.report());
        status.put("browsers", (long) poller.browsers());
        status.put("logins-refused", gate.refused());
        SingleSignOn signOn = provider;
        if (signOn != null) {
            status.put("logins-at-provider", (long) signOn.pending());
        }
        Webhook hook = webhook;
        if (hook != null) {
            status.put("alerts-firing", alerts.firing());
            status.put("alerts-left-out", alerts.leftOut());
            status.put("alerts-sent", hook.sent());
            status.put("alerts-sent-again", hook.retries());
            status.put("alerts-failed", hook.failed());
            status.put("alerts-dropped", hook.dropped());
        }
        status.put("connections", (long) listener.places().taken());
        status.put("connections-evicted", listener.places().evicted());
        status.put("connections-refused", listener.places().refused());
        return status;
    }

    // ------------------------------------------------------------------ parts

    CounterTable counters() {
        return counters;
    }

    Assets assets() {
        return assets;
    }

    Gate gate() {
        return gate;
    }

    /** Returns the parts of the page for log-in that are of use: those for users, for the token, and what joins them. */
    List<String> loginParts() {
        List<String> parts = new ArrayList<>();
        if (users.isKept()) {
            parts.add("users");
        }
        // Without users and a provider there is nothing else to show, though nobody knows the token.
        if (isTokenKnown || !users.isKept() && provider == null) {
            parts.add("token");
        }
        if (parts.size() == 2) {
            parts.add("both");
        }
        if (provider != null) {
            if (!parts.isEmpty()) {
                parts.add("or");
            }
            parts.add("provider");
        }
        return parts;
    }

    /** Returns the provider of OpenID Connect; null if there is none. */
    @Nullable SingleSignOn provider() {
        return provider;
    }

    Settings settings() {
        return settings;
    }

    Users users() {
        return users;
    }

    Backoff backoff() {
        return backoff;
    }

    Audit audit() {
        return audit;
    }

    Hosts hosts() {
        return hosts;
    }

    // ------------------------------------------------------------------ cookies

    /** Returns a name with the port in it: cookies ignore ports, and a machine may have several consoles. */
    String cookieName() {
        return "tutti-console-" + listener.port();
    }

    String cookie(String session) {
        return cookieName() + '=' + session + "; Path=/; HttpOnly; SameSite=Strict; Max-Age="
                + settings.get(ConsoleSettings.SESSION).toSeconds() + (listener.isTls() ? "; Secure" : "");
    }

    String noCookie() {
        return cookieName() + "=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0";
    }

    /** Returns the name of the cookie of a browser that is at the provider. */
    String loginCookieName() {
        return "tutti-login-" + listener.port();
    }

    /** Returns a cookie that also comes with a browser that the provider sends back, which is another site. */
    String loginCookie(String browser) {
        return loginCookieName() + '=' + browser + "; Path=/login; HttpOnly; SameSite=Lax; Max-Age=" + SingleSignOn.LIFE_SECONDS
                + (listener.isTls() ? "; Secure" : "");
    }

    String noLoginCookie() {
        return loginCookieName() + "=; Path=/login; HttpOnly; SameSite=Lax; Max-Age=0";
    }

    // ------------------------------------------------------------------ what is known

    boolean admit(Browser browser) {
        return poller.admit(browser);
    }

    void greet(Browser browser) {
        poller.greet(browser);
    }

    void dismiss(Browser browser) {
        poller.dismiss(browser);
    }

    Map<String, Object> cluster() {
        return poller.cluster();
    }

    /** Returns a member's inspection; null if it does not answer. */
    @Nullable Map<?, ?> inspection(String member) {
        Doc found = witnesses.inspection(member);
        return found == null ? null : found.values();
    }

    Map<String, Object> history(History.Span span) {
        return poller.history(span);
    }

    /** Returns the views of data at a member; null if it does not answer. */
    @Nullable Map<?, ?> views(String member) {
        Doc found = witnesses.views(member);
        return found == null ? null : found.values();
    }

    /** Returns a page of a view of data at a member; null if it does not answer. */
    @Nullable Map<?, ?> page(String member, DataQuery query) {
        Doc found = witnesses.page(member, query);
        return found == null ? null : found.values();
    }

    /** Has members do something that changes them; returns the outcomes by member. */
    Map<String, Operations.Outcome> operate(String user, Operators.Request request) {
        return operators.operate(user, request, poller.cluster());
    }

    Health health() {
        Doc now = currentHealth();
        boolean isAlive = now.is("alive");
        return new Health(isAlive, Map.of("status", isAlive ? "up" : "down"));
    }

    Health readiness() {
        Doc now = currentHealth();
        boolean isReady = now.is("alive") && now.is("ready");
        return new Health(isReady, Map.of("status", isReady ? "ready" : "not ready"));
    }

    private Doc currentHealth() {
        synchronized (healthLock) {
            Doc known = health;
            if (known == null || System.nanoTime() - healthNanos > HEALTH_NANOS) {
                known = witnesses.health();
                health = known;
                healthNanos = System.nanoTime();
            }
            return known;
        }
    }

    /** Ends all connections. Idempotent. */
    @Override
    public void close() {
        listener.close();
        if (healthListener != null) {
            healthListener.close();
        }
        poller.close();
        users.close();
        if (provider != null) {
            provider.close();
        }
        if (webhook != null) {
            webhook.close();
        }
    }
}
