package dev.tutti.tomcat.replication.holders;

import dev.tutti.core.Member;
import dev.tutti.tomcat.replication.acks.Acknowledgements;
import dev.tutti.tomcat.replication.base.LocalMember;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import dev.tutti.tomcat.replication.session.FormerIds;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import java.util.Set;

/** Parts of a replicator that the holders of sessions work with. */
public record Surroundings(
        ReplicaContext context,
        SessionStore store,
        FormerIds formerIds,
        LocalMember self,
        Acknowledgements acknowledgements,
        Changes changes,
        Owner owner) {

    /** The replicator that the parts belong to. */
    public interface Owner {

        /** Returns whether this member needs its copy of a session now. */
        boolean isUsed(SessionRecord record);

        /** Returns the number of the last message of a member that this one has handled. */
        long handledOf(Member member);

        /** Makes changes of a session again, as changes of the present view; see {@link SessionRecord#reassert}. */
        void makeAgain(SessionRecord record, Set<Long> overrulers, boolean isOwnToo);

        /** Called when sessions of other members have arrived. */
        void onArrived();
    }
}
