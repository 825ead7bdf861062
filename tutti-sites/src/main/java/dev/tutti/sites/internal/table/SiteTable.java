package dev.tutti.sites.internal.table;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.MemberCodec;
import dev.tutti.core.Member;
import dev.tutti.core.Printable;
import dev.tutti.core.View;
import dev.tutti.sites.internal.relay.BridgeFrame;
import dev.tutti.sites.internal.relay.BridgeFrame.Announce;
import dev.tutti.sites.internal.relay.SiteFrame;
import dev.tutti.sites.internal.relay.SitePart;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Sites as the masters see them together. All masters get the same announcements and views in the same order, so that
 * they have the same lists. Not thread-safe.
 *
 * <p>A list has a number; later lists have higher ones. Where the masters of two parts meet, the list that goes on has a
 * higher number than both had, so that no site is told a lower number than before, nor two lists under one number.
 */
public final class SiteTable {

    /** Most sites that a table has; those beyond it are ignored. */
    public static final int SITES_MAX = 256;

    private final TreeMap<String, SiteRow> rows = new TreeMap<>();

    /** Last announcements of the masters of the view, in its order. */
    private final LinkedHashMap<Member, Announce> masters = new LinkedHashMap<>();

    /**
     * Announcements that have come ahead of their place in the order. Masters may differ in them, so that they count only for the choice of
     * the master that a stream goes to.
     */
    private final TreeMap<Member, Announce> early = new TreeMap<>();

    private long number;
    private long ignored;

    public long number() {
        return number;
    }

    /** Returns the sites, by name. */
    public List<SiteRow> rows() {
        return List.copyOf(rows.values());
    }

    public @Nullable SiteRow row(String site) {
        return rows.get(site);
    }

    /**
     * Returns the master of a site that has joined a group, the oldest if there are several; null if there is none. If the
     * site is divided, it is one of the largest part: its state is likely to go on. It is none that another master of the site
     * has gone on without, if there are others: the site knows of a crash long before the masters of other sites.
     */
    public @Nullable Member masterOf(String site, String group) {
        List<SitePart> parts = new ArrayList<>();
        masters.forEach((master, announced) -> {
            if (announced.site().equals(site)) {
                parts.add(announced.part());
                parts.add(early.getOrDefault(master, announced).part());
            }
        });
        Member found = null;
        int members = 0;
        for (Map.Entry<Member, Announce> master : masters.entrySet()) {
            Announce announced = master.getValue();
            SitePart part = latest(announced.part(), parts);
            int size = part.members().size();
            boolean isOf = announced.site().equals(site) && announced.groups().contains(group);
            if (isOf && size > members && parts.stream().noneMatch(part::isLeftBy)) {
                found = master.getKey();
                members = size;
            }
        }
        return found;
    }

    /**
     * Returns the latest part that a master belongs to: another master of its site may have told of it before, and until both have, their
     * older parts must not be compared.
     */
    private static SitePart latest(SitePart own, List<SitePart> parts) {
        SitePart latest = own;
        for (SitePart part : parts) {
            if (part.view() > latest.view() && part.incarnations().contains(own.self())) {
                latest = new SitePart(own.self(), part.view(), part.members(), part.incarnations());
            }
        }
        return latest;
    }

    /** Returns whether another master has gone on without the one that has announced this. */
    private boolean isLeft(Announce announced) {
        return masters.values().stream()
                .anyMatch(other -> other.site().equals(announced.site()) && announced.part().isLeftBy(other.part()));
    }

