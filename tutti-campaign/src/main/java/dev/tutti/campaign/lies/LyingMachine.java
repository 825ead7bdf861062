package dev.tutti.campaign.lies;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.driver.Machine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** A node's machine whose frames are changed on their way to the driver: each {@link Theme} in turn, for a while. */
final class LyingMachine implements Machine {

    private final Machine real;
    private final Memory memory;
    private final long themeNanos;
    private final WireGround ground = new WireGround();
    private final List<Theme> themes = List.copyOf(LyingDriverProvider.THEMES);
    private final List<Lies> lies = new ArrayList<>();
    private long nowNanos;

    private boolean hasBegun;

    /** Time of the first frame that could be a lie. */
    private long begunNanos;

    LyingMachine(Machine real, Memory memory, long seed, long themeNanos) {
        this.real = real;
        this.memory = memory;
        this.themeNanos = themeNanos;
        SplittableRandom random = new SplittableRandom(seed);
        for (Theme theme : themes) {
            lies.add(new Lies(ground, theme, true, random.split()));
        }
    }

    @Override
    public void drain(Effects effects) {
        real.drain(new Effects() {
            @Override
            public void dial(int connection, String address) {
                effects.dial(connection, address);
            }

            @Override
            public void write(int connection, Packet frame) {
                effects.write(connection, instead(connection, frame));
            }

            @Override
            public void close(int connection, String reason) {
                effects.close(connection, reason);
            }
        });
    }

    private Packet instead(int connection, Packet frame) {
        byte[] truth = bytes(frame);
        ground.onSent(truth);
        String receiver = ground.nameOf(connection);
        if (receiver == null || !LyingDriverProvider.isLying()) {
            return frame;
        }
        if (!hasBegun) {
            hasBegun = true;
            begunNanos = nowNanos;
        }
        int turn = (int) ((nowNanos - begunNanos) / themeNanos % themes.size());
        byte[] said = lies.get(turn).instead(receiver, truth);
        if (Arrays.equals(said, truth)) {
            return frame;
        }
        frame.release();
        LyingDriverProvider.count(themes.get(turn));
        return Packet.create(memory, said.length).append(said, 0, said.length);
    }

    @Override
    public void onFrame(long nowNanos, int connection, Packet frame) {
        this.nowNanos = nowNanos;
        byte[] heard = bytes(frame);
        ground.onReceived(connection, heard);
        String sender = ground.nameOf(connection);
        if (sender != null) {
            lies.forEach(each -> each.hear(sender, true, heard));
        }
        real.onFrame(nowNanos, connection, frame);
    }

    private static byte[] bytes(Packet frame) {
        byte[] bytes = new byte[frame.length()];
        frame.bytes().get(frame.offset(), bytes);
        return bytes;
    }

    // ------------------------------------------------------------------ unchanged

    @Override
    public void onStart(long nowNanos) {
        real.onStart(nowNanos);
    }

    @Override
    public int onAccepted(long nowNanos, String remote) {
        return real.onAccepted(nowNanos, remote);
    }

    @Override
    public void onRejected(long nowNanos, String remote, String detail) {
        real.onRejected(nowNanos, remote, detail);
    }

    @Override
    public void onCredentials(long nowNanos, int connection, Credentials credentials) {
        real.onCredentials(nowNanos, connection, credentials);
    }

    @Override
    public void onRelayed(long nowNanos, int connection, String server) {
        real.onRelayed(nowNanos, connection, server);
    }

    @Override
    public void onConnected(long nowNanos, int connection) {
        real.onConnected(nowNanos, connection);
    }

    @Override
    public void onDialFailed(long nowNanos, int connection, DialFailure failure, String detail) {
        real.onDialFailed(nowNanos, connection, failure, detail);
    }

    @Override
    public void onDisconnected(long nowNanos, int connection, boolean isOrderly, String detail) {
        ground.onDisconnected(connection);
        real.onDisconnected(nowNanos, connection, isOrderly, detail);
    }

    @Override
    public void onTimer(long nowNanos) {
        this.nowNanos = nowNanos;
        real.onTimer(nowNanos);
    }

    @Override
    public boolean isProcessorOfInterest() {
        return real.isProcessorOfInterest();
    }

    @Override
    public void onProcessor(long nowNanos, boolean isBusy) {
        real.onProcessor(nowNanos, isBusy);
    }

    @Override
    public long nextDeadline() {
        return real.nextDeadline();
    }
}
