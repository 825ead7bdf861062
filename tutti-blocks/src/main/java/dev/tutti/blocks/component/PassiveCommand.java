package dev.tutti.blocks.component;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.MemberCodec;
import dev.tutti.core.Member;

/** A command of a passive component. */
sealed interface PassiveCommand {

    /**
     * Identifies a request.
     *
     * @param number counts the requests of the member
     */
    record RequestId(Member member, long number) implements Comparable<RequestId> {

        static final int BYTES_MIN = MemberCodec.BYTES_MIN + Long.BYTES;

        void put(ByteOutput out) {
            MemberCodec.MEMBER.put(member, out);
            out.putLong(number);
        }

        static RequestId take(ByteInput in) {
            return new RequestId(MemberCodec.MEMBER.take(in), in.takeLong());
        }

        @Override
        public int compareTo(RequestId other) {
            int byMember = member.compareTo(other.member);
            return byMember == 0 ? Long.compare(number, other.number) : byMember;
        }
    }

    /** Asks the primary to execute a method. */
    record Ask(long number, Invocation invocation) implements PassiveCommand {}

    /**
     * Tells that a method was executed on the state of a version.
     *
     * @param version number of executions before
     * @param isThrown whether the method has thrown; {@code outcome} is what, in text, and {@code image} is empty then
     * @param outcome the result in bytes
     * @param image the new state
     */
    record Done(RequestId request, long version, boolean isThrown, byte[] outcome, byte[] image) implements PassiveCommand {}

    /** Codec of commands. */
    record Commands(Methods methods) implements Codec<PassiveCommand> {

        private static final int ASK = 1;
        private static final int DONE = 2;

        @Override
        public void put(PassiveCommand command, ByteOutput out) {
            switch (command) {
                case Ask(long number, Invocation invocation) -> methods.put(invocation, out.putByte(ASK).putLong(number));
                case Done(RequestId request, long version, boolean isThrown, byte[] outcome, byte[] image) -> {
                    request.put(out.putByte(DONE));
                    out.putLong(version).putBoolean(isThrown).putBytes(outcome).putBytes(image);
                }
            }
        }

        @Override
        public PassiveCommand take(ByteInput in) {
            int kind = in.takeByte();
            return switch (kind) {
                case ASK -> new Ask(in.takeLong(), methods.take(in));
                case DONE -> new Done(RequestId.take(in), in.takeLong(), in.takeBoolean(), in.takeBytes(), in.takeBytes());
                default -> throw new MalformedException("command of kind " + kind);
            };
        }
    }
}
