package dev.tutti.blocks.coordination;

import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.machine.StateMachine;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All named objects of a group: permits (one each for locks and elections), and numbers, for counters and ids. The same
 * at all members.
 *
 * <p><b>Tokens</b> and ids rise across all changes of state: a number is above the last one, and above {@code era <<
 * 36}; none reaches {@code epoch + 1 << 36}. An era that begins later has a higher number than any epoch before, and so
 * all its tokens are higher, though it knows nothing of the earlier ones.
 */
final class Objects implements StateMachine<Command, Answer> {

    /** Bits of a number within an epoch: enough for 68 billion tokens and ids, and for 134 million epochs. */
    static final int EPOCH_SHIFT = 36;

    /** Most claims that a row of {@link #rows} names. */
    private static final int SHOWN_MAX = 12;

    private final TreeMap<String, Permits> permits = new TreeMap<>();
    private final TreeMap<String, Long> numbers = new TreeMap<>();
    private final TreeMap<String, Long> ids = new TreeMap<>();
    private final Consumer<Permits.Claim> onGranted;

    /** Leases that were granted after waiting, to be reported when they are certain to stay. */
    private final List<Permits.Claim> granted = new ArrayList<>();

    private long era;
    private long epoch;
    private long lastToken;

    /** @param onGranted called with each claim of any member that is granted after waiting */
    Objects(Consumer<Permits.Claim> onGranted) {
        this.onGranted = onGranted;
    }

    private final Permits.Grants grants = new Permits.Grants() {
        @Override
        public long next() {
            long token = Math.max(lastToken + 1, era << EPOCH_SHIFT);
            if (token >= epoch + 1 << EPOCH_SHIFT) {
                return 0;
            }
            lastToken = token;
            return token;
        }

        @Override
        public void onGranted(Permits.Claim claim) {
            granted.add(claim);
        }
    };

    /** Returns the names that somebody holds or waits for, as rows: name, permits, members that hold it, and members that wait. */
    List<List<String>> rows() {
        List<List<String>> rows = new ArrayList<>();
        permits.forEach((name, of) -> rows.add(
                List.of(name, Integer.toString(of.permits()), members(of.holding()), members(of.waiting()))));
        return rows;
    }

    private static String members(List<Permits.Claim> claims) {
        StringBuilder members = new StringBuilder();
        for (Permits.Claim claim : claims.subList(0, Math.min(claims.size(), SHOWN_MAX))) {
            members.append(members.isEmpty() ? "" : ", ").append(claim.member().name());
            members.append(claim.count() == 1 ? "" : " (" + claim.count() + ')');
        }
        return members + (claims.size() > SHOWN_MAX ? " and " + (claims.size() - SHOWN_MAX) + " more" : "");
    }

    // ------------------------------------------------------------------ inputs

    @Override
    public Answer apply(Member member, Command command) {
        return switch (command) {
            case Command.Acquire acquire -> acquire(member, acquire);
            case Command.Release(String name, long request) -> {
                Permits found = permits.get(name);
                boolean isFound = found != null && found.release(member, request, grants);
                forgetUnused(name);
                yield new Answer(isFound, 0, era);
            }
            case Command.Add(String name, long delta) -> {
                long value = numbers.getOrDefault(name, 0L) + delta;
                if (delta != 0) {
                    putNumber(numbers, name, value);
                }
                yield new Answer(true, value, era);
            }
            case Command.Exchange(String name, long expectedEra, long expected, long next) -> {
                long value = numbers.getOrDefault(name, 0L);
                if (value == expected && expectedEra == era) {
                    putNumber(numbers, name, next);
                }
                yield new Answer(value == expected && expectedEra == era, value, era);
            }
            case Command.Take(String name, int count) -> takeIds(name, count);
        };
    }

    private Answer acquire(Member member, Command.Acquire asked) {
        if (asked.permits() < 1 || asked.count() < 1 || asked.count() > asked.permits()) {
            throw new IllegalArgumentException(asked.count() + " of " + asked.permits() + " permits of " + asked.name());
        }
        Permits found = permits.get(asked.name());
        if (found == null) {
            checkRoom(permits);
            found = new Permits(asked.permits());
            permits.put(asked.name(), found);
        }
        if (found.permits() != asked.permits()) {
            throw new IllegalArgumentException(asked.name() + " has " + found.permits() + " permits, not " + asked.permits());
        }
        if (found.contains(member, asked.request())) {
            throw new IllegalArgumentException("request " + asked.request() + " of " + member + " was made before");
        }
        long token = found.acquire(member, asked, grants);
        forgetUnused(asked.name());
        return new Answer(token != 0, token, era);
    }

