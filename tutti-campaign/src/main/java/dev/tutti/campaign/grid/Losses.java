package dev.tutti.campaign.grid;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Losses of a run: those that consumers were told of, those on their way to or from a mediator that was killed, and others. */
final class Losses {

    private static final int FINDINGS_MAX = 20;

    /** Time before and after a kill in which measurements were on their way. */
    private static final long ON_THE_WAY_MILLIS = 2_000;

    /** @param endMillis time at which the process had ended; its connections are open until then */
    private record Kill(int site, long atMillis, long endMillis) {}

    private final LoadPlan plan;
    private final List<Kill> kills = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private long told;
    private long onTheWay;
    private long untold;

    Losses(LoadPlan plan) {
        this.plan = plan;
    }

    /** Notes that a mediator was killed, and when it had ended: on a busy machine that takes seconds. */
    void onKill(int site, long atMillis, long endMillis) {
        kills.add(new Kill(site, atMillis, endMillis));
    }

    void find(String text) {
        if (findings.size() < FINDINGS_MAX) {
            findings.add(text);
        }
    }

    List<String> findings() {
        return List.copyOf(findings);
    }

    void addAll(List<Loss> losses) {
        losses.forEach(this::add);
    }

    private void add(Loss loss) {
        if (loss.isTold()) {
            told += loss.count();
        } else if (isOnTheWay(loss)) {
            onTheWay += loss.count();
        } else {
            untold += loss.count();
            find("consumer " + loss.consumer() + (LoadPlan.isClientConsumer(loss.consumer()) ? ", a client" : "") + " at "
                    + LoadPlan.SITES.get(LoadPlan.siteOfConsumer(loss.consumer())) + " lacks " + loss.count() + " from number " + loss.first()
                    + " of producer " + loss.producer() + (plan.isClient(loss.producer()) ? ", a client" : "") + " at "
                    + LoadPlan.SITES.get(plan.siteOf(loss.producer())) + ", and no gap told of it; they are of " + sinceKill(loss));
        }
    }

    /** Returns whether the producer was at a mediator that was killed meanwhile. */
    private boolean isOnTheWay(Loss loss) {
        return plan.isClient(loss.producer())
                && kills.stream().anyMatch(kill -> kill.site == plan.siteOf(loss.producer())
                        && loss.beforeMillis() <= kill.endMillis + ON_THE_WAY_MILLIS
                        && loss.afterMillis() >= kill.atMillis - ON_THE_WAY_MILLIS
                        && loss.afterMillis() <= kill.endMillis + ON_THE_WAY_MILLIS);
    }

    private String sinceKill(Loss loss) {
        StringBuilder text = new StringBuilder();
        for (Kill kill : kills) {
            text.append(text.isEmpty() ? "" : ", or ").append(loss.beforeMillis() - kill.atMillis).append(" to ")
                    .append(loss.afterMillis() - kill.atMillis).append(" ms after the kill at ").append(LoadPlan.SITES.get(kill.site));
        }
        return text.isEmpty() ? "a time without kills" : text.toString();
    }

    /** Adds figures, and finds out whether losses and arrivals make what was expected. */
    void addTo(Map<String, Object> figures, Map<Integer, Long> published, long arrived) {
        long expected = 0;
        for (Map.Entry<Integer, Long> each : published.entrySet()) {
            Choice choice = LoadPlan.choiceOf(plan.consumerOf(each.getKey()));
            for (long number = 1; number <= each.getValue(); number++) {
                expected += choice.accepts(number, plan.zoneOf(each.getKey())) ? 1 : 0;
            }
        }
        figures.put("expected", expected);
        figures.put("arrived", arrived);
        figures.put("lost-told", told);
        figures.put("lost-on-the-way-to-a-killed-mediator", onTheWay);
        figures.put("lost-untold", untold);
        if (arrived + told + onTheWay + untold != expected) {
            find(arrived + " have arrived, " + (told + onTheWay + untold) + " are known to be lost, and " + expected + " were expected");
        }
    }
}
