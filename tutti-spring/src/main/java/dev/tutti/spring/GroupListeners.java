package dev.tutti.spring;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Message;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.springframework.beans.factory.BeanFactory;

/**
 * The listeners of one group. A group is joined while beans are still being made, so its messages wait until all exist,
 * and so does, by the window, who sends more. Views are kept instead: a join waits for the first one.
 */
final class GroupListeners {

    private final BeanFactory beans;
    private final List<ListenerMethod> methods;
    private final CountDownLatch opened = new CountDownLatch(1);
    private final Object lock = new Object();

    /** Guarded by the lock. */
    private final List<Runnable> early = new ArrayList<>();

    private volatile Map<ListenerMethod, Object> targets = Map.of();

    GroupListeners(BeanFactory beans, List<ListenerMethod> methods) {
        this.beans = beans;
        this.methods = List.copyOf(methods);
    }

    GroupBuilder attach(GroupBuilder group) {
        return group.onView(this::onView).onMessage(this::onMessage);
    }

    /** Calls the listeners from now on, first with the views that have come already. All beans exist. */
    void open() {
        Map<ListenerMethod, Object> found = new LinkedHashMap<>();
        methods.forEach(method -> found.put(method, beans.getBean(method.bean())));
        synchronized (lock) {
            targets = found;
            early.forEach(Runnable::run);
            early.clear();
            opened.countDown();
        }
    }

    /** Lets those go that wait, without a call: the application ends before it has started. */
    void close() {
        opened.countDown();
    }

    private void onView(Group group, View view) {
        synchronized (lock) {
            if (opened.getCount() > 0) {
                early.add(() -> tell(group, view));
                return;
            }
        }
        tell(group, view);
    }

    private void tell(Group group, View view) {
        targets.forEach((method, target) -> {
            if (!method.isOfMessages()) {
                method.onView(target, group, view);
            }
        });
    }

    private void onMessage(Group group, Message message) {
        try {
            opened.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        targets.forEach((method, target) -> {
            if (method.isOfMessages()) {
                method.onMessage(target, group, message);
            }
        });
    }
}
