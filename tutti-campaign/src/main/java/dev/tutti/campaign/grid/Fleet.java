package dev.tutti.campaign.grid;

import dev.tutti.campaign.sites.process.ProcessPipe;
import dev.tutti.grid.Body;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The producers of a process, which publish one after the other, at a steady rate. */
final class Fleet {

    private static final class Member {

        private final int index;
        private final Producer producer;
        private final Topic topic;
        private final Map<String, String> tags;
        private volatile long published;

        Member(int index, Producer producer, Topic topic, String zone) {
            this.index = index;
            this.producer = producer;
            this.topic = topic;
            this.tags = Map.of("zone", zone);
        }
    }

    private final LoadPlan plan;
    private final List<Member> members = new ArrayList<>();
    private volatile boolean isPublishing;
    private volatile boolean isIdle = true;

    Fleet(LoadPlan plan) {
        this.plan = plan;
    }

    void produce(Grid grid, int producer) {
        String topic = plan.topicOf(producer);
        members.add(new Member(
                producer, grid.produce(ProducerOptions.of("p" + producer, topic)), Topic.of(topic), plan.zoneOf(producer)));
    }

    /** Returns the topics of which no consumer is known here; a client does not know that. */
    List<String> unwanted() {
        return members.stream().filter(each -> !each.producer.isWanted(each.topic)).map(each -> each.topic.path()).toList();
    }

    void start() {
        isPublishing = true;
        isIdle = members.isEmpty();
        if (!isIdle) {
            Thread.ofPlatform().daemon().name("publishes").start(this::publish);
        }
    }

    private void publish() {
        long intervalNanos = TimeUnit.SECONDS.toNanos(1) / plan.rate() / members.size();
        long due = System.nanoTime();
        try {
            while (isPublishing) {
                for (Member each : members) {
                    for (long now = System.nanoTime(); now < due; now = System.nanoTime()) {
                        LockSupport.parkNanos(due - now);
                    }
                    due += intervalNanos;
                    each.producer.publish(each.topic, each.tags, Body.of(Choice.value(each.published + 1)));
                    each.published++;
                }
            }
        } catch (RuntimeException e) {
            e.printStackTrace();
            ProcessPipe.tell("found that publishing failed: " + e);
        }
        isIdle = true;
    }

    /** Ends publishing, and tells how much was published. */
    void stop() {
        isPublishing = false;
        while (!isIdle) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        StringBuilder text = new StringBuilder("published");
        members.forEach(each -> text.append(' ').append(each.index).append(':').append(each.published));
        ProcessPipe.tell(text.toString());
    }

    long published() {
        return members.stream().mapToLong(each -> each.published).sum();
    }
}
