package dev.tutti.spring.session;

import dev.tutti.Node;
import dev.tutti.spring.GroupDefaults;
import dev.tutti.spring.SpringSettings;
import dev.tutti.spring.serial.ObjectBytes;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportAware;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.session.IndexResolver;
import org.springframework.session.MapSession;
import org.springframework.session.SaveMode;
import org.springframework.session.SessionIdGenerator;
import org.springframework.session.config.SessionRepositoryCustomizer;
import org.springframework.session.config.annotation.web.http.SpringHttpSessionConfiguration;

/** The filter of Spring Session and a {@link TuttiSessionRepository}. */
@Configuration(proxyBeanMethods = false)
@Import(SpringHttpSessionConfiguration.class)
public class TuttiHttpSessionConfiguration implements ImportAware {

    private Duration interval = MapSession.DEFAULT_MAX_INACTIVE_INTERVAL;

    /** A save returns when all members have received it: a response never tells of something that a crash could undo. */
    @Bean
    static GroupDefaults tuttiSessionGroup(SpringSettings settings) {
        return new GroupDefaults(settings.session().group(), Map.of("total.delivery", "safe"));
    }

    @Bean(destroyMethod = "")
    TuttiSessionRepository sessionRepository(
            Node node,
            SpringSettings settings,
            ObjectBytes objects,
            ApplicationEventPublisher events,
            ObjectProvider<IndexResolver<TuttiSession>> indexes,
            ObjectProvider<SessionIdGenerator> ids,
            ObjectProvider<SessionRepositoryCustomizer<TuttiSessionRepository>> customizers) {
        TuttiSessionRepository repository = new TuttiSessionRepository(node, settings.session().group(), objects, events);
        repository.setDefaultMaxInactiveInterval(interval);
        repository.setSynced(settings.session().sync());
        repository.setSaveMode(saveMode(settings.session().saveMode()));
        indexes.ifAvailable(repository::setIndexResolver);
        ids.ifAvailable(repository::setSessionIdGenerator);
        customizers.orderedStream().forEach(each -> each.customize(repository));
        return repository;
    }

    private static SaveMode saveMode(String name) {
        for (SaveMode mode : SaveMode.values()) {
            if (mode.name().replace('_', '-').toLowerCase(Locale.ROOT).equals(name)) {
                return mode;
            }
        }
        throw new IllegalArgumentException("tutti.spring.session.save-mode: '" + name
                + "' is none of on-set-attribute, on-get-attribute and always");
    }

    @Override
    public void setImportMetadata(AnnotationMetadata importMetadata) {
        var attributes = importMetadata.getAnnotationAttributes(EnableTuttiHttpSession.class.getName());
        if (attributes != null && attributes.get("maxInactiveIntervalInSeconds") instanceof Integer seconds) {
            interval = Duration.ofSeconds(seconds);
        }
    }
}
