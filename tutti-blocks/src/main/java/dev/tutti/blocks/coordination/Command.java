package dev.tutti.blocks.coordination;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;

/** Commands of members on named objects. A request number, given by the member, identifies a claim for permits. */
sealed interface Command {

    String name();

    /** Asks for permits: granted if they are all free and nobody waits; else the member waits, if it wants to. */
    record Acquire(String name, int permits, int count, long request, boolean isWaiting) implements Command {}

    /** Gives permits back, or stops waiting for them. */
    record Release(String name, long request) implements Command {}

    /** Adds to a number; 0 reads it. */
    record Add(String name, long delta) implements Command {}

    /** Sets a number if it is the expected one. */
    record Exchange(String name, long era, long expected, long next) implements Command {}

    /** Takes a number of ids. */
    record Take(String name, int count) implements Command {}

    /** Maximum number of characters of a name. */
    int NAME_MAX = 255;

    Codec<Command> CODEC = Codec.of(Command::take, Command::put);

    private static void put(Command command, ByteOutput out) {
        switch (command) {
            case Acquire(String name, int permits, int count, long request, boolean isWaiting) ->
                out.putByte(1).putText(name).putInt(permits).putInt(count).putLong(request).putBoolean(isWaiting);
            case Release(String name, long request) -> out.putByte(2).putText(name).putLong(request);
            case Add(String name, long delta) -> out.putByte(3).putText(name).putLong(delta);
            case Exchange(String name, long era, long expected, long next) ->
                out.putByte(4).putText(name).putLong(era).putLong(expected).putLong(next);
            case Take(String name, int count) -> out.putByte(5).putText(name).putInt(count);
        }
    }

    private static Command take(ByteInput in) {
        int kind = in.takeByte();
        String name = in.takeText();
        if (name.length() > NAME_MAX) {
            throw new MalformedException("a name of " + name.length() + " characters, at most " + NAME_MAX);
        }
        return switch (kind) {
            case 1 -> new Acquire(name, in.takeInt(), in.takeInt(), in.takeLong(), in.takeBoolean());
            case 2 -> new Release(name, in.takeLong());
            case 3 -> new Add(name, in.takeLong());
            case 4 -> new Exchange(name, in.takeLong(), in.takeLong(), in.takeLong());
            case 5 -> new Take(name, in.takeInt());
            default -> throw new MalformedException("a command of kind " + kind);
        };
    }
}
