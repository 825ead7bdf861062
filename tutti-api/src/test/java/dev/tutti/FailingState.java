package dev.tutti;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A state whose callbacks throw where a test says so. */
final class FailingState implements GroupState {
    private final String place;
    private final Thrown thrown;
    volatile boolean isArmed = true;

    FailingState(String place, Thrown thrown) {
        this.place = place;
        this.thrown = thrown;
    }

    void at(String here) {
        if (isArmed && place.equals(here)) {
            thrown.now();
        }
    }

    @Override
    public Snapshot snapshot() {
        at("snapshot");
        return new Snapshot() {
            @Override
            public void write(OutputStream out) throws IOException {
                out.write(new byte[100]);
                at("snapshot.write");
                out.write(new byte[100]);
            }

            @Override
            public void close() {
                at("snapshot.close");
            }
        };
    }

    @Override
    public void install(InputStream in) throws IOException {
        in.read();
        at("install");
        in.readAllBytes();
    }
}
