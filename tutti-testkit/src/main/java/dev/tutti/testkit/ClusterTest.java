package dev.tutti.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that gets a {@link Cluster} as its parameter, and runs once for each of many seeds, up to the first that fails.
 *
 * <pre>{@code
 * @ClusterTest(nodes = 3, seeds = 200)
 * void everybodyAgreesAfterACrash(Cluster cluster) {
 *     Components<Counter> counters = cluster.startAll(Counter::new);
 *     counters.keep(Duration.ofMillis(10), Counter::increment);
 *     cluster.advance(Duration.ofSeconds(1)).crash(2).awaitRest();
 *     assertThat(counters.on(1).value()).isEqualTo(counters.on(3).value());
 * }
 * }</pre>
 *
 * <p>A failure reports its seed and the story; {@code -Dtutti.test.seed=17} runs this seed alone, and {@code
 * -Dtutti.test.seeds=5000} that many instead of {@link #seeds}; {@code -Dtutti.test.seeds.max=3} leaves out those after the
 * third, of all tests. The first seed runs twice, and both runs must have the
 * same events: if they do not, the component depends on something outside of the cluster.
 *
 * <p>The class's constructor, its methods with {@code @BeforeEach} and {@code @AfterEach}, and the test run on one virtual
 * thread for each seed, which is not JUnit's.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(ClusterExtension.class)
@SuppressWarnings("exports") // JUnit alone needs to see the extension
public @interface ClusterTest {

    /** Number of processes in the cluster, 1 to 64. */
    int nodes() default 3;

    /** Number of seeds, which are counted from 1. */
    int seeds() default 100;
}
