package dev.tutti.console.internal;

import dev.tutti.console.ConsoleSettings;
import dev.tutti.console.Role;
import dev.tutti.console.internal.oidc.ClaimRules;
import dev.tutti.console.internal.oidc.SingleSignOn;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The settings of a provider of OpenID Connect. */
final class ProviderSettings {

    private ProviderSettings() {}

    /**
     * Returns the provider that settings name; null if they name none.
     *
     * @param secret secret that it shares with this console; empty for none
     * @throws SettingException if a setting is wrong or missing
     */
    static @Nullable SingleSignOn provider(Settings settings, String secret) {
        String issuer = settings.get(ConsoleSettings.OIDC_ISSUER);
        String id = settings.get(ConsoleSettings.OIDC_CLIENT_ID);
        if (issuer.isEmpty() && id.isEmpty()) {
            return null;
        }
        if (issuer.isEmpty() || id.isEmpty()) {
            throw new SettingException("console.oidc-issuer and console.oidc-client-id are set together; one is missing");
        }
        ClaimRules rules = rules(settings);
        try {
            return SingleSignOn.of(
                    issuer,
                    new SingleSignOn.Client(id, secret, scopes(settings.get(ConsoleSettings.OIDC_SCOPES))),
                    rules,
                    settings.get(ConsoleSettings.OIDC_AUTHORITY));
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new SettingException("console.oidc-issuer: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new SettingException("console.oidc-authority: " + e.getMessage(), e);
        }
    }

    private static ClaimRules rules(Settings settings) {
        String claim = settings.get(ConsoleSettings.OIDC_ROLE_CLAIM);
        List<String> operators = settings.get(ConsoleSettings.OIDC_OPERATORS);
        List<String> readers = settings.get(ConsoleSettings.OIDC_READERS);
        if (operators.isEmpty() && readers.isEmpty()) {
            throw new SettingException("console.oidc-operators and console.oidc-readers are empty, so that nobody could log in: name texts of the claim "
                    + claim);
        }
        Map<String, List<String>> textsByRole = new LinkedHashMap<>();
        textsByRole.put(Role.OPERATOR.text(), operators);
        textsByRole.put(Role.READER.text(), readers);
        return new ClaimRules(settings.get(ConsoleSettings.OIDC_NAME_CLAIM), claim, textsByRole);
    }

    /** Returns scopes with {@code openid} among them, without which there are no ID tokens. */
    private static String scopes(List<String> scopes) {
        List<String> all = new ArrayList<>(scopes.isEmpty() ? List.of("openid", "profile") : scopes);
        if (!all.contains("openid")) {
            all.addFirst("openid");
        }
        return String.join(" ", all);
    }
}
