package dev.tutti.console.internal.oidc;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Claims of an ID token that say who a person is, and which role the person has.
 *
 * @param name claim with the person's name
 * @param role claim with texts of which one stands for a role; names with dots may lead into nested claims: {@code realm_access.roles}
 * @param textsByRole texts that stand for each role; of several roles, a person has the first
 */
public record ClaimRules(String name, String role, Map<String, List<String>> textsByRole) {

    private static final String NAME = "[\\p{L}\\p{N} ._@+-]{1,64}";

    public ClaimRules {
        textsByRole = Collections.unmodifiableMap(new LinkedHashMap<>(textsByRole));
    }

    /** Returns the role of a person; null if the claim names none. */
    @Nullable String roleOf(Map<?, ?> claims) {
        Object claim = find(claims, role);
        Collection<?> texts = claim instanceof Collection<?> several ? several : claim == null ? List.of() : List.of(claim);
        for (Map.Entry<String, List<String>> each : textsByRole.entrySet()) {
            if (each.getValue().stream().anyMatch(texts::contains)) {
                return each.getKey();
            }
        }
        return null;
    }

    /** Returns the name of a person, for events and the log; that which the provider never changes if there is no other. */
    String nameOf(Map<?, ?> claims) {
        Object claim = find(claims, name);
        return claim instanceof String text && text.matches(NAME) ? text : String.valueOf(claims.get("sub"));
    }

    private static @Nullable Object find(Map<?, ?> claims, String path) {
        // The whole name first: some providers have addresses as names of claims.
        Object whole = claims.get(path);
        int dot = path.indexOf('.');
        if (whole != null || dot < 0) {
            return whole;
        }
        return claims.get(path.substring(0, dot)) instanceof Map<?, ?> inner ? find(inner, path.substring(dot + 1)) : null;
    }
}
