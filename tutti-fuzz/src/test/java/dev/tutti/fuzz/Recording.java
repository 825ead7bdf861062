package dev.tutti.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The frames of a session with all activities of a group: nodes meet, views change while messages are
 * under way, a large message, one to a single member, a crash that leaves packets to be fetched, a departure.
 */
record Recording(List<Heard> heard) {

    /** A frame as it has arrived. */
    record Heard(int reader, int connection, byte[] frame) {}

    private static final AtomicReference<Recording> SESSION = new AtomicReference<>();

    static Recording ofSession() {
        Recording known = SESSION.get();
        if (known == null) {
            known = record();
            SESSION.set(known);
        }
        return known;
    }

    /** Records a node of a lab while messages are sent, a third node comes and goes, and the group is left. */
    static Recording of(Lab lab, int reader) {
        List<Heard> heard = new ArrayList<>();
        lab.seat(reader).tap.listen((connection, frame) -> {
            heard.add(new Heard(reader, connection, frame));
            return frame;
        });
        lab.advanceMillis(100);
        lab.seat(1).send(3, 100);
        lab.seat(2).send(3, 100);
        lab.seat(3 - reader).sendTo(lab.seat(reader).application.self(), 90);
        lab.advanceMillis(300);
        lab.seat(3 - reader).node.execute(now -> lab.seat(3 - reader)
                .tap.machine().leave(now, lab.seat(3 - reader).application.self()));
        lab.advanceMillis(100);
        return new Recording(List.copyOf(heard));
    }

    private static Recording record() {
        List<Heard> heard = new ArrayList<>();
        Lab lab = new Lab(4, 7);
        for (int number = 1; number <= 4; number++) {
            int reader = number;
            lab.start(number).tap.listen((connection, frame) -> {
                heard.add(new Heard(reader, connection, frame));
                return frame;
            });
            lab.advanceMillis(number == 1 ? 30 : 5);
            if (number > 1) {
                lab.seat(number - 1).send(20, 200);
            }
        }
        lab.until("one view", lab::isOneView);
        lab.seat(1).send(1, 3_000);
        lab.seat(2).send(1, 100_000);
        lab.seat(1).sendTo(lab.seat(2).application.self(), 120);
        lab.seat(2).sendTo(lab.seat(1).application.self(), 120);
        lab.advanceMillis(600);
        for (int reader = 1; reader <= 2; reader++) {
            // Messages of the fourth that one of the others lacks are fetched from another member.
            lab.simulation().network().cut(lab.seat(4).node, lab.seat(reader).node);
        }
        for (int round = 0; round < 12; round++) {
            lab.seat(4).send(4, 150);
            lab.advanceMillis(1);
        }
        lab.seat(4).node.powerOff();
        lab.simulation().network().heal();
        lab.seat(3).send(5, 60);
        lab.seat(1).send(5, 60);
        lab.advanceMillis(8_000);
        lab.seat(3).node.execute(now ->
                lab.seat(3).tap.machine().leave(now, lab.seat(3).application.self()));
        lab.advanceMillis(500);
        lab.seat(2).node.stop(now -> lab.seat(2).tap.machine().stop(now));
        lab.advanceMillis(500);
        return new Recording(List.copyOf(heard));
    }
}
