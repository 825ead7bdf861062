package dev.tutti.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.blocks.calls.Calls;
import dev.tutti.blocks.calls.Service;
import dev.tutti.blocks.codec.Codecs;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.map.TotalOrderMap;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.metrics.TuttiMetrics;
import dev.tutti.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class TuttiAutoConfigurationTest {

    private final Local local = new Local();

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    TuttiAutoConfiguration.class, TuttiHealthAutoConfiguration.class, TuttiMetricsAutoConfiguration.class));

    private ApplicationContextRunner runner() {
        return bare.withPropertyValues(
                "tutti.transport.protocol=local", "tutti.cluster=" + local.cluster(), "tutti.name=spring", "tutti.records.directory=memory");
    }

    @Test
    void withoutSettingsANodeListensOnLoopbackOnAFreePort() {
        bare.run(one -> bare.run(two -> {
            assertThat(one.getBean(Node.class).address()).startsWith("127.0.0.1:");
            assertThat(two.getBean(Node.class).address()).isNotEqualTo(one.getBean(Node.class).address());
            assertThat(two.getBean(Node.class).groups()).isEmpty();
            assertThat(two.getBean(HealthIndicator.class).health().getStatus()).isEqualTo(Status.UP);
            assertThat(two).hasSingleBean(TuttiMetrics.class);
        }));
    }

    @Test
    void thereIsNoNodeWhereItIsSwitchedOff() {
        bare.withPropertyValues("tutti.spring.enabled=false").run(context -> assertThat(context).doesNotHaveBean(Node.class));
    }

    @Test
    void optionalLibrariesMayBeMissing() {
        runner().withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.health", "io.micrometer", "org.springframework.session", "org.springframework.integration", "net.javacrumbs"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Node.class).doesNotHaveBean(TuttiMetrics.class));
    }

    @Test
    void healthIsServedAboveTheWebServerWhereASettingNamesAnAddress() {
        runner().run(context -> assertThat(context).doesNotHaveBean(HealthLifecycle.class));
        runner().withPropertyValues("tutti.spring.health=LOOPBACK:0").run(context -> {
            HealthLifecycle health = context.getBean(HealthLifecycle.class);
            assertThat(health.isRunning()).isTrue();
            assertThat(health.getPhase()).isGreaterThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE);
            health.stop();
            assertThat(health.isRunning()).isFalse();
        });
    }

    @Test
    void aWrongSettingOfTheNodeIsNamedWithItsPlace() {
        runner().withPropertyValues("tutti.group.windw=1 MiB").run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("windw").hasMessageContaining("window");
            assertThat(new SettingFailureAnalyzer().analyze(context.getStartupFailure()).getDescription()).contains("windw");
        });
    }

    @Test
    void aWrongSettingOfSpringIsNamed() {
        runner().withPropertyValues("tutti.spring.grups=a").run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).hasStackTraceContaining("tutti.spring.grups");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Listening {

        final List<String> texts = new CopyOnWriteArrayList<>();
        final List<View> views = new CopyOnWriteArrayList<>();

        /** A bean that joins while the listener's bean is still being made. */
        @Bean
        String greeting(Group chatGroup, @Qualifier("news") Group other) {
            chatGroup.send("from the start");
            return other.name();
        }

        @TuttiListener(group = "${chat.name:chat}")
        void onText(String text, Member sender, Message message, Group group) {
            assertThat(message.sender()).isEqualTo(sender);
            texts.add(group.name() + ": " + text);
        }

        @TuttiListener(group = "chat")
        void onView(View view) {
            views.add(view);
        }
    }

    @Test
    void listenersGetMessagesAndViewsFromTheFirstOn() {
        runner().withUserConfiguration(Listening.class).withPropertyValues("tutti.spring.groups=news").run(context -> {
            Listening listening = context.getBean(Listening.class);
            Await.until("the first message", () -> listening.texts.contains("chat: from the start"));
            assertThat(listening.views).isNotEmpty();
            assertThat(context.getBean("greeting")).isEqualTo("news");
            try (Node other = local.node("other"); Group group = other.group("chat").join()) {
                group.send("hello");
                Await.until("the message of the other node", () -> listening.texts.contains("chat: hello"));
                Await.until("the view with both", () -> listening.views.getLast().size() == 2);
            }
            Await.until("the view without it", () -> listening.views.getLast().size() == 1);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Wrong {

        @TuttiListener(group = "chat")
        void onNumber(int number) {}
    }

    @Test
    void aListenerWithAnotherParameterIsRefused() {
        runner().withUserConfiguration(Wrong.class).run(context -> assertThat(context.getStartupFailure())
                .hasMessageContaining("onNumber")
                .hasMessageContaining("Message, String, byte[]"));
    }

    /** A service. */
    public interface Pricing {
        int price(String item);
    }

    @Configuration(proxyBeanMethods = false)
    static class Serving {

        @Bean
        Pricing pricing() {
            return String::length;
        }
    }

    @Test
    @SuppressWarnings("unchecked") // the types are those of the settings
    void mapsAndCallsAreBeans() {
        runner().withUserConfiguration(Serving.class)
                .withPropertyValues(
                        "tutti.spring.maps.prices.time-to-live=1h",
                        "tutti.spring.maps.stock.order=total",
                        "tutti.spring.maps.stock.values=long",
                        "tutti.spring.maps.things.values=object",
                        "tutti.spring.calls.pricing=" + Pricing.class.getName())
                .run(context -> {
                    ReplicatedMap<String, String> prices = context.getBean("pricesMap", ReplicatedMap.class);
                    prices.put("book", "12");
                    assertThat(prices.get("book")).isEqualTo("12");
                    TotalOrderMap<String, Long> stock = context.getBean("stockMap", TotalOrderMap.class);
                    assertThat(stock.compute("book", (key, count) -> count == null ? 1L : count + 1)).isEqualTo(1L);
                    ReplicatedMap<String, Object> things = context.getBean("thingsMap", ReplicatedMap.class);
                    things.put("list", List.of(1, 2));
                    assertThat(things.get("list")).isEqualTo(List.of(1, 2));
                    Calls calls = context.getBean(Calls.class);
                    Pricing proxy = calls.to(calls.self()).proxy(Service.of("pricing", Pricing.class, Codecs.standard()));
                    assertThat(proxy.price("four")).isEqualTo(4);
                });
    }

    /** A service that answers when the test says so. */
    @Configuration(proxyBeanMethods = false)
    static class ServingSlowly {

        static final CountDownLatch BEGUN = new CountDownLatch(1);
        static final CountDownLatch MAY_END = new CountDownLatch(1);

        @Bean
        Pricing pricing() {
            return item -> {
                BEGUN.countDown();
                try {
                    MAY_END.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return item.length();
            };
        }
    }

    @Test
    void callsOfOthersAreAnsweredBeforeTheNodeLeaves() {
        try (Node node = local.node("other"); Calls other = Calls.on(node.group("pricing")).join()) {
            runner().withUserConfiguration(ServingSlowly.class)
                    .withPropertyValues("tutti.spring.calls.pricing=" + Pricing.class.getName())
                    .run(context -> {
                        Member serving = context.getBean(Calls.class).self();
                        Await.until("both are in a view", () -> other.callable().contains(serving));
                        CompletableFuture<Integer> price = CompletableFuture.supplyAsync(
                                () -> other.to(serving).proxy(Service.of("pricing", Pricing.class, Codecs.standard())).price("four"),
                                task -> Thread.ofVirtual().start(task));
                        ServingSlowly.BEGUN.await();
                        Thread.ofVirtual().start(() -> {
                            Await.until("it is called no more", () -> !other.callable().contains(serving));
                            ServingSlowly.MAY_END.countDown();
                        });
                        context.getSourceApplicationContext().close();
                        assertThat(price).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(4);
                    });
        }
    }

    @Leader("reports")
    static class Reports implements Lifecycle {

        private volatile boolean isRunning;

        @Override
        public void start() {
            isRunning = true;
        }

        @Override
        public void stop() {
            isRunning = false;
        }

        @Override
        public boolean isRunning() {
            return isRunning;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Leading {

        final List<String> events = new CopyOnWriteArrayList<>();

        @Bean
        Reports reports() {
            return new Reports();
        }

        @Leader("reports")
        void lead(long token) {
            events.add("elected");
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                events.add("deposed");
            }
        }
    }

    @Test
    void leadersRunAtOneNodeAndAreFollowed() {
        ApplicationContextRunner leading = runner()
                .withUserConfiguration(Leading.class)
                .withPropertyValues("tutti.groups.coordination.founders=a");
        leading.withPropertyValues("tutti.name=a").run(first -> {
            Leading a = first.getBean(Leading.class);
            Await.until("the election", () -> a.events.contains("elected"));
            Await.until("the bean's start", () -> first.getBean(Reports.class).isRunning());
            assertThat(first.getBean(Leadership.class).isLeader("reports")).isTrue();
            leading.withPropertyValues("tutti.name=b").run(second -> {
                Leading b = second.getBean(Leading.class);
                assertThat(b.events).isEmpty();
                assertThat(second.getBean(Leadership.class).isLeader("reports")).isFalse();
                first.getSourceApplicationContext().close();
                assertThat(a.events).containsExactly("elected", "deposed");
                Await.until("the election of the second", () -> b.events.contains("elected"));
                Await.until("the second bean's start", () -> second.getBean(Reports.class).isRunning());
            });
        });
    }

    @Test
    void electionsWithoutFoundersFailClearly() {
        runner().withUserConfiguration(Leading.class)
                .run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining("founders"));
    }

    @Test
    void theNodeLeavesAfterTheWebServerHasStopped() {
        assertThat(TuttiLifecycle.PHASE)
                .isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE);
    }
}
