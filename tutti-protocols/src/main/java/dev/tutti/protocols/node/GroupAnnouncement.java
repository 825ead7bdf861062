package dev.tutti.protocols.node;

import dev.tutti.core.Memory;
import dev.tutti.core.Packet;
import dev.tutti.protocols.link.Versions;

/**
 * Announcement of a member to the nodes that may have members in the same group: GROUP_JOINED without the number of the
 * join (docs/wire.md).
 *
 * @param group name of the group
 * @param version highest version of the group's packets that the member speaks
 * @param fingerprint settings that all members must share
 * @param messageBytesMax longest message that the member takes
 */
record GroupAnnouncement(String group, int version, StackFingerprint fingerprint, long messageBytesMax) {

    /** Encodes the announcement for a session that uses a version of the protocol. */
    byte[] encode(int sessionVersion) {
        String settings = fingerprint.text(sessionVersion);
        Packet fields = Packet.create(Memory.onHeap(), 17 + 4 * (group.length() + settings.length())).appendText(group);
        if (sessionVersion >= Versions.ANNOUNCED) {
            fields.appendByte(version);
        }
        fields.appendText(settings).appendLong(messageBytesMax);
        byte[] bytes = new byte[fields.length()];
        fields.bytes().get(fields.offset(), bytes);
        return bytes;
    }

    /** Reads the announcement from a session that uses a version of the protocol. The packet may be malformed after it. */
    static GroupAnnouncement decode(int sessionVersion, Packet frame) {
        String group = frame.takeText(3 * NodeMachine.NAME_MAX);
        int version = sessionVersion >= Versions.ANNOUNCED ? frame.takeByte() : sessionVersion;
        StackFingerprint fingerprint = new StackFingerprint(frame.takeText(StackFingerprint.BYTES_MAX));
        GroupAnnouncement announcement = new GroupAnnouncement(group, version, fingerprint, frame.takeLong());
        if (version < sessionVersion || announcement.messageBytesMax < GroupSettings.MESSAGE_BYTES_LEAST) {
            frame.markMalformed();
        }
        return announcement;
    }

    /** Returns the same announcement with equal texts that are in memory already. */
    GroupAnnouncement sharing(String sameGroup, StackFingerprint sameFingerprint) {
        return new GroupAnnouncement(sameGroup, version, sameFingerprint, messageBytesMax);
    }
}