    /** Returns the masters of other sites. */
    public List<Member> mastersBeside(String site) {
        return masters.entrySet().stream()
                .filter(master -> !master.getValue().site().equals(site))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Takes an announcement of a master ahead of its place in the order. */
    public void onEarly(Member master, Announce announced) {
        if (masters.containsKey(master)) {
            early.put(master, announced);
        }
    }

    /** Returns the other sites that have a master that has joined a group. */
    public List<String> sitesWith(String group) {
        List<String> sites = new ArrayList<>();
        for (String site : rows.keySet()) {
            if (masterOf(site, group) != null) {
                sites.add(site);
            }
        }
        return sites;
    }

    /** Takes a view of the masters: announcements of those that left are void. Returns whether the list has changed. */
    public boolean onView(View view) {
        sort(view);
        boolean isChanged = false;
        for (SiteRow row : rows()) {
            if (row.state() == SiteRow.State.UP && !hasMaster(row.name())) {
                rows.put(row.name(), row.in(SiteRow.State.SUSPECTED));
                isChanged = true;
            }
        }
        return count(isChanged);
    }

    /** Puts the announcements into the order of a view, without those of masters that are not in it. */
    private void sort(View view) {
        Map<Member, Announce> before = Map.copyOf(masters);
        masters.clear();
        view.members().stream().filter(before::containsKey).forEach(member -> masters.put(member, before.get(member)));
        early.keySet().retainAll(masters.keySet());
    }

    /** Returns what a master has announced; null if it has announced nothing, or is not in the view. */
    public @Nullable Announce announced(Member master) {
        return masters.get(master);
    }

    /** Returns the number of announcements that were ignored: of too many sites, of no site, or of nobody in the view. */
    public long ignored() {
        return ignored;
    }

    /** Takes an announcement of a master. Returns whether the list has changed. */
    public boolean onAnnounce(View view, Member master, Announce announced) {
        boolean isNew = !rows.containsKey(announced.site());
        if (!view.contains(master) || isNew && (rows.size() == SITES_MAX || !Printable.isName(announced.site()))) {
            ignored++;
            return false;
        }
        masters.put(master, announced);
        early.computeIfPresent(master, (key, ahead) -> ahead.part().view() > announced.part().view() ? ahead : null);
        sort(view);
        boolean isOther = isOther(announced.seen(), announced.digest());
        number = Math.max(number, announced.seen());
        SiteRow known = rows.get(announced.site());
        SiteRow row = new SiteRow(announced.site(), SiteRow.State.UP, members(announced));
        rows.put(row.name(), row);
        return count(isOther || !row.equals(known));
    }

    /**
     * Returns whether a list that a site was told is none of this table, and no earlier one: the masters of another part have
     * made it.
     */
    public boolean isOther(long seen, int digest) {
        return seen > number || seen == number && digest != digest(rows());
    }

    /** Returns a number that is different for most lists that differ. */
    public static int digest(List<SiteRow> rows) {
        ByteOutput out = new ByteOutput();
        SiteFrame.putList(out, rows, row -> row.put(out));
        return Arrays.hashCode(out.copy());
    }

    /** Returns the members of a site: those of its largest part if it is divided. */
    private List<String> members(Announce latest) {
        List<String> members = List.of();
        for (Announce announced : masters.values()) {
            boolean isOf = announced.site().equals(latest.site()) && announced.isFirst();
            if (isOf && announced.part().members().size() > members.size() && !isLeft(announced)) {
                members = announced.part().members();
            }
        }
        return members.isEmpty() ? latest.part().members() : members;
    }

    /** Takes the decision that a site is away, made on list {@code decided}. Returns whether the list has changed. */
    public boolean onAway(String site, long decided) {
        SiteRow row = rows.get(site);
        if (row == null || row.state() != SiteRow.State.SUSPECTED || decided != number) {
            return false;
        }
        rows.put(site, row.in(SiteRow.State.AWAY));
        return count(true);
    }

    private boolean hasMaster(String site) {
        return masters.values().stream().anyMatch(announced -> announced.site().equals(site));
    }

    private boolean count(boolean isChanged) {
        if (isChanged) {
            number++;
        }
        return isChanged;
    }

    /** Puts the table for a master that joins. */
    public void put(ByteOutput out) {
        out.putLong(number);
        SiteFrame.putList(out, rows(), row -> row.put(out));
        out.putInt(masters.size());
        masters.forEach((member, announced) -> {
            MemberCodec.MEMBER.put(member, out);
            out.putBytes(announced.encode());
        });
    }

    /** Replaces this table by another master's. */
    public void replace(ByteInput in) {
        rows.clear();
        masters.clear();
        early.clear();
        number = in.takeLong();
        SiteRow.takeList(in).forEach(row -> rows.put(row.name(), row));
        int count = in.takeCount(MASTER_BYTES_MIN);
        for (int i = 0; i < count; i++) {
            Member member = MemberCodec.MEMBER.take(in);
            if (!(BridgeFrame.decode(ByteBuffer.wrap(in.takeBytes())) instanceof Announce announced)) {
                throw new MalformedException("the state of the masters has a message that is no announcement");
            }
            masters.put(member, announced);
        }
    }

    private static final int MASTER_BYTES_MIN = MemberCodec.BYTES_MIN + Integer.BYTES;
}
