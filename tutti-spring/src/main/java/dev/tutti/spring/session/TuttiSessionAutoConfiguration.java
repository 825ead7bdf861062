package dev.tutti.spring.session;

import dev.tutti.spring.TuttiAutoConfiguration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.session.Session;
import org.springframework.session.SessionRepository;
import org.springframework.session.config.SessionRepositoryCustomizer;
import org.springframework.session.web.http.SessionRepositoryFilter;

/** Replicates the HTTP sessions of applications that have Spring Session and no other repository. */
@AutoConfiguration(
        after = TuttiAutoConfiguration.class,
        beforeName = "org.springframework.boot.session.autoconfigure.SessionAutoConfiguration")
@ConditionalOnClass({Session.class, SessionRepositoryFilter.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnMissingBean(SessionRepository.class)
@ConditionalOnBooleanProperty(name = {"tutti.spring.enabled", "tutti.spring.session.enabled"}, matchIfMissing = true)
@Import(TuttiHttpSessionConfiguration.class)
public final class TuttiSessionAutoConfiguration {

    /** Takes the timeout from where Spring Boot has it for all sessions. */
    @Bean
    SessionRepositoryCustomizer<TuttiSessionRepository> tuttiSessionTimeout(Environment environment) {
        return repository -> {
            String text = text(environment);
            if (text != null) {
                repository.setDefaultMaxInactiveInterval(DurationStyle.detectAndParse(text, ChronoUnit.SECONDS));
            }
        };
    }

    private static @Nullable String text(Environment environment) {
        String own = environment.getProperty("spring.session.timeout");
        return own != null ? own : environment.getProperty("server.servlet.session.timeout");
    }
}