    private Answer takeIds(String name, int count) {
        if (count < 1 || count > BLOCK_MAX) {
            throw new IllegalArgumentException("a block of " + count + " ids, 1 to " + BLOCK_MAX);
        }
        long first = Math.max(ids.getOrDefault(name, 0L), era << EPOCH_SHIFT);
        if (first + count > epoch + 1 << EPOCH_SHIFT) {
            throw new IllegalStateException("all ids of " + name + " in epoch " + epoch + " are taken; the next view has more");
        }
        putNumber(ids, name, first + count);
        return new Answer(true, first, era);
    }

    private static void putNumber(TreeMap<String, Long> map, String name, long value) {
        if (!map.containsKey(name)) {
            checkRoom(map);
        }
        map.put(name, value);
    }

    private static void checkRoom(TreeMap<String, ?> map) {
        if (map.size() >= NAMES_MAX) {
            throw new IllegalStateException(NAMES_MAX + " names are in use already");
        }
    }

    private void forgetUnused(String name) {
        Permits found = permits.get(name);
        if (found != null && found.isUnused()) {
            permits.remove(name);
        }
    }

    @Override
    public void onView(View view) {
        epoch = view.epoch();
        for (Permits each : permits.values()) {
            each.onView(view, grants);
        }
        permits.values().removeIf(Permits::isUnused);
    }

    @Override
    public void begin(long begun) {
        era = begun;
        epoch = begun;
        lastToken = 0;
        permits.clear();
        numbers.clear();
        ids.clear();
        granted.clear();
    }

    @Override
    public void onStable() {
        if (!granted.isEmpty()) {
            List<Permits.Claim> told = List.copyOf(granted);
            granted.clear();
            told.forEach(onGranted);
        }
    }

    // ------------------------------------------------------------------ questions

    long era() {
        return era;
    }

    boolean contains(String name, Member member, long request) {
        Permits found = permits.get(name);
        return found != null && found.contains(member, request);
    }

    Permits.@Nullable Claim holder(String name) {
        Permits found = permits.get(name);
        return found == null ? null : found.first();
    }

    // ------------------------------------------------------------------ the state

    @Override
    public Snapshot snapshot() {
        ByteOutput out = new ByteOutput().putLong(era).putLong(epoch).putLong(lastToken);
        out.putInt(permits.size());
        permits.forEach((name, each) -> each.put(out.putText(name)));
        putNumbers(numbers, out);
        putNumbers(ids, out);
        byte[] state = out.copy();
        return stream -> {
            DataOutputStream data = new DataOutputStream(stream);
            data.writeInt(state.length);
            data.write(state);
            data.flush();
        };
    }

    private static void putNumbers(TreeMap<String, Long> map, ByteOutput out) {
        out.putInt(map.size());
        map.forEach((name, value) -> out.putText(name).putLong(value));
    }

    @Override
    public void install(InputStream stream) throws IOException {
        DataInputStream data = new DataInputStream(stream);
        int length = data.readInt();
        if (length < 0 || length > STATE_BYTES_MAX) {
            throw new IOException("a state of " + length + " bytes, at most " + STATE_BYTES_MAX);
        }
        byte[] state = data.readNBytes(length);
        if (state.length < length) {
            throw new EOFException("a state of " + length + " bytes ends after " + state.length);
        }
        if (data.read() >= 0) {
            throw new IOException("a state goes on behind its " + length + " bytes");
        }
        try {
            install(new ByteInput(state));
        } catch (MalformedException e) {
            throw new IOException("the state of coordination can't be read", e);
        }
    }

    private void install(ByteInput in) {
        begin(in.takeLong());
        epoch = in.takeLong();
        lastToken = in.takeLong();
        int names = takeNames(4 * Integer.BYTES, in);
        for (int index = 0; index < names; index++) {
            permits.put(in.takeText(), Permits.take(in));
        }
        takeNumbers(numbers, in);
        takeNumbers(ids, in);
        in.end();
    }

    private static int takeNames(int bytesMin, ByteInput in) {
        int names = in.takeCount(bytesMin);
        if (names > NAMES_MAX) {
            throw new MalformedException(names + " names, at most " + NAMES_MAX);
        }
        return names;
    }

    private static void takeNumbers(TreeMap<String, Long> map, ByteInput in) {
        int names = takeNames(Integer.BYTES + Long.BYTES, in);
        for (int index = 0; index < names; index++) {
            map.put(in.takeText(), in.takeLong());
        }
    }

    @Override
    public boolean isReproducible() {
        return true;
    }

    @Override
    public boolean isAtomic() {
        return true;
    }

    /** Maximum number of names of each kind. */
    private static final int NAMES_MAX = 1 << 20;

    static final int BLOCK_MAX = 1 << 20;
    private static final int STATE_BYTES_MAX = 1 << 30;
}
