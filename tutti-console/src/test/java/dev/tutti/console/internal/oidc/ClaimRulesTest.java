package dev.tutti.console.internal.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClaimRulesTest {

    private static ClaimRules rules(String role) {
        Map<String, List<String>> textsByRole = new LinkedHashMap<>();
        textsByRole.put("operator", List.of("ops"));
        textsByRole.put("reader", List.of("staff", "guests"));
        return new ClaimRules("preferred_username", role, textsByRole);
    }

    @Test
    void theRoleIsThatOfATextInTheClaim() {
        assertThat(rules("roles").roleOf(Map.of("roles", List.of("staff", "ops")))).isEqualTo("operator");
        assertThat(rules("roles").roleOf(Map.of("roles", List.of("music", "guests")))).isEqualTo("reader");
        assertThat(rules("roles").roleOf(Map.of("roles", "ops"))).isEqualTo("operator");
        assertThat(rules("roles").roleOf(Map.of("roles", List.of("OPS", "ops ", 7)))).isNull();
        assertThat(rules("roles").roleOf(Map.of("groups", List.of("ops")))).isNull();
        assertThat(rules("roles").roleOf(Map.of("roles", Map.of("ops", true)))).isNull();
    }

    @Test
    void dotsLeadIntoNestedClaimsUnlessAClaimHasThatName() {
        assertThat(rules("realm_access.roles").roleOf(Map.of("realm_access", Map.of("roles", List.of("ops"))))).isEqualTo("operator");
        assertThat(rules("https://ops.example/roles").roleOf(Map.of("https://ops.example/roles", List.of("staff")))).isEqualTo("reader");
        assertThat(rules("realm_access.roles").roleOf(Map.of("realm_access", "roles"))).isNull();
    }

    @Test
    void aNameThatCanNotBeShownIsReplaced() {
        assertThat(rules("roles").nameOf(Map.of("sub", "7", "preferred_username", "Änne O-Neill@example"))).isEqualTo("Änne O-Neill@example");
        assertThat(rules("roles").nameOf(Map.of("sub", "7", "preferred_username", "ann\nadmitted"))).isEqualTo("7");
        assertThat(rules("roles").nameOf(Map.of("sub", "7", "preferred_username", "x".repeat(65)))).isEqualTo("7");
        assertThat(rules("roles").nameOf(Map.of("sub", "7"))).isEqualTo("7");
    }
}
