package dev.tutti.jcache.hibernate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.jcache.TuttiCachingProvider;
import dev.tutti.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import javax.cache.CacheManager;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hibernate's second-level cache, of two applications on one database. */
@Timeout(300)
class SecondLevelCacheTest {

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private <T extends AutoCloseable> T opened(T part) {
        open.add(part);
        return part;
    }

    private SessionFactory application(String schema) {
        Node node = opened(Node.local().cluster("hibernate").start());
        Properties properties = new Properties();
        properties.put(TuttiCachingProvider.NODE, node);
        properties.setProperty("dev.tutti.jcache.classes", "org.hibernate.**");
        // A machine that is busy with other tests.
        properties.setProperty("dev.tutti.jcache.timeout", "PT1M");
        CacheManager manager = opened(new TuttiCachingProvider().getCacheManager(null, null, properties));
        Configuration configuration = new Configuration()
                .addAnnotatedClass(Book.class)
                .setProperty("hibernate.connection.url", "jdbc:h2:mem:books;DB_CLOSE_DELAY=-1")
                .setProperty("hibernate.hbm2ddl.auto", schema)
                .setProperty("hibernate.generate_statistics", "true")
                .setProperty("hibernate.cache.use_second_level_cache", "true")
                .setProperty("hibernate.cache.use_query_cache", "true")
                .setProperty("hibernate.cache.region.factory_class", "jcache")
                .setProperty("hibernate.javax.cache.missing_cache_strategy", "create");
        configuration.getProperties().put("hibernate.javax.cache.cache_manager", manager);
        return opened(configuration.buildSessionFactory());
    }

    private static String title(SessionFactory application) {
        return application.fromTransaction(session -> session.find(Book.class, 1L).title());
    }

    @Test
    void entityThatOneHasReadIsInTheCacheOfTheOther() {
        SessionFactory one = application("create");
        SessionFactory other = application("none");
        one.inTransaction(session -> session.persist(new Book(1, "Myrthen")));
        assertThat(title(one)).isEqualTo("Myrthen");
        // The put of the one is at the other a moment later.
        Await.until("the book comes from the cache", () -> {
            other.getStatistics().clear();
            title(other);
            return other.getStatistics().getSecondLevelCacheHitCount() == 1
                    && other.getStatistics().getPrepareStatementCount() == 0;
        });

        other.inTransaction(session -> session.find(Book.class, 1L).rename("Liederkreis"));
        // While the put of the other is on its way, its lock is in the cache of the one, and the new title comes from the database.
        Await.until("the new title comes from the cache", () -> {
            one.getStatistics().clear();
            return title(one).equals("Liederkreis") && one.getStatistics().getSecondLevelCacheHitCount() == 1;
        });
    }

    @Test
    void resultsOfQueriesAreInTheCacheUntilATableIsWritten() {
        SessionFactory one = application("create");
        one.inTransaction(session -> session.persist(new Book(1, "Myrthen")));
        assertThat(count(one)).isEqualTo(1);
        one.getStatistics().clear();
        assertThat(count(one)).isEqualTo(1);
        assertThat(one.getStatistics().getQueryCacheHitCount()).isEqualTo(1);
        one.inTransaction(session -> session.persist(new Book(2, "Liederkreis")));
        assertThat(count(one)).isEqualTo(2);
    }

    private static long count(SessionFactory application) {
        return application.fromTransaction(session -> session.createQuery("select count(b) from Book b", Long.class)
                .setCacheable(true)
                .getSingleResult());
    }
}
