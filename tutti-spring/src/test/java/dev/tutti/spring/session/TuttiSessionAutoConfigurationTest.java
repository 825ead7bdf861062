package dev.tutti.spring.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.core.settings.Settings;
import dev.tutti.spring.Local;
import dev.tutti.spring.TuttiAutoConfiguration;
import java.time.Duration;
import java.util.HashMap;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.session.autoconfigure.SessionAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.session.MapSessionRepository;
import org.springframework.session.web.http.SessionRepositoryFilter;

class TuttiSessionAutoConfigurationTest {

    private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withPropertyValues("tutti.transport.protocol=local", "tutti.cluster=" + new Local().cluster());

    private final AutoConfigurations all = AutoConfigurations.of(
            TuttiAutoConfiguration.class, TuttiSessionAutoConfiguration.class, SessionAutoConfiguration.class);

    @Test
    void sessionsAreReplicatedWithTheTimeoutOfSpringBoot() {
        runner.withConfiguration(all).withPropertyValues("spring.session.timeout=90").run(context -> {
            assertThat(context).hasSingleBean(SessionRepositoryFilter.class);
            assertThat(context.getBean(TuttiSessionRepository.class).createSession().getMaxInactiveInterval())
                    .isEqualTo(Duration.ofSeconds(90));
            assertThat(context).hasBean("sessionRepositoryFilterRegistration");
        });
    }

    @Test
    void aSaveIsAtAllMembersUnlessTheConfigurationSaysOtherwise() {
        runner.withConfiguration(all).run(context -> assertThat(delivery(context)).isEqualTo("safe"));
        runner.withConfiguration(all)
                .withPropertyValues("tutti.groups.spring-session.total.delivery=agreed")
                .run(context -> assertThat(delivery(context)).isEqualTo("agreed"));
    }

    private static String delivery(ApplicationContext context) {
        Settings group = context.getBean(Node.class).spec().group("spring-session");
        return group.explicit().get("total.delivery").text();
    }

    @Test
    void anotherRepositoryIsLeftInPlace() {
        runner.withConfiguration(all)
                .withBean(MapSessionRepository.class, () -> new MapSessionRepository(new HashMap<>()))
                .run(context -> {
            assertThat(context).doesNotHaveBean(TuttiSessionRepository.class);
        });
    }

    @Test
    void sessionsAreLeftAloneWhereThatIsSwitchedOff() {
        runner.withConfiguration(all)
                .withPropertyValues("tutti.spring.session.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(TuttiSessionRepository.class));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTuttiHttpSession(maxInactiveIntervalInSeconds = 60)
    static class Enabled {}

    @Test
    void theAnnotationDoesTheSame() {
        runner.withConfiguration(AutoConfigurations.of(TuttiAutoConfiguration.class))
                .withUserConfiguration(Enabled.class)
                .run(context -> assertThat(context.getBean(TuttiSessionRepository.class).createSession().getMaxInactiveInterval())
                        .isEqualTo(Duration.ofSeconds(60)));
    }
}
