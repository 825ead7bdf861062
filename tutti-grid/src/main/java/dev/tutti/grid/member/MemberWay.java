package dev.tutti.grid.member;

import dev.tutti.Group;
import dev.tutti.core.Member;

/** Way to another member of the site. */
record MemberWay(Group group, Member member) implements Flow.Way {

    @Override
    public boolean trySend(byte[] message) {
        return group.trySendTo(member, message, 0, message.length);
    }

    @Override
    public void send(byte[] message) {
        group.sendTo(member, message);
    }
}
